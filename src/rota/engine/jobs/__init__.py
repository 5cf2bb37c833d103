"""Definitions of jobs: immutable versions, what an app declares, what job files apply."""
