"""Write job files in the given order; every text reads back unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from rota.rules.jobs.files.yaml12 import CORE_RESOLVERS


class _Dumper(yaml.SafeDumper):
    """Quotes any text that YAML 1.1 or 1.2 would read as another type."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        super().increase_indent(flow, False)  # noqa: FBT003  # items of a list stand further in

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


for _tag, _pattern, _first in CORE_RESOLVERS:
    _Dumper.add_implicit_resolver(_tag, _pattern, _first)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    lines = text.split("\n")
    style = None
    if not all(line.isprintable() for line in lines):
        style = '"'  # where every odd sign is escaped
    elif len(lines) > 1 and lines[-1] and all(line == line.strip() for line in lines):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def write_jobs(
    jobs: Mapping[str, Any], *, comment: str = "", defaults: Mapping[str, Any] | None = None
) -> str:
    """Return the text of a job file with these jobs."""
    head = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    whole = {"defaults": dict(defaults)} if defaults else {}
    whole["jobs"] = dict(jobs)
    body = yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return head + body
