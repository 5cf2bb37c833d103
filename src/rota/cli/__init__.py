"""The `rota` command: the same nouns and verbs as everywhere, for people and for scripts."""
