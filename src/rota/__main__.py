"""`python -m rota` is the `rota` command; nothing else lives here."""

from rota.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
