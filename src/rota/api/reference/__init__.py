"""The page of the API reference: three files that ask the server for its own description."""
