"""Drawings of graphs and their runs: for the terminal, as Mermaid, DOT and SVG.

A graph always gives the same picture. A state is shown by an icon and a word; colour only repeats
it.
"""

from collections.abc import Callable, Mapping

from rota.rules.graphs.drawing.dot import draw_dot
from rota.rules.graphs.drawing.mermaid import draw_mermaid
from rota.rules.graphs.drawing.picture import GraphPicture, NodeState, picture
from rota.rules.graphs.drawing.svg import draw_svg
from rota.rules.graphs.drawing.text import draw_text

FORMATS: Mapping[str, Callable[[GraphPicture], str]] = {
    "text": draw_text,
    "mermaid": draw_mermaid,
    "dot": draw_dot,
    "svg": draw_svg,
}

__all__ = [
    "FORMATS",
    "NodeState",
    "Picture",
    "draw_dot",
    "draw_mermaid",
    "draw_svg",
    "draw_text",
    "picture",
]
