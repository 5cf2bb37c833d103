"""The `rota` command: the nouns and verbs of Python and the API, for people and for scripts."""
