"""Groups of commands that suggest the right command for another word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

HABITS: Mapping[str, tuple[str, ...]] = {
    "backfill": ("schedules backfill",),
    "beat": ("up", "schedules"),
    "call": ("submit",),
    "cancel": ("runs cancel",),
    "check": ("doctor",),
    "cron": ("schedules",),
    "dag": ("graphs",),
    "dags": ("graphs",),
    "drain": ("workers drain",),
    "enqueue": ("submit",),
    "events": ("send",),
    "health": ("doctor",),
    "inspect": ("workers", "runs"),
    "list": ("runs", "jobs"),
    "ls": ("runs", "jobs"),
    "migrate": ("db migrate",),
    "pause": ("queues pause", "schedules pause"),
    "preview": ("schedules preview",),
    "ps": ("runs", "workers"),
    "redrive": ("dead redrive",),
    "rerun": ("runs rerun",),
    "resume": ("queues resume", "schedules resume"),
    "retry": ("runs rerun", "dead redrive"),
    "run": ("submit", "runs"),
    "scheduler": ("up", "worker"),
    "serve": ("up", "server"),
    "show": ("runs show", "schedules show"),
    "start": ("up", "submit"),
    "status": ("runs", "doctor"),
    "task": ("jobs", "runs"),
    "tasks": ("jobs", "runs"),
    "trigger": ("submit", "schedules trigger"),
    "wait": ("runs wait",),
    "webserver": ("server",),
}
"""Words of other schedulers, and verbs without their noun, with the names that Rota has."""
MOST_TOLD = 2
LONGEST_TOLD = 200


class SuggestingGroup(click.Group):
    """A group that suggests a command; `help` before a command is `--help` after it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help" and self.get_command(ctx, "help") is None:
            if not args[1:]:
                click.echo(ctx.get_help(), color=ctx.color)
                ctx.exit()
            args = [*args[1:], "--help"]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            similar = self._similar(ctx, args[0])
            if not similar:
                raise
            suggestions = " or ".join(f"`{ctx.command_path} {each}`" for each in similar)
            raise click.UsageError(
                f"No such command {args[0]!r}. Did you mean {suggestions}?", ctx
            ) from error

    def _similar(self, ctx: click.Context, word: str) -> list[str]:
        from difflib import get_close_matches

        commands = self.list_commands(ctx)
        close = get_close_matches(word, commands, n=MOST_TOLD)
        of_others = [each for each in HABITS.get(word, ()) if each.split()[0] in commands]
        return of_others or close

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the whole first sentence of each help text: click would cut it at the edge."""
        rows = self.rows(ctx, self.list_commands(ctx))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def rows(self, ctx: click.Context, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the commands of these names, each with the first sentence of its help."""
        commands = ((name, self.get_command(ctx, name)) for name in names)
        return [
            (name, command.get_short_help_str(LONGEST_TOLD))
            for name, command in commands
            if command is not None and not command.hidden
        ]
