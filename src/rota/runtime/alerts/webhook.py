"""Webhooks: the message as JSON, signed as Standard Webhooks describes it.

With a secret, `webhook-signature` is `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, so
that the receiver knows who sent it, and when. A secret that begins with `whsec_` is base64.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time

from rota.errors import BadOption
from rota.runtime.alerts.send import Outgoing
from rota.runtime.chores.webhook import post

PREFIX = "whsec_"


def send(message: Outgoing) -> None:
    """Post the message; raises NotDelivered unless the receiver answers with 2xx."""
    body = message.payload.encode()
    headers = {"webhook-id": message.id}
    if message.secret is not None:
        headers |= signed(message.id, body, message.secret, at_s=int(time.time()))
    post(
        message.url,
        body,
        key=message.id,
        allow_private=message.allow_private,
        headers=headers,
    )


def signed(message_id: str, body: bytes, secret: str, *, at_s: int) -> dict[str, str]:
    """Return the headers that prove the sender and the time of this message."""
    text = b"%b.%d.%b" % (message_id.encode(), at_s, body)
    digest = hmac.new(_key(secret), text, hashlib.sha256).digest()
    return {
        "webhook-timestamp": str(at_s),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(secret: str) -> bytes:
    if not secret.startswith(PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise BadOption(f"secret: what follows {PREFIX} is not base64") from error
