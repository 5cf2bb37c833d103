"""Operations: one function for each public verb, which Python, HTTP and the command line share.

An operation is described once, by `reads` or `changes` above its function: who may use it, where
the API serves it, and how the audit names it. Routes, the client and the audit follow from that.
"""
