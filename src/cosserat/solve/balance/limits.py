"""Servos that are at their limit where no equilibrium was found."""

from __future__ import annotations

import numpy as np

from cosserat.results.equilibrium import Equilibrium


def at_limits(found: Equilibrium, time: float) -> str:
    """The servos at their limit in a configuration, with what they ask for, in words; or ''."""
    model, words = found.trajectory.compiled.model, []
    for servo in model.servos:
        if not np.isfinite(servo.limit):
            continue
        joint, index = servo.find(model)
        q = float(np.atleast_1d(np.asarray(found.coordinate(joint.name)))[index])
        asked = servo.kp * (float(servo.target.sample([time])[0]) - q)
        if abs(asked) >= servo.limit * (1.0 - 1e-9):
            unit = "N" if joint.freedoms[index].kind == "translation" else "N m"
            words.append(f"{servo.title} asks for {asked:.4g} {unit}, and its limit is {servo.limit:.4g} {unit}")
    return "; ".join(words)
