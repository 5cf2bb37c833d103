"""The scope of a transaction that is for no namespace in particular: all namespaces.

A test lists the places that use it: finding the caller (before the namespace is known), the chain
of the audit, the streams of all readers together, namespaces themselves, and the check whether the
database answers at all.
"""

from __future__ import annotations

HOUSE = None
