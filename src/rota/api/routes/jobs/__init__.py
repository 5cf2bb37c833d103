"""Jobs: definitions, versions, templates, files and releases."""
