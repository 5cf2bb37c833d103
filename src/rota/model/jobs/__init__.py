"""Jobs, as people define and see them."""
