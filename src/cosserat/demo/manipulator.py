"""The two-link manipulator of [Grazioso17] section IV, with rigid and flexible arms.

Both arms lie along x and are 1.5 m long, rings of aluminium alloy 6061 with diameters 27 and 30 mm; the first joint
turns about z at the origin and goes once around in 2 pi seconds, the second turns about z and is free; gravity acts
across the plane of motion; the start is at rest, without strain.
"""

from __future__ import annotations

import math
from typing import Any

from cosserat.errors import ModelError
from cosserat.model import GROUND, Beam, Material, Model, Parameter, Revolute, RigidBody, Tube

VARIANTS: dict[str, tuple[str, int]] = {
    "RR": ("RR", 1),
    "RF": ("RF", 1),
    "FR": ("FR", 1),
    "FF": ("FF", 1),
    "FF2": ("FF", 2),
    "FF5": ("FF", 5),
    "FF10": ("FF", 10),
}
"""Name -> (which arms are flexible, elements of each flexible arm), in the order of [Grazioso17] Table II."""

DURATION = 2.0 * math.pi
"""Time in which the first joint goes once around (s)."""

_RIGID_TIP = "arm2.at(3, 0, 0)"

PUBLISHED_SECONDS: dict[float, dict[str, float]] = {
    1e-3: {"RR": 149.12, "RF": 175.96, "FR": 167.47, "FF": 156.09, "FF2": 169.05, "FF5": 176.11, "FF10": 198.41},
    1e-2: {"RR": 14.26, "RF": 15.64, "FR": 15.71, "FF": 15.46, "FF2": 17.18, "FF5": 19.04, "FF10": 21.86},
    1e-1: {"RR": 1.75, "RF": 1.65, "FR": 1.57, "FF": 1.76, "FF2": 1.87, "FF5": 1.96, "FF10": 2.30},
}
"""[Grazioso17] Table II: step (s) -> variant -> computational time (s), Intel Core i7-4910MQ."""

CONVERGED_TIP = (-2.58525, 1.04812, 0.00036)
"""Tip of FF at t = pi, converged in space and time with an independent strain-mode solver (m)."""

_LENGTH = 1.5


def two_link_arm(variant: str = "FF", *, actuated: bool = False) -> Model:
    """Model of one variant of the manipulator.

    Parameters
    ----------
    variant : str
        ``RR, RF, FR, FF`` (R: rigid, F: flexible with one element), ``FF2``, ``FF5``, ``FF10``.
    actuated : bool
        Not as published: both joints have a motor whose torque a controller sets, zero without one, a little viscous
        friction (0.02 N m s/rad), and a brake, released: the parameter ``brake`` is its stiffness (N m/rad); the arms
        have a little internal damping (Kelvin-Voigt time 0.1 ms).

    Returns
    -------
    Model
        With the arms ``arm1`` and ``arm2`` and the joints ``shoulder`` and ``elbow``.

    Examples
    --------
    >>> from cosserat.demo import two_link_arm
    >>> [type(two_link_arm("RF")[name]).__name__ for name in ("arm1", "arm2")]
    ['RigidBody', 'Beam']
    """
    if variant not in VARIANTS:
        raise ModelError(f"two-link arm: unknown variant {variant!r}; variants: {', '.join(VARIANTS)}")
    kinds, elements = VARIANTS[variant]
    model = Model(f"two-link {variant}", gravity=(0.0, 0.0, -9.81))
    ends = [_add_arm(model, k, kind, elements, 1e-4 if actuated else 0.0) for k, kind in enumerate(kinds)]
    z = (0.0, 0.0, 1.0)
    motor: dict[str, Any] = {"effort": 0.0, "damping": 0.02, "stiffness": Parameter("brake", 0.0)} if actuated else {}
    model.add(Revolute("shoulder", GROUND, ends[0][0], axis=z, **(motor or {"motion": "t - sin(t)"})))
    model.add(Revolute("elbow", ends[0][1], ends[1][0], axis=z, **motor))
    return model


def tip(variant: str) -> str:
    """Text of the place at the end of the second arm."""
    return "arm2.end" if VARIANTS[variant][0][1] == "F" else _RIGID_TIP


def _add_arm(model: Model, k: int, kind: str, elements: int, damping: float) -> tuple[Any, Any]:
    """Add arm k (0 or 1), rigid or flexible; returns its two ends."""
    # The shear factor of a thin ring is 0.5.
    ring = Tube(outer_diameter=0.030, inner_diameter=0.027, shear_factor=0.5)
    alloy = Material(E=68.9e9, nu=0.33, rho=2700.0, damping=damping, name="aluminium alloy 6061")
    name, start, end = f"arm{k + 1}", (k * _LENGTH, 0.0, 0.0), ((k + 1) * _LENGTH, 0.0, 0.0)
    if kind == "F":
        beam = model.add(Beam(name, points=[start, end], section=ring, material=alloy, elements=elements))
        return beam.start, beam.end
    bar = model.add(RigidBody.bar(name, start, end, section=ring, material=alloy))
    return bar.at(start), bar.at(end)
