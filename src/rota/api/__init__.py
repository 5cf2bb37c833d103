"""The server: REST over HTTP. A route parses the request, calls an operation, renders the answer.

See rota.api.routes.
"""
