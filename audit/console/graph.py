"""The graph on a memory's page: what its names are tied to, drawn on the server."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory.index.graph import Edge, Graph, graph_of
from memory.index.links import SPEAKER, named
from memory.models import LinkRole, Memory, Scope

# A ring of more names than this cannot be read; the list beside it has as many.
MOST = 14
WIDTH, HEIGHT = 640, 320
# A Chinese character takes about the room of two Latin letters.
_ROOM = 18
_MARGIN = 24
ROLES = {LinkRole.VALUE: _("value"), LinkRole.LINK: _("link")}


@dataclass(frozen=True)
class Node:
    """A name at its place in the drawing; `address` lists the memories that have it. `is_own`:
    this memory has it."""

    name: str
    shown: str
    x: int
    y: int
    label_y: int
    address: str
    is_own: bool


@dataclass(frozen=True)
class Tie:
    """An edge with its ends; `what` is the attribute, or how it is named."""

    source: Node
    target: Node
    what: Any
    address: str
    is_own: bool


@dataclass(frozen=True)
class Drawing:
    nodes: tuple[Node, ...]
    ties: tuple[Tie, ...]
    is_cut: bool
    width: int = WIDTH

    @property
    def top(self) -> int:
        """Where the picture begins: above a name or two there would be much empty room."""
        return min(min(node.y, node.label_y) for node in self.nodes) - _MARGIN

    @property
    def height(self) -> int:
        return max(max(node.y, node.label_y) for node in self.nodes) + _MARGIN - self.top


def drawn(scope: Scope, memory: Memory) -> Drawing | None:
    """What is tied to the names of a memory; None where nothing is. The speaker is not followed."""
    keys = [name for name, _role in named(memory) if name != SPEAKER]
    if not keys or not memory.user_id:
        return None
    graph = graph_of(scope.narrow(memory.user_id), keys, most=MOST)
    if not graph.edges:
        return None
    nodes = _placed(graph, [key for key in keys if _is_tied(key, graph)], memory.user_id)
    ties = tuple(_tie(edge, nodes, memory) for edge in graph.edges)
    return Drawing(tuple(nodes.values()), ties, graph.is_cut)


def _is_tied(key: str, graph: Graph) -> bool:
    return any(key in (edge.source, edge.target) for edge in graph.edges)


def _placed(graph: Graph, own: Sequence[str], user_id: str) -> dict[str, Node]:
    """The memory's own names on an inner ring, or one in the middle; the others around them."""
    around = [key for key in graph.nodes if _is_tied(key, graph) and key not in own]
    inner = 0.0 if len(own) == 1 else 0.4
    places = {key: _on_ring(place, len(own), inner) for place, key in enumerate(own)}
    places |= {key: _on_ring(place, len(around), 0.9) for place, key in enumerate(around)}
    return {
        key: Node(
            graph.nodes[key], _short(graph.nodes[key]), x, y, y + (-12 if y < HEIGHT / 2 else 22),
            f"{reverse('memories')}?{urlencode({'entity': graph.nodes[key], 'user_id': user_id})}",
            key in own,
        )
        for key, (x, y) in places.items()
    }  # fmt: skip


def _on_ring(place: int, size: int, radius: float) -> tuple[int, int]:
    """A point of an ellipse with room for a label above or below it; the first is at the left."""
    angle = math.pi + 2 * math.pi * place / max(size, 1)
    x = WIDTH / 2 + radius * (WIDTH / 2 - 70) * math.cos(angle)
    y = HEIGHT / 2 + radius * (HEIGHT / 2 - 24) * math.sin(angle)
    return round(x), round(y)


def _short(name: str) -> str:
    room = 0
    for place, char in enumerate(name):
        room += 1 if char.isascii() else 2
        if room > _ROOM:
            return name[:place] + "…"
    return name


def _tie(edge: Edge, nodes: dict[str, Node], memory: Memory) -> Tie:
    return Tie(
        nodes[edge.source],
        nodes[edge.target],
        edge.attribute or ROLES[LinkRole(edge.role)],
        reverse("memory", args=[edge.memory_id]),
        edge.memory_id == memory.public_id,
    )
