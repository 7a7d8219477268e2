"""What results say of fluids and of laws that own states: their states, the work of the fluid, energy in wakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.compile.state_loads import motions_of
from cosserat.errors import CosseratError
from cosserat.lie.protocol import Array
from cosserat.model.fluid_loads import FluidLoad
from cosserat.results.monitors import integrate
from cosserat.results.nodal import power_of_law

if TYPE_CHECKING:
    from cosserat.results.motion import Motion
    from cosserat.results.trajectory import Trajectory


def fluid_energies(trajectory: Trajectory, motion: Motion) -> dict[str, Array]:
    """Work (nt,) of the loads of fluids, and energy (nt,) in the lags of wakes; nothing where there are none.

    A lag y' = (V/b)(w - b_i y) whose force is ½ρ c a V A_i b_i y takes from a motion w the energy ¼ρ c a b A_i b_i y²,
    which it gives back, and dissipates the rest: its part of the work of the fluid that is not lost.
    """
    loads = motion.mechanism.system.state_loads
    if not len(loads.node):
        return {}
    try:
        compiled = trajectory.compiled
    except CosseratError:
        return {}  # a file without its model
    chosen = [k for k, law in enumerate(compiled.laws) if isinstance(law.load, FluidLoad)]
    if not chosen:
        return {}
    power, wake, inner = np.zeros(len(motion.time)), np.zeros(len(motion.time)), motion.states.inner
    for k in chosen:
        power += power_of_law(motion, k)
        load = compiled.laws[k].load
        if load.states and inner is not None and inner.shape[1]:
            frames = motions_of(compiled, k, motion.frame, motion.twist)[0][:, 0]
            own = inner[:, loads.inner[k] : loads.inner[k + 1]]
            rows = zip(motion.time, frames, own, strict=True)
            wake += np.array([load.wake_energy(float(t), frame, states) for t, frame, states in rows])
    return {"fluid": integrate(motion.time, power), "wake": wake}
