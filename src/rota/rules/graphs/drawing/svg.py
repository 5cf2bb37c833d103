"""Draw a graph as one SVG file without scripts or fonts, readable without its colours."""

from __future__ import annotations

from html import escape

from rota.errors import BadGraph
from rota.rules.graphs.drawing.layout import Gaps, Layout, Placed, Size, lay_out
from rota.rules.graphs.drawing.picture import Box, GraphPicture

MAX_BOXES = 2_000
_CHAR = 7.2
"""The width of a letter of the 12 px monospaced font."""
_LINE = 17
_PAD = 12
_TITLE = 34
_MOST_CHARS = 46

_COLOURS = {
    "success": ("#e7f4ea", "#2e7d32"),
    "failed": ("#fde8e8", "#b3261e"),
    "upstream_failed": ("#fdf0e3", "#a85a00"),
    "running": ("#e3f0fd", "#1558a6"),
    "skipped": ("#f2f2f2", "#5f6368"),
    "cancelled": ("#fff6d6", "#7a5d00"),
}
_PLAIN = ("#ffffff", "#5f6368")


def draw_svg(shown: GraphPicture) -> str:
    """Draw a graph from left to right by level; more than 2,000 boxes raise BadGraph."""
    if len(shown.boxes) > MAX_BOXES:
        raise BadGraph(
            f"{len(shown.boxes):,} boxes are more than {MAX_BOXES:,}; put nodes into groups, "
            "or export DOT for a larger machine"
        )
    lines = {name: _lines(box) for name, box in shown.boxes.items()}
    layout = lay_out(
        {name: _size(texts) for name, texts in lines.items()},
        {name: box.level for name, box in shown.boxes.items()},
        [(parent, name) for name, box in shown.boxes.items() for parent in box.parents],
        Gaps(),
    )
    width = max(layout.size.width, round(len(shown.title) * 8.5) + 2 * _PAD)
    height = layout.size.height + _TITLE
    boxes = (_drawn_box(box, layout.boxes[name], lines[name]) for name, box in shown.boxes.items())
    return "\n".join((*_head(shown.title, width, height), *_drawn_lines(layout), *boxes, _END))


_END = "</g>\n</svg>\n"


def _head(title: str, width: int, height: int) -> list[str]:
    text = escape(title)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{text}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">'
    )
    arrow = (
        '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#5f6368"/></marker></defs>'
    )
    heading = f'<text x="{_PAD + 8}" y="24" font-size="14" font-weight="bold">{text}</text>'
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return [opening, arrow, paper, heading, f'<g transform="translate(0,{_TITLE - 10})">']


def _lines(box: Box) -> list[str]:
    name = f"{box.group}: {box.name}" if box.group else box.name
    texts = [name, *([box.status] if box.status else ()), *box.notes]
    return [text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…" for text in texts]


def _size(texts: list[str]) -> Size:
    return Size(round(max(map(len, texts)) * _CHAR) + 2 * _PAD, len(texts) * _LINE + _PAD)


def _drawn_lines(layout: Layout) -> list[str]:
    drawn = []
    for parent, child, points in layout.lines:
        (x, y), *rest = points
        way = f"M{x},{y}"
        for to_x, to_y in rest:
            middle = (x + to_x) // 2
            way += f" C{middle},{y} {middle},{to_y} {to_x},{to_y}"
            x, y = to_x, to_y
        drawn.append(
            f'<path d="{way}" fill="none" stroke="#5f6368" stroke-width="1.2" '
            f'marker-end="url(#end)"><title>{escape(parent)} → {escape(child)}</title></path>'
        )
    return drawn


def _drawn_box(box: Box, place: Placed, texts: list[str]) -> str:
    fill, line = _COLOURS.get(box.state.state, _PLAIN) if box.state else _PLAIN
    rows = "".join(
        f'<text x="{place.x + _PAD}" y="{place.y + _LINE * (at + 1) + 1}"'
        f"{_weight(at)}>{escape(text)}</text>"
        for at, text in enumerate(texts)
    )
    return (
        f'<g><rect x="{place.x}" y="{place.y}" width="{place.size.width}" '
        f'height="{place.size.height}" rx="6" fill="{fill}" stroke="{line}"/>{rows}</g>'
    )


def _weight(line: int) -> str:
    return ' font-weight="bold"' if line == 0 else ' fill="#3c4043"'
