"""The shape of the source tree."""
