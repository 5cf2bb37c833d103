"""Definitions of jobs: options, versions, plans and the files they come from."""
