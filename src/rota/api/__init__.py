"""The server: REST over HTTP. Routes parse, call a verb and render; see rota.api.routes."""
