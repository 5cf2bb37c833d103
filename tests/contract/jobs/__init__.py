"""Jobs: definitions, versions, files and templates."""
