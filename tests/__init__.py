"""Tests of Rota; `make test` runs them all."""
