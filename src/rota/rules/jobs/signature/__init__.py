"""A handler's signature: check and encode arguments, decode them typed, encode results.

JSON is the only format; nothing here calls a handler.
"""

from rota.rules.jobs.signature.binding import Signature
from rota.rules.jobs.signature.wire import MAX_ARGS_BYTES, MAX_RESULT_BYTES

__all__ = ["MAX_ARGS_BYTES", "MAX_RESULT_BYTES", "Signature"]
