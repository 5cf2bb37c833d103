"""The server process: middleware, the request, errors, and the state that all requests share."""
