"""Operations on jobs, their versions, templates and files."""
