"""The invariants, which must hold whatever broke: one function of facts per promise."""
