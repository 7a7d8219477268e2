"""The smallest mechanism that still fails, and a file of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import cosserat as cs

from .mechanism import Mechanism, Part, build
from .outcomes import outcome

DROPPED = ("friction", "effort", "damping", "stiffness", "motion", "length", "moment", "curve")


def shrink(relation: str, mechanism: Mechanism, result: str) -> Mechanism:
    """Drop parts, then details of parts, as long as the relation ends with the same result."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _simpler(mechanism):
            if candidate.bodies and outcome(relation, candidate)[0] == result:
                mechanism, smaller = candidate, True
                break
    return mechanism


def _simpler(mechanism: Mechanism) -> Iterator[Mechanism]:
    for part in reversed(mechanism.parts):
        yield mechanism.without(part)
    if any(mechanism.gravity):
        yield replace(mechanism, gravity=(0.0, 0.0, 0.0))
    for part in mechanism.parts:
        for given in _plainer(part):
            yield replace(mechanism, parts=tuple(given if p is part else p for p in mechanism.parts))


def _plainer(part: Part) -> Iterator[Part]:
    given = part.given
    for key in DROPPED:
        if key in given and not (part.kind in ("Spring", "Damper") and key in ("stiffness", "damping")):
            yield replace(part, given={k: v for k, v in given.items() if k != key})
    if any(given.get("velocity", ())) or any(given.get("spin", ())):
        yield part.but(velocity=[0.0] * 3, spin=[0.0] * 3)
    if part.kind == "Beam":
        if len(given["section"]) > 1:
            yield part.but(section=given["section"][:1])
        if given["section"][0][0] == "Section":
            yield part.but(section=[("Rod", {"diameter": given["section"][0][1]["width"]})])
        if given["elements"] > 1:
            yield part.but(elements=1)
        if given["material"][3]:
            yield part.but(material=(*given["material"][:3], 0.0))
    if part.kind == "Spring" and given["damping"]:
        yield part.but(damping=0.0)
    if part.kind == "RigidBody" and any(given["turn"]):
        yield part.but(turn=[0.0] * 3)
    if given.get("follower"):
        yield part.but(follower=False)
    for key in ("vector", "force"):
        if key in given:
            for k in range(3):
                if given[key][k] != 0.0:
                    yield part.but(**{key: [0.0 if j == k else f for j, f in enumerate(given[key])]})


def model_file(mechanism: Mechanism) -> str:
    """The mechanism as a model file (YAML)."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.yaml"
        cs.save_model(build(mechanism), path)
        return path.read_text()


def explain(relation: str, mechanism: Mechanism) -> str:
    """What failed, of the smallest mechanism that fails in the same way, with its file."""
    result, sentence = outcome(relation, mechanism)
    small = shrink(relation, mechanism, result)
    return (
        f"{relation} of {mechanism.name}: {result}: {sentence}\n"
        f"The smallest that fails so: {outcome(relation, small)[1]}\n{model_file(small)}"
    )
