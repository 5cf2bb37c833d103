"""Access to rows: row-level security, logins and their permissions."""
