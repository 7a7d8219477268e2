"""The range of the modal form: what deflections, rotation rates and numbers of modes it bears, and words beyond."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.comparison import Finding, JointDifference, PlaceDifference
from cosserat.results.deflection import Bending

# With displacements of second order the error of a deflection is about the square of (deflection / length), without
# about (deflection / length) itself: in both cases a per cent or so at the limit.
STIFFENED, PLAIN = True, False
LARGEST_DEFLECTION = {STIFFENED: 0.1, PLAIN: 0.02}  # relative to the length
LARGEST_ROTATION = {STIFFENED: 0.2, PLAIN: 0.04}  # rad
# Without stiffening a rotation takes (rate / first frequency)^2 off the stiffness instead of adding to it; with it the
# shapes at rest are less and less those of the beam in rotation.
LARGEST_RATE = {STIFFENED: 2.0, PLAIN: 0.05}  # relative to the first angular frequency
LARGEST_SHARE = 0.01  # of the deflection: differences beyond which the two do not agree, errors beyond which modes miss

LARGEST_REACTION = 0.2  # share of a reaction, root mean square, from which it is another one
LARGEST_ENERGY = 0.05  # of the energy exchanged: difference of strain energies from which they are others
_HELPS = 0.7  # part of a difference that is left, at most, where more modes help
_UPPER_ENERGY = 0.1  # share of the strain energy in the upper half of the modes


class ElasticBody(NamedTuple):
    """What the range of one beam depends on."""

    bending: Bending
    rate: float  # largest angular velocity, rad/s
    frequency: float  # first frequency, Hz


def of_bodies(bodies: dict[str, ElasticBody], stiffening: bool) -> list[Finding]:
    """Deflections and rotation rates that are too large."""
    found = []
    for name, body in bodies.items():
        found += _deflection(name, body.bending, stiffening) + _rate(name, body, stiffening)
    return found


def _deflection(name: str, bending: Bending, stiffening: bool) -> list[Finding]:
    limit, turn = LARGEST_DEFLECTION[stiffening], LARGEST_ROTATION[stiffening]
    share = bending.deflection / bending.length
    if share <= limit and bending.rotation <= turn:
        return []
    which = f"{100 * share:.3g} % of its length, and its sections turn by {bending.rotation:.2g} rad"
    remedy = "take the Galilean formulation"
    if not stiffening and share <= LARGEST_DEFLECTION[STIFFENED] and bending.rotation <= LARGEST_ROTATION[STIFFENED]:
        remedy = "take stiffening=True, which knows how a bent beam shortens"
    with_without = "with" if stiffening else "without"
    text = (
        f"beam {name!r} is bent too far: {which}; modes {with_without} displacements of second order hold up to "
        f"{100 * limit:g} % and {turn:g} rad; {remedy}"
    )
    return [Finding("deflection", text, max(share / limit, bending.rotation / turn) * limit, limit)]


def _rate(name: str, body: ElasticBody, stiffening: bool) -> list[Finding]:
    if body.frequency <= 0.0:
        return []
    ratio, limit = body.rate / (2.0 * np.pi * body.frequency), LARGEST_RATE[stiffening]
    if ratio <= limit:
        return []
    fast = f"beam {name!r} turns at {body.rate:.3g} rad/s, {ratio:.3g} times its first angular frequency"
    if stiffening:
        text = f"{fast}; the shapes at rest are no longer those of the rotating beam: take more modes"
    elif ratio >= 1.0:
        text = (
            f"{fast}, without stiffening: the centrifugal force is then stronger than the stiffness of its modes, and "
            "it flies apart where the true beam grows stiffer; take stiffening=True"
        )
    else:
        text = (
            f"{fast}, without stiffening: rotation then softens the beam where in truth it stiffens it; take "
            "stiffening=True"
        )
    return [Finding("rotation rate", text, ratio, limit)]


def of_modes(places: dict[str, PlaceDifference], scale: float) -> list[Finding]:
    """Places that move when the number of modes is doubled."""
    moving = {
        name: place.mode_error
        for name, place in places.items()
        # where more modes do not bring the two nearer, something else keeps them apart, such as the length of the step
        if place.mode_error is not None and (place.left is None or place.left < _HELPS * place.difference)
    }
    if not moving or scale <= 0.0:
        return []
    name = max(moving, key=lambda key: moving[key])
    share = moving[name] / scale
    if share <= LARGEST_SHARE:
        return []
    text = (
        f"too few modes: with twice as many, {name!r} moves by {moving[name]:.3g} m, {100 * share:.3g} % of the "
        "largest deflection; take more, or static shapes where loads act (boundary='craig-bampton')"
    )
    return [Finding("truncated modes", text, share, LARGEST_SHARE)]


def of_energy(shares: dict[str, Array], apart: float) -> list[Finding]:
    """Strain energy in the upper half of the modes of a beam, where positions differ by a share `apart` of deflections.

    A hint only, where no run with more modes tells.
    """
    out = []
    for name, share in shares.items():
        upper = float(share[len(share) // 2 :].sum())
        if apart > LARGEST_SHARE and len(share) > 1 and upper > _UPPER_ENERGY:
            text = (
                f"the upper half of the modes of {name!r} holds {100 * upper:.3g} % of its strain energy: those left "
                "out would hold some too; take more"
            )
            out.append(Finding("truncated modes", text, upper, _UPPER_ENERGY))
    return out


def unexplained(places: dict[str, PlaceDifference], scale: float) -> list[Finding]:
    """A difference that neither a limit nor the length of the step explains."""
    if not places or scale <= 0.0:
        return []
    name = max(places, key=lambda key: places[key].difference)
    place = places[name]
    share = place.difference / scale
    if share <= LARGEST_SHARE or (place.step_error is not None and place.difference < 5.0 * place.step_error):
        return []
    text = (
        f"the positions of {name!r} differ by {place.difference:.3g} m, {100 * share:.3g} % of the largest deflection, "
        "though no limit of the modal form was passed; try more modes and a smaller step"
    )
    return [Finding("unexplained", text, share, LARGEST_SHARE)]


def of_reactions(joints: dict[str, JointDifference]) -> list[Finding]:
    """Reactions that differ though positions do not: forces on a stiff part need modes that hardly move."""
    worst, text = 0.0, ""
    for name, joint in joints.items():
        for word, share, step in (
            ("force", joint.force_share, joint.force_step),
            ("moment", joint.moment_share, joint.moment_step),
        ):
            if np.isnan(share) or np.isnan(step) or share <= 5.0 * step:  # the step may be the reason
                continue
            size = joint.force if word == "force" else joint.moment
            largest = max(j.force if word == "force" else j.moment for j in joints.values())
            if share > worst and size >= 0.1 * largest:
                worst = share
                text = (
                    f"the reaction {word} of joint {name!r} differs by {100 * share:.3g} % (root mean square), though "
                    "positions agree; take more modes"
                )
    return [Finding("reactions", text, worst, LARGEST_REACTION)] if worst > LARGEST_REACTION else []


def of_strain_energy(apart: dict[str, float], scale: float, step_error: float | None) -> list[Finding]:
    """Strain energies that differ though positions do not."""
    strain = apart.get("strain", 0.0)
    if step_error is None or scale <= 0.0 or strain <= max(LARGEST_ENERGY * scale, 5.0 * step_error):
        return []
    share = strain / scale
    text = f"the strain energies differ by {100 * share:.3g} % of the energy exchanged; take more modes"
    return [Finding("strain energy", text, share, LARGEST_ENERGY)]
