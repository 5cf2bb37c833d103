"""Draw a graph in a terminal: a tree in which each node hangs below its last parent."""

from __future__ import annotations

from rota.rules.graphs.drawing.picture import Box, GraphPicture

_OTHERS = 4


def draw_text(shown: GraphPicture) -> str:
    """Return one line per node: its level, its place in the tree, its notes and its state."""
    drawn = _Tree(shown).rows()
    width = max((len(tree) for _, tree, _ in drawn), default=0)
    status_width = max((len(box.status) for box, _, _ in drawn), default=0)
    lines = [shown.title]
    for box, tree, others in drawn:
        group = (f"in {box.group}",) if box.group else ()
        words = "; ".join((*box.notes, *group, *others))
        status = f"{box.status:<{status_width}}  " if status_width else ""
        lines.append(f"{box.level + 1:>3}  {tree:<{width}}  {status}{words}".rstrip())
    return "\n".join(lines) + "\n"


class _Tree:
    def __init__(self, shown: GraphPicture) -> None:
        self._boxes = shown.boxes
        self._below: dict[str | None, list[str]] = {None: []}
        self._hangs_on: dict[str, str | None] = {}
        places = {name: at for at, name in enumerate(shown.boxes)}
        for name, box in shown.boxes.items():
            above = max(box.parents, key=places.__getitem__, default=None)
            self._hangs_on[name] = above
            self._below.setdefault(above, []).append(name)

    def rows(self) -> list[tuple[Box, str, list[str]]]:
        """Return each box with its branch and the parents that the tree does not show."""
        rows = []
        waiting = [(name, "", name == last) for name, last in _with_last(self._below[None])]
        while waiting:
            name, indent, is_last = waiting.pop()
            box = self._boxes[name]
            rows.append((box, f"{indent}{'└─ ' if is_last else '├─ '}{name}", self._others(box)))
            inner = indent + ("   " if is_last else "│  ")
            below = _with_last(self._below.get(name, []))
            waiting += [(child, inner, child == last) for child, last in below]
        return rows

    def _others(self, box: Box) -> list[str]:
        others = [name for name in box.parents if name != self._hangs_on[box.name]]
        if not others:
            return []
        more = len(others) - _OTHERS
        listed = ", ".join(others[:_OTHERS]) + (f" and {more} more" if more > 0 else "")
        return [f"also after {listed}"]


def _with_last(names: list[str]) -> list[tuple[str, str]]:
    """Return the names reversed, for popping, each with the last name of the branch."""
    return [(name, names[-1]) for name in reversed(names)]
