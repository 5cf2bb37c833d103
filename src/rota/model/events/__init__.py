"""Events, as people send and see them."""
