"""The nouns of Rota: frozen values without behaviour that touches the world."""
