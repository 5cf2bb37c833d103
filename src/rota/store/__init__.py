"""The store: the only place with SQL. One text per statement for SQLite and PostgreSQL."""
