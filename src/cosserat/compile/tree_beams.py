"""Beams of a tree as modal bodies: how many modes each has, of which kind, and where it has interfaces.

Each `Beam` becomes a modal body whose floating frame sits where the joint that leads to the ground is attached; without
such a joint, at the first place where something acts on it. Where it carries something elsewhere, static shapes for
that place belong to its modes: modes of a cantilever, which end without moment, converge badly there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cosserat.compile.loads import loaded_stations
from cosserat.compile.modal import modal_body
from cosserat.compile.reduction import BOUNDARIES
from cosserat.compile.spanning import Edge, Spanning
from cosserat.errors import ModelError
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.modal import ModalBody
from cosserat.model.modal_inertia import Interface
from cosserat.model.model import Model
from cosserat.model.nodes import stations_of
from cosserat.model.places import Place

_SAME = 1e-9


class Reduced(NamedTuple):
    """Elastic bodies of a tree."""

    bodies: dict[str, ModalBody]  # by name
    stations: dict[str, dict[str, float]]  # beam -> interface -> s

    def interface(self, place: Place | None) -> Interface | None:
        """What carries a place, None where it is on a rigid body; raises if no interface of a beam is there."""
        name = "" if place is None else place.owner.name
        if place is None or name not in self.bodies:
            return None
        if place.s is None:
            return None if place.interface is None else self.bodies[name].interfaces[place.interface]
        found = _at(self.stations[name], [place.s])
        if not found:
            raise ModelError(
                f"the place {place.label!r} is no interface of the modal body made of {name!r}, which has s = "
                f"{', '.join(f'{s:g}' for s in self.stations[name].values())}; a cs.Force there, be it zero, makes it "
                "one"
            )
        return self.bodies[name].interfaces[found[0]]


def reduced_beams(
    model: Model,
    spanning: Spanning,
    modes: Any,
    boundary: Any,
    stiffening: bool,
    stations: dict[str, list[float]] | None,
    call: str,
    like: dict[str, ModalBody] | None = None,
) -> Reduced:
    """The modal bodies of a model and its beams made into such; arguments as those of `Tree`.

    `stations`: further places on beams. `like`: what they were for nearly the same model, see `modal_body`.
    """
    _check_choices(call, model, modes=modes, boundary=boundary)
    checks.flag(call, "stiffening", stiffening)
    bodies = {body.name: body for body in model.modal_bodies}
    if not model.beams:
        return Reduced(bodies, {})
    used = stations_of(model, model.state_loads)
    apart = stations_of(model, [law for law in model.state_loads if not law.spread])  # of laws along beams nothing
    more = stations or loaded_stations(model, used)
    places = {name: _stations([*found, *more.get(name, [])]) for name, found in used.items()}
    above = {edge.outer: edge for edge in spanning.edges}
    for beam in model.beams:
        edge = above[spanning.group[beam.name]]
        count, kind = _choice(call, "modes", modes, beam), _choice(call, "boundary", boundary, beam)
        acting = _at(places[beam.name], apart[beam.name])
        near = None if like is None else like[beam.name]
        bodies[beam.name] = _reduced(call, beam, count, kind, stiffening, places[beam.name], edge, acting, near)
    return Reduced(bodies, places)


def _at(stations: dict[str, float], wanted: list[float]) -> tuple[str, ...]:
    """Names of the stations that are among those wanted."""
    return tuple(key for key, s in stations.items() if any(abs(s - at) <= _SAME for at in wanted))


def _stations(wanted: list[float]) -> dict[str, float]:
    """Interfaces by name: the ends, and what is wanted besides."""
    out = {"start": 0.0, "end": 1.0}
    for s in wanted:
        if all(abs(s - other) > _SAME for other in out.values()):
            out[f"station{len(out) - 1}"] = s
    return out


def _check_choices(call: str, model: Model, **choices: Any) -> None:
    beams = [beam.name for beam in model.beams]
    for argument, given in choices.items():
        for name in given if isinstance(given, dict) else ():
            if name in (body.name for body in model.modal_bodies):
                raise ModelError(f"{call}: {argument} names {name!r}, a modal body, which has modes of its own")
            if name not in beams:
                known = ", ".join(map(repr, beams)) or "none"
                raise ModelError(f"{call}: {argument} names {name!r}, which is no beam; beams of the model: {known}")


def _choice(call: str, argument: str, given: Any, beam: Beam) -> Any:
    """What was given for a beam, by itself or in a dictionary by beams."""
    if not isinstance(given, dict):
        return given
    if beam.name not in given:
        known = ", ".join(map(repr, given))
        raise ModelError(f"{call}: {argument} says nothing of the beam {beam.name!r}; it has {known}")
    return given[beam.name]


def _reduced(
    call: str,
    beam: Beam,
    modes: Any,
    boundary: Any,
    stiffening: bool,
    stations: dict[str, float],
    edge: Edge,
    acting: tuple[str, ...],
    like: ModalBody | None,
) -> ModalBody:
    if modes is None:
        raise ModelError(
            f"{call}: {beam.title}: pass modes=, the number of modes of each beam, such as modes=6; to an analysis, "
            "formulation=cs.Floating(modes=6)"
        )
    root = None
    if edge.joint is not None:
        s = (edge.joint.parent if edge.reverse else edge.joint.child).s
        assert s is not None
        root = _at(stations, [s])[0]
    elif acting:
        root = acting[0]  # modes of the free beam, which end without moment and shear force, converge badly there
    if boundary is None and root is None:
        boundary = "free"
    elif boundary is None:
        boundary = "craig-bampton" if set(acting) - {root} else "cantilever"
    if not isinstance(boundary, str) or boundary not in BOUNDARIES:
        raise ModelError(f"{call}: boundary is {boundary!r}; choose one of {', '.join(map(repr, BOUNDARIES))}")
    interfaces = {key: s for key, s in stations.items() if key not in ("start", "end")}
    return modal_body(
        beam, modes, boundary=boundary, root=root if boundary != "free" else None, interfaces=interfaces,
        stiffening=stiffening, static=acting, like=like,
    )  # fmt: skip
