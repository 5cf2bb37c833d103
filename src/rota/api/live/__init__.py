"""Live streams: one reader of the store for each server, and a bounded buffer for each client.

`FeedReader` finds the changes, `Feed` runs it and hands out events, `LiveClient` holds the events
that one connection has not taken yet. A client that does not keep up is told to fetch everything
anew (`event: reset`); it costs the others nothing.
"""
