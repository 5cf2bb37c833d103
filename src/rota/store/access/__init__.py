"""Who reaches which rows: row-level security, logins and their rights."""
