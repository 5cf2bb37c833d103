"""The moving parts: loops on one Service base, and the executors that run handlers."""
