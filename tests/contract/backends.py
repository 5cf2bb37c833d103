"""Operations on a store without an App."""

from __future__ import annotations

from rota.handles.store_backend import StoreBackend
from rota.operations.tools import Tools
from rota.store.base import Store
from tests.contract.builders import HOME


def backend_of(store: Store) -> StoreBackend:
    """Carries operations out in this store, in the home namespace."""
    return StoreBackend(lambda: store, HOME, Tools())
