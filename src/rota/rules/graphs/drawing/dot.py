"""Draw a graph as DOT, for Graphviz and compatible tools."""

from __future__ import annotations

from rota.rules.graphs.drawing.picture import Box, GraphPicture


def draw_dot(shown: GraphPicture) -> str:
    """Return a digraph from top to bottom; groups are clusters."""
    lines = [
        f"digraph {_quoted(shown.title.partition('(')[0])} {{",
        f"  label={_quoted(shown.title)};",
        "  labelloc=t;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
    ]
    groups: dict[str, list[Box]] = {}
    for box in shown.boxes.values():
        groups.setdefault(box.group or "", []).append(box)
    for group, boxes in groups.items():
        if group:
            lines.append(f"  subgraph {_quoted('cluster_' + group)} {{")
            lines.append(f"    label={_quoted(group)};")
        indent = "    " if group else "  "
        lines += [f"{indent}{_quoted(box.name)} [label={_label(box)}];" for box in boxes]
        if group:
            lines.append("  }")
    for box in shown.boxes.values():
        lines += [f"  {_quoted(parent)} -> {_quoted(box.name)};" for parent in box.parents]
    return "\n".join([*lines, "}"]) + "\n"


def _label(box: Box) -> str:
    parts = [box.name, *([box.status] if box.status else ()), *box.notes]
    # A line break in a label is the two signs \n, which must not be escaped again.
    return '"' + r"\n".join(_quoted(part)[1:-1] for part in parts) + '"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
