"""The whole house: what a transaction says that is for no namespace in particular.

A test lists who says it: who asks (before it is known), the chain of the audit, the streams of all
readers together, namespaces themselves, and whether the database answers at all.
"""

from __future__ import annotations

HOUSE = None
