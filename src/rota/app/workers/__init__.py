"""The jobs, options and handlers that an app gives its workers."""
