"""Definitions of jobs: immutable versions, declarations of apps, applied job files."""
