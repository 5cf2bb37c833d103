"""Pure decisions: no clock, no randomness, no store; everything they need is an argument."""
