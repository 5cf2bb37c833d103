"""The operations on the store: one file each, a function of a transaction, one transaction."""
