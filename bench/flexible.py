"""Time the recursions of flexible trees: chains of elastic links, against the assembled equations.

Every link has a joint and four modes. "assembled" is the mass matrix, the bias and their solution by LAPACK, which
grows with the cube of the number of links. A second table has an arm of rigid bodies by both texts of the recursions:
by that of rigid links (`kernels/recursion`) and by the general one (`kernels/flexible`), whose links have no modes
here; the ratio is why the first stands apart. CPU time of one thread, the least of several turns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import cosserat as cs

LENGTHS = (10, 30, 100, 300, 1000)
ASSEMBLED = 300  # links up to which the assembled equations are timed
DERIVATIVES = 30
MODES = 4


def chain(n: int) -> cs.Model:
    """Hinged elastic links in a row, all alike."""
    section = cs.Rectangle(width=0.02, height=0.03)
    beam = cs.Beam("link", points=[(0, 0, 0), (0.5, 0, 0)], section=section, material=cs.materials.ALUMINIUM_6061,
                   elements=4)  # fmt: skip
    pattern = cs.modal_body(beam, modes=MODES)
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    end = cs.GROUND
    for k in range(n):
        body = model.add(
            cs.ModalBody(
                f"link{k}", pattern.inertia, pattern.stiffness, pattern.damping, pattern.interfaces,
                position=pattern.frame[:3, 3] + (0.5 * k, 0, 0), rotation=pattern.frame[:3, :3],
                stiffening=pattern.stiffening,
            )
        )  # fmt: skip
        model.add(cs.Revolute(f"joint{k}", end, body.at("start"), axis=((0, 0, 1), (0, 1, 0))[k % 2]))
        end = body.at("end")
    return model


def rigid_arm(n: int) -> cs.Model:
    """Hinged rigid bars in a row."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    end = cs.GROUND
    for k in range(n):
        bar = model.add(cs.RigidBody.bar(f"bar{k}", (0.5 * k, 0, 0), (0.5 * k + 0.5, 0, 0), mass=1.0))
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        model.add(cs.Revolute(f"joint{k}", end, bar.at((0.5 * k, 0, 0)), axis=axis, damping=0.1))
        end = bar.at((0.5 * k + 0.5, 0, 0))
    return model


def both_texts(n: int, turns: int, states: int = 1000) -> dict[str, tuple[float, float]]:
    """Microseconds of calls on an arm of n rigid bars, by the text of rigid links and by the general one."""
    model = rigid_arm(n)
    rng = np.random.default_rng(1)
    q, v, tau = rng.normal(size=(3, n))
    stack = rng.normal(size=(states, n))
    driven = (np.arange(n) % 2).astype(float)
    found: list[dict[str, float]] = []
    for tree in (cs.Tree(model), cs.FlexibleTree(model)):
        calls: dict[str, Callable[[], object]] = {
            "inverse dynamics": lambda tree=tree: tree.inverse_dynamics(q, v, tau),
            "forward dynamics": lambda tree=tree: tree.forward_dynamics(q, v, tau),
            "hybrid dynamics": lambda tree=tree: tree.hybrid_dynamics(q, v, driven, tau),
            "mass matrix": lambda tree=tree: tree.mass_matrix(q),
            "inverse derivatives": lambda tree=tree: tree.inverse_dynamics_derivatives(q, v, tau),
            "forward derivatives": lambda tree=tree: tree.forward_dynamics_derivatives(q, v, tau),
            "Jacobian of a place": lambda tree=tree: tree.jacobian(f"bar{n - 1}", q),
            "kinematics": lambda tree=tree: tree.forward_kinematics(q, v, tau),
            "coordinate rates": lambda tree=tree: tree.coordinate_rates(q, v),
            f"forward, each of {states}": lambda tree=tree: tree.forward_dynamics(stack, stack, stack),
        }
        found.append({name: 1e6 * least(call, turns) for name, call in calls.items()})
        found[-1][f"forward, each of {states}"] /= states
    return {name: (found[0][name], found[1][name]) for name in found[0]}


