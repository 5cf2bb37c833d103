"""Jobs: definitions, versions, templates and files."""
