"""Workers: the registry, and the requests of remote workers."""
