"""Run by path in the venvs of the peers, never imported as a package."""
