"""Names of coordinates in formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cosserat.errors import SolveError
from cosserat.model.algebra import sp


class Names(NamedTuple):
    """Symbols of a mechanism."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    a: tuple[sp.Symbol, ...]
    tau: tuple[sp.Symbol, ...]


def coordinate_names(coordinates: Sequence[str], names: Any, parameters: Mapping[str, sp.Symbol], call: str) -> Names:
    """Symbols of coordinates, under the names that a user chooses or those of the model."""
    chosen = [re.sub(r"\W", "_", name) for name in coordinates]
    if isinstance(names, Mapping):
        for key in names:
            if key not in coordinates:
                raise SolveError(f"{call}: names has no coordinate {key!r}; coordinates: {', '.join(coordinates)}")
        chosen = [str(names.get(c, d)) for c, d in zip(coordinates, chosen, strict=True)]
    elif names is not None:
        if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != len(coordinates):
            raise SolveError(
                f"{call}: names is {names!r}; pass one name for each of the {len(coordinates)} coordinates "
                f"({', '.join(coordinates)}), or a dict by coordinate"
            )
        chosen = [str(name) for name in names]
    for name in chosen:
        if chosen.count(name) > 1 or name in parameters or name == "t" or not name.isidentifier():
            what = "a parameter's name" if name in parameters else "the time's" if name == "t" else "not a free name"
            raise SolveError(
                f"{call}: the coordinate {coordinates[chosen.index(name)]!r} is called {name!r} in formulas, which is "
                f"{what}; choose another with names={{{coordinates[chosen.index(name)]!r}: 'q1'}}"
            )
    return Names(*(
        tuple(sp.Symbol(pattern.format(name)) for name in chosen) for pattern in ("{}", "{}_dot", "{}_ddot", "tau_{}")
    ))  # fmt: skip
