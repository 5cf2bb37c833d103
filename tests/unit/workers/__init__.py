"""Workers: leases, presence, and runs they lost."""
