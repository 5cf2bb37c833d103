"""Artifacts in an object store that speaks the S3 protocol.

The usual variables name the store and the credentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_REGION, AWS_ENDPOINT_URL. Rota's own setting names the bucket and a prefix in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from rota.errors import BadOption

if TYPE_CHECKING:
    from obstore.store import S3Store

T = TypeVar("T")

ANSWER_S = 20
RETRIES = 4
RETRY_S = 30
PAGE = 1_000


class ObjectStore:
    """One bucket, or a prefix in it."""

    def __init__(self, url: str) -> None:
        self.where = url
        self._store = _opened(url, os.environ)

    def put(self, day: str, digest: str, data: bytes) -> None:
        self._ask(lambda: self._store.put(f"{day}/{digest}", data))

    def get(self, day: str, digest: str) -> bytes | None:
        try:
            return self._ask(lambda: self._store.get(f"{day}/{digest}").bytes().to_bytes())
        except FileNotFoundError:
            return None

    def days(self) -> list[str]:
        listed = self._ask(self._store.list_with_delimiter)
        return sorted(each.strip("/").rpartition("/")[2] for each in listed["common_prefixes"])

    def digests(self, day: str) -> Iterator[Sequence[str]]:
        pages = iter(self._store.list(f"{day}/", chunk_size=PAGE))
        while page := self._ask(lambda: next(pages, None)):
            yield [each["path"].rpartition("/")[2] for each in page]

    def delete(self, day: str, digests: Sequence[str]) -> None:
        if digests:
            self._ask(lambda: self._store.delete([f"{day}/{digest}" for digest in digests]))

    def _ask(self, request: Callable[[], T]) -> T:
        """Make a request; every failure of the object store becomes an OSError."""
        from obstore.exceptions import BaseError, NotFoundError  # noqa: PLC0415  # an extra

        try:
            return request()
        except (FileNotFoundError, NotFoundError) as error:
            raise FileNotFoundError(str(error)) from error
        except BaseError as error:
            raise OSError(f"{self.where}: {str(error).splitlines()[0]:.300}") from error


def _opened(url: str, env: Mapping[str, str]) -> S3Store:
    try:
        from obstore.store import S3Store  # noqa: PLC0415
    except ImportError as error:
        raise BadOption("artifacts in s3:// need the extra `s3`: pip install 'rota[s3]'") from error
    endpoint = env.get("AWS_ENDPOINT_URL_S3") or env.get("AWS_ENDPOINT_URL") or ""
    own: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    return S3Store.from_url(
        url,
        client_options={
            "timeout": timedelta(seconds=ANSWER_S),
            "allow_http": endpoint.startswith("http://"),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_S)},
        **own,
    )
