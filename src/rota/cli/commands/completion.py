"""`rota completion`: the script that teaches a shell to complete our commands."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  eval "$(rota completion bash)"                  in ~/.bashrc
  eval "$(rota completion zsh)"                   in ~/.zshrc
  rota completion fish > ~/.config/fish/completions/rota.fish
"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the completion script for a SHELL."""
    from click.shell_completion import get_completion_class

    from rota.cli.main import cli

    if kind := get_completion_class(shell):
        click.echo(kind(cli, {}, "rota", "_ROTA_COMPLETE").source())
