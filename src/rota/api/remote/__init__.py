"""Workers without a database: the work that the server does for them, and the checks it makes."""
