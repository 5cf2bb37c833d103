"""The signature of a handler: checks and encodes arguments, decodes them, encodes results.

JSON is the only format; nothing here calls a handler.
"""

from rota.rules.jobs.signature.binding import Signature
from rota.rules.jobs.signature.wire import MAX_ARGS_BYTES, MAX_RESULT_BYTES

__all__ = ["MAX_ARGS_BYTES", "MAX_RESULT_BYTES", "Signature"]
