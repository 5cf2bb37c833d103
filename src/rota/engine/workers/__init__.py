"""The registry of workers: heartbeats, presence and expired leases."""
