"""The holds that keep a queued run from starting, and the releases that end them."""
