"""What must hold whatever broke: one function for each promise, of facts alone."""
