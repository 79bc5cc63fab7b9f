"""Placed element: the rows or costs of a movement at nodes, between them, or where something lands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strut.engines.sparse_nlp import Element, Index, element
from strut.optimal.layout import Layout


def at(
    layout: Layout,
    name: str,
    nodes: Sequence[int] | Index,
    *,
    following: bool = False,
    place: str = "",
    **options: Any,
) -> Element:
    """Return an element used at nodes, or, if `following`, between each of them and the next; or at a named place."""
    here = np.asarray(nodes, dtype=np.intp)
    places = {
        "this": here,
        "next": here + 1 if following else here,
        "before": here - 1,
        "first": np.zeros_like(here),
        "last": np.full_like(here, layout.node_count - 1),
    }
    names = [place] if place else layout.node_names(here)
    return element(name, names, lambda kind, number: layout.index_of(kind, number, places), **options)


def at_impact(layout: Layout, name: str, number: int, **options: Any) -> Element:
    """Return an element of the impulses with which a phase begins."""
    start = np.array([layout.first_node[number]])
    places = {"this": start, "before": start - 1}

    def index_of(kind: str, entry: int) -> Index:
        if kind == "impulse":
            return layout.impulse[number][entry : entry + 1]
        return layout.index_of(kind, entry, places)

    return element(name, layout.node_names(start), index_of, **options)