def least(call: Callable[[], object], turns: int, seconds: float = 5e-3) -> float:
    """Return the least CPU time of a call (s), every turn long enough for the clock."""
    call()
    start = time.process_time()
    call()
    count = max(1, int(seconds / max(time.process_time() - start, 1e-6)))
    best = math.inf
    for _ in range(turns):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - start) / count)
    return best


def measure(n: int, turns: int) -> dict[str, Any]:
    """Return microseconds of every call on a chain of n links."""
    tree = cs.FlexibleTree(chain(n))
    size = len(tree.coordinates)
    rng = np.random.default_rng(1)
    scale = np.where(np.arange(size) < n, 0.3, 1e-4)
    q, v, tau = rng.normal(size=size) * scale, rng.normal(size=size) * scale, np.zeros(size)
    a = tree.forward_dynamics(q, v, tau)
    again = tree.forward_dynamics(q, v, tree.inverse_dynamics(q, v, a))
    assert np.abs(again - a).max() < 1e-10 * np.abs(a).max()
    record: dict[str, Any] = {
        "links": n,
        "coordinates": size,
        "inverse_dynamics": 1e6 * least(lambda: tree.inverse_dynamics(q, v, a), turns),
        "forward_dynamics": 1e6 * least(lambda: tree.forward_dynamics(q, v, tau), turns),
    }
    if n <= ASSEMBLED:
        few = max(1, turns // 10)
        record["mass_matrix"] = 1e6 * least(lambda: tree.mass_matrix(q), few)
        record["assembled"] = 1e6 * least(
            lambda: np.linalg.solve(tree.mass_matrix(q), tau - tree.bias(q, v)), few
        )  # fmt: skip
    if n <= DERIVATIVES:
        record["derivatives"] = 1e6 * least(lambda: tree.forward_dynamics_derivatives(q, v, tau), max(1, turns // 10))
    return record


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time the recursions of flexible trees.")
    parser.add_argument("--turns", type=int, default=40, help="turns of each call, the least counts (default 40)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)
    records = [measure(n, options.turns) for n in LENGTHS]
    columns = {
        "links": "links", "coordinates": "coordinates", "inverse_dynamics": "inverse\ndynamics",
        "forward_dynamics": "forward\ndynamics", "mass_matrix": "mass\nmatrix", "assembled": "assembled\nforward",
        "derivatives": "forward\nderivatives",
    }  # fmt: skip
    title = f"Elastic links with {MODES} modes each: CPU µs per call"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for column in (*columns.values(), "forward, ns per\nlink and mode", "assembled\nover forward"):
        table.add_column(column, justify="right")
    for record in records:
        cells = [f"{record[key]:.0f}" if key in record else "-" for key in columns]
        each = 1e3 * record["forward_dynamics"] / (record["links"] * MODES)
        ratio = f"{record['assembled'] / record['forward_dynamics']:.1f}" if "assembled" in record else "-"
        table.add_row(*cells, f"{each:.0f}", ratio)
    console.print(table)
    table = Table(title="An arm of 7 rigid bars: CPU µs per call", title_justify="left", box=SIMPLE_HEAD)
    for column in ("call", "rigid links", "general", "general over rigid"):
        table.add_column(column, justify="right")
    for name, (rigid, general) in both_texts(7, max(1, options.turns // 4)).items():
        table.add_row(name, f"{rigid:.2f}", f"{general:.2f}", f"{general / rigid:.1f}")
    console.print(table)
    long = [record for record in records if record["links"] >= 100]
    for key in ("inverse_dynamics", "forward_dynamics"):
        slope = np.polyfit(np.log([r["links"] for r in long]), np.log([r[key] for r in long]), 1)[0]
        met = "met" if slope <= 1.1 else "MISSED"
        console.print(f"{key}: log-log slope from 100 links on {slope:.2f}, target <= 1.1 {met}")
    if options.json:
        options.json.write_text(json.dumps(records, indent=1))


if __name__ == "__main__":
    main()
