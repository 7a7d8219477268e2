"""Compiled kernels seen from the command line: are they there, and if not, compile them and say so."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from cosserat.cli.guard import console
from cosserat.jit import cache_directory, compiled_names, mute

if TYPE_CHECKING:
    import cosserat as cs

LAST = {"generalized-alpha": "integrate.advance", "energy-momentum": "conserving.evaluate"}
"""Integrator -> the kernel that is compiled last (the second needs what the first needs, too)."""

_LAST_FLOATING = {"flexible.explicit.explicit_step", "flexible.record.record_states"}

_ANNOUNCEMENT = "compiling kernels, once per installation, {} ..."


def compiler_is_off() -> bool:
    """Whether kernels run as plain Python."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def ready(integrator: str = "generalized-alpha") -> bool:
    """Whether nothing has to be compiled for `simulate` and `equilibrium`."""
    names = compiled_names("")
    return compiler_is_off() or all(LAST[key] in names for key in {"generalized-alpha", integrator})


def floating_ready() -> bool:
    """Whether nothing has to be compiled for runs in floating frames, which start with the engine's kernels."""
    return compiler_is_off() or (ready() and _LAST_FLOATING <= set(compiled_names("flexible")))


def warm(integrator: str = "generalized-alpha") -> float:
    """Compile, or read from the cache, what `simulate` and `equilibrium` need; returns the seconds it took."""
    import cosserat as cs
    from cosserat.demo import two_link_arm

    mute()
    started = time.perf_counter()
    model = two_link_arm("RF")
    cs.simulate(model, duration=0.02, step=0.01, integrator=integrator).report()
    if integrator == "generalized-alpha":
        cs.simulate(model, duration=0.01)
        cs.simulate(two_link_arm("FF"), duration=6.0, step=0.4)  # far too large: needs the line search
        cs.equilibrium(_clamped())
    return time.perf_counter() - started


def warm_floating() -> float:
    """Compile, or read from the cache, what runs in floating frames need; returns the seconds it took."""
    import cosserat as cs

    mute()
    started = time.perf_counter()
    model = _clamped()
    settings: dict[str, Any] = {"duration": 2e-4, "step": 1e-4, "formulation": "floating", "modes": 1}
    cs.simulate(model, **settings)
    _ = cs.simulate(model, integrator="runge-kutta", **settings).energy
    model.add(cs.Spherical("prop", cs.GROUND, model.place("beam.end")))  # a loop
    cs.simulate(model, **settings)
    return time.perf_counter() - started


def prepare(integrator: str = "generalized-alpha", formulation: str = "galilean") -> None:
    """Compile what is missing, and announce it."""
    floating = formulation == "floating"
    if floating_ready() if floating else (integrator not in LAST or ready(integrator)):
        return
    console.print(_ANNOUNCEMENT.format("about a minute" if floating else "under a minute"))
    with console.status("compiling"):
        seconds = warm_floating() if floating else warm(integrator)
    console.print(f"compiled in {seconds:.0f} s; kept in {cache_directory()}\n", soft_wrap=True)


def _clamped() -> cs.Model:
    import cosserat as cs

    model = cs.Model("clamped", gravity=(0, 0, -9.81))
    strip, steel = cs.Rectangle(width=0.03, height=0.01), cs.materials.STEEL  # needs more kernels than a rod
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=strip, material=steel, elements=2))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model
