"""Draw a graph as Mermaid, for pages that render it."""

from __future__ import annotations

from rota.rules.graphs.drawing.picture import Box, GraphPicture

_ESCAPES = str.maketrans(
    {'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "\n": " ", "`": "#96;", "&": "#amp;"}
)


def draw_mermaid(shown: GraphPicture) -> str:
    """Return a flowchart from top to bottom; groups are sub-graphs."""
    ids = {name: f"n{at}" for at, name in enumerate(shown.boxes)}
    lines = ["---", f"title: {_title(shown.title)}", "---", "flowchart TD"]
    groups: dict[str, list[Box]] = {}
    for box in shown.boxes.values():
        groups.setdefault(box.group or "", []).append(box)
    for at, (group, boxes) in enumerate(groups.items()):
        if group:
            lines.append(f'  subgraph g{at}["{_escaped(group)}"]')
        indent = "    " if group else "  "
        lines += [f'{indent}{ids[box.name]}["{_label(box)}"]' for box in boxes]
        if group:
            lines.append("  end")
    for box in shown.boxes.values():
        lines += [f"  {ids[parent]} --> {ids[box.name]}" for parent in box.parents]
    return "\n".join(lines) + "\n"


def _label(box: Box) -> str:
    parts = [box.name, *([box.status] if box.status else ()), *box.notes]
    return "<br>".join(map(_escaped, parts))


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


def _title(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{quoted}"'
