"""The registry of workers: heartbeats, presence, leases that ran out."""
