"""Workers without a database: what the server does for them, and what it believes of them."""
