"""Operations on jobs, their versions, templates, files and releases."""
