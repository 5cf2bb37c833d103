"""Handles: the objects with which programs work on runs, jobs, schedules and the rest.

An App and a Client have the same handles. Each calls operations through a Backend: a transaction of
the store, or a request to a server.
"""
