"""The ledger of calls that handlers make to the outside world."""
