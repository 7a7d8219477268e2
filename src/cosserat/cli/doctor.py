"""``cosserat doctor``: is the installation sound, are the kernels compiled, are the numbers right?"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from cosserat import jit
from cosserat.cli.guard import NOT_FINISHED, Debug, console, guarded, titled_table

_PACKAGES = ("cosserat", "numpy", "scipy", "numba", "xarray", "h5netcdf", "matplotlib", "typer", "rich", "PyYAML")
_OPTIONAL = ("sympy", "sectionproperties", "scikit-fem", "control")


@guarded
def doctor(debug: Debug = False) -> None:
    """Show versions and machine, compile the kernels, check a few numbers; exit code 0 if all is well."""
    from cosserat.cli import kernels

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    grid.add_row("python", f"{platform.python_version()}, {sys.executable}")
    grid.add_row("packages", ", ".join(f"{name} {version}" for name in _PACKAGES if (version := _version(name))))
    optional = ", ".join(f"{name} {_version(name) or 'not installed'}" for name in _OPTIONAL)
    grid.add_row("optional", optional)
    processor = f"{os.cpu_count()} processors, {platform.machine()}"
    grid.add_row("machine", f"{platform.system()} {platform.release()}, {processor}")
    grid.add_row("cache", str(jit.cache_directory()))
    console.print(grid)

    if kernels.compiler_is_off():
        console.print("NUMBA_DISABLE_JIT is set: kernels run as plain Python, some hundred times slower")
    else:
        _prepare("kernels", "", lambda: kernels.warm() + kernels.warm("energy-momentum"))
        _prepare("kernels of floating runs", "flexible", kernels.warm_floating)

    table = titled_table("\nself-test", ("what", "expected", "got", "error", "allowed", ""), left=(0, 5))
    started = time.perf_counter()
    sound = True
    for check in CHECKS:
        result = check()
        sound = sound and result.passed
        mark = Text("ok", style="green") if result.passed else Text("WRONG", style="bold red")
        values = (f"{result.expected:.8g}", f"{result.got:.8g}", f"{result.error:.1e}", f"{result.allowed:.0e}")
        table.add_row(result.what, *values, mark)
    console.print(table)
    console.print(f"{time.perf_counter() - started:.1f} s")
    if not sound:
        console.print("[bold red]the numbers are wrong[/bold red]: please report the above")
        raise typer.Exit(NOT_FINISHED)
    console.print("[green]all is well[/green]")


def _prepare(what: str, folder: str, warm: Callable[[], float]) -> None:
    """Compile what is missing of a folder of kernels, and count what there was and what is new."""
    before = jit.compiled_names(folder)
    console.print(f"\n{len(before)} {what} are compiled")
    with console.status(f"compiling {what} that are missing"):
        seconds = warm()
    new = len(set(jit.compiled_names(folder)).difference(before))
    if new:
        console.print(f"{new} were missing, compiled now in {seconds:.1f} s")
    else:
        console.print(f"nothing was missing; all read from the cache in {seconds:.1f} s")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


class Check(NamedTuple):
    """One number that should come out, and what did."""

    what: str
    expected: float
    got: float
    allowed: float

    @property
    def error(self) -> float:
        """Absolute error."""
        return abs(self.got - self.expected)

    @property
    def passed(self) -> bool:
        """Whether the error is allowed; a number that is not finite never passes."""
        return self.error <= self.allowed


def pendulum() -> Check:
    """Angle after one second of a point-like pendulum released from the horizontal, by the Jacobi elliptic function."""
    from scipy.special import ellipj, ellipk

    import cosserat as cs

    L, g, t, inertia = 1.0, 9.81, 1.0, 1e-3
    model = cs.Model("pendulum", gravity=(0, 0, -g))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(L, 0, 0), inertia=inertia * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
    run = cs.simulate(model, duration=t, step=5e-4)
    k = math.sin(math.pi / 4)
    frequency = math.sqrt(g * L / (L * L + inertia))
    from_below = 2 * math.asin(k * ellipj(ellipk(k * k) - frequency * t, k * k)[0])
    expected = math.pi / 2 - from_below  # from the horizontal, positive downwards
    return Check("pendulum, angle after 1 s (rad)", expected, float(run.coordinate("pivot")[-1]), 1e-5)


def cantilever() -> Check:
    """Tip of a clamped beam under a small force: P L^3/(3 EI) + P L/(k GA), exact with one element."""
    import cosserat as cs

    L, P = 2.0, 1e-3
    steel = cs.materials.STEEL
    rod = cs.Rod(diameter=0.02)
    stiffness = rod.matrices(steel)[0]
    model = cs.Model("cantilever", gravity=(0, 0, 0))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=rod, material=steel, elements=1))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("pull", beam.end, (0, 0, P)))
    expected = P * L**3 / (3 * stiffness[4, 4]) + P * L / stiffness[2, 2]
    got = float(cs.equilibrium(model).position("beam.end")[2])
    return Check("cantilever, tip under a force (µm)", 1e6 * expected, 1e6 * got, 1e-8 * 1e6 * expected)


def circle() -> Check:
    """A moment 2 pi EI/L rolls a beam up into a circle; its tip comes back to the clamp."""
    import cosserat as cs

    L, EI = 1.0, 50.0
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, EI, EI, EI], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
    model = cs.Model("roll-up", gravity=(0, 0, 0))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("moment", beam.end, (0, 0, 2 * math.pi * EI / L)))
    tip = np.asarray(cs.equilibrium(model).position("beam.end"))
    return Check("beam rolled into a circle, gap (m)", 0.0, float(np.linalg.norm(tip)), 1e-9)


CHECKS: tuple[Callable[[], Check], ...] = (pendulum, cantilever, circle)
