"""Schedulers as processes that are killed, on a clock that jumps: each instant fires once."""
