"""The verbs: one file each, a function of a transaction, one transaction."""
