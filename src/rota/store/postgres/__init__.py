"""The PostgreSQL store: a small pool, libpq, LISTEN and NOTIFY."""
