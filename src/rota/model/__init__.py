"""The values that Rota works with: frozen, without behaviour that touches the outside world."""
