"""Linearised runs: each map and whole sweeps against differences of runs, forwards against backwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm

import cosserat as cs
from cosserat.solve.linear.input_columns import CENTRAL
from cosserat.solve.sweeps import nodal_tape, tree_tape
from cosserat.solve.sweeps.nodal_run import NodalRun
from cosserat.solve.sweeps.protocol import Setting, backward_sweep
from cosserat.solve.sweeps.tree_run import TreeRun

pytestmark = pytest.mark.filterwarnings("ignore:redundant constraints")


def soft_arm() -> cs.Model:
    model = cs.Model("soft", gravity=(0, 0, -9.81))
    rod, steel = cs.Rod(0.01), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=3))
    stiffness = cs.Parameter("k", 20.0)
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=stiffness, damping=1.0))
    model.add(cs.Force("tip", beam.end, (0, 0, cs.Parameter("P", 3.0)), follower=True))
    return model


def pair() -> cs.Model:
    """Two bodies in flight, joined by a spring."""
    model = cs.Model("pair", gravity=(0, 0, -9.81))
    velocity = (1, 0, cs.Parameter("w", 2.0))
    one = cs.RigidBody.box("one", size=(0.1, 0.2, 0.3), mass=1.0, velocity=velocity, angular_velocity=(1, 2, 3))
    other = cs.RigidBody.box("other", size=(0.1, 0.1, 0.3), mass=1.0, com=(1, 0, 0))
    model.add(cs.Spring("s", model.add(one), model.add(other), stiffness=cs.Parameter("k", 50.0), length=0.8))
    return model


def loop() -> cs.Model:
    """A four-bar with a damper; Galilean constraints of a plane loop are redundant."""
    model = cs.Model("loop", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody.box("a", size=(1, 0.1, 0.1), mass=cs.Parameter("m", 1.0), com=(0.5, 0, 0)))
    b = model.add(cs.RigidBody.box("b", size=(0.1, 0.1, 1.0), mass=1.0, com=(1, 0, 0.5)))
    c = model.add(cs.RigidBody.box("c", size=(1, 0.1, 0.1), mass=1.0, com=(0.5, 0, 1)))
    hinges = [(cs.GROUND, a, (0, 0, 0)), (a, b, (1, 0, 0)), (b, c, (1, 0, 1)), (c, cs.GROUND, (0, 0, 1))]
    for k, (parent, child, at) in enumerate(hinges):
        damping = cs.Parameter("d", 0.3) if k == 0 else 0.0
        model.add(cs.Revolute(f"j{k}", parent, child, at=at, axis=(0, 1, 0), damping=damping))
    return model


def ball() -> cs.Model:
    """A ball joint and a hinge behind it."""
    model = cs.Model("ball", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody.box("a", size=(0.1, 0.2, 0.3), mass=cs.Parameter("m", 1.0), com=(0.5, 0, 0)))
    b = model.add(cs.RigidBody.box("b", size=(0.1, 0.1, 0.3), mass=1.0, com=(1, 0, 0)))
    model.add(cs.Spherical("s", cs.GROUND, a, at=(0, 0, 0), damping=cs.Parameter("d", 0.1)))
    model.add(cs.Revolute("r", a, b, at=(0.7, 0, 0), axis=(0, 1, 0)))
    return model


def recorded(model: cs.Model, asked: Setting) -> tuple[Any, Any]:
    """The run for sweeps, and a function that runs the model as it is with the same steps."""
    if asked.formulation == "floating":
        run = TreeRun(model, asked)

        def replayed(change: Any = None) -> Any:
            stepper, now = tree_tape.begun(model, asked, run.in_parts, change)
            for entry in run.tape:
                now = stepper.again(entry, now)
            return now

        return run, replayed
    nodal = NodalRun(model, asked)

    def again(change: Any = None) -> Any:
        work = nodal_tape.begun(model, asked, nodal.tape, change)
        for entry in nodal.tape:
            work.again(entry)
        return work.state

    return nodal, again


def forward_sweep(run: Any, names: Any = (), start: Any = None) -> Any:
    """Derivatives (N, p) of the last state by parameters; or, with changes (N, p) of the first state, along these."""
    change = run.start_columns(names) if start is None else np.asarray(start, dtype=float)
    for k in range(run.count):
        change = run.linear(k).forward(change, run.sources(k, names) if names else None)
    return change


ALPHA, KEEPING, EXPLICIT = "generalized-alpha", "energy-momentum", "runge-kutta"
CASES = [
    (soft_arm, "galilean", ALPHA, 0.01, {}),
    (pair, "galilean", ALPHA, None, {}),
    (arm, "galilean", ALPHA, 0.01, {}),
    (loop, "galilean", ALPHA, 0.01, {}),
    (loop, "galilean", ALPHA, None, {}),
    (pair, "galilean", KEEPING, 0.01, {}),
    (pair, "galilean", KEEPING, None, {}),
    (loop, "galilean", KEEPING, 0.01, {}),
    (soft_arm, "floating", ALPHA, 0.01, {"frames": cs.Floating(modes=2)}),
    (arm, "floating", ALPHA, 0.01, {}),
    (pair, "floating", ALPHA, None, {}),
    (ball, "floating", ALPHA, None, {}),
    (loop, "floating", ALPHA, 0.01, {}),
    (loop, "floating", ALPHA, None, {}),
    (loop, "floating", EXPLICIT, 0.01, {}),
    (ball, "floating", EXPLICIT, None, {}),
]


@pytest.mark.parametrize(("make", "formulation", "integrator", "step", "more"), CASES)
def test_parameters_of_whole_runs(make: Any, formulation: str, integrator: str, step: float | None, more: Any) -> None:
    """Derivatives of the last positions and velocities against differences of runs; forwards as backwards."""
    model = make()
    asked = Setting(0.2, step, integrator, rho=0.8, tolerance=1e-2, formulation=formulation, **more)
    run, again = recorded(model, asked)
    names = list(model.parameters)
    found = forward_sweep(run, names)
    moves = sum(count for _, count in run.initial_names())
    for part in (slice(0, moves), slice(moves, 2 * moves)):
        for j, name in enumerate(names):
            value, wanted = model.parameters[name], 0.0
            for i, weight in CENTRAL:
                model.set(**{name: value + 1e-3 * i * value})
                wanted = wanted + weight / (1e-3 * value) * run.difference(again(), run.last)[part]
            model.set(**{name: value})
            assert np.allclose(found[part, j], wanted, atol=1e-6 * np.abs(wanted).max(), rtol=0.0)
    gradient = np.concatenate((np.random.default_rng(3).normal(size=2 * moves), np.zeros(run.size - 2 * moves)))
    _, by_parameters, _ = backward_sweep(run, gradient, names)
    assert np.allclose(by_parameters, gradient @ found, rtol=1e-9, atol=1e-9 * np.abs(gradient @ found).max())


@pytest.mark.parametrize(("make", "formulation", "integrator", "step", "more"), CASES)
def test_each_map_and_its_transpose(
    make: Any, formulation: str, integrator: str, step: float | None, more: Any
) -> None:
    """Maps of a tape along random changes, and forwards against backwards: to rounding."""
    model, random = make(), np.random.default_rng(7)
    asked = Setting(0.1, step, integrator, rho=0.8, tolerance=1e-2, formulation=formulation, **more)
    run, _ = recorded(model, asked)
    work = run.stepper if formulation == "floating" else run.work
    moves = 2 * sum(count for _, count in run.initial_names())
    for k in sorted({0, 1, run.count // 2, run.count - 1}):
        entry, linear = run.tape[k], run.linear(k)
        sizes = run.sizes(entry.before)
        change = sizes / sizes[0] * random.normal(size=run.size)
        change[2 * moves :] = 0.0  # multipliers before a map are of no interest
        gradient = np.concatenate((random.normal(size=moves), np.zeros(run.size - moves)))
        after = linear.forward(change[:, None])[:, 0]
        before, _ = linear.backward(gradient)
        assert np.isclose(before @ change, gradient @ after, rtol=1e-9, atol=1e-9 * np.abs(gradient * after).max())
        wanted, eps = np.zeros(run.size), 1e-6
        for i, weight in CENTRAL:
            state = run.moved_state(entry.before, i * eps * change)
            if formulation == "floating":
                state = work.again(entry, state)
            else:
                work.put(state)
                work.again(entry)
                state = work.state
            wanted += weight / eps * run.difference(state, entry.after)
        for part in (slice(0, moves // 2), slice(moves // 2, moves)):
            assert np.allclose(after[part], wanted[part], atol=3e-6 * np.abs(wanted[part]).max(), rtol=0.0)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_transposed_solves(formulation: str) -> None:
    model, random = arm(), np.random.default_rng(5)
    run, _ = recorded(model, Setting(0.1, 0.01, formulation=formulation))
    step = next(run.linear(k) for k in range(run.count - 1, -1, -1) if run.is_step(k))
    sources = run.sources(run.count - 1, ["k", "P"])
    right = random.normal(size=sources.shape[0])
    free = step.solve(right)
    assert np.isclose(right @ step.solve(free, transposed=True), free @ step.solve(right), rtol=1e-8)
    alone = step.forward(np.zeros((run.size, 2)), sources)
    gradient = random.normal(size=run.size)
    assert np.allclose(step.backward(gradient)[1] @ sources, gradient @ alone, rtol=1e-8)


@pytest.mark.parametrize(("formulation", "integrator"), [
    ("galilean", ALPHA), ("galilean", KEEPING), ("floating", ALPHA), ("floating", EXPLICIT),
])  # fmt: skip
def test_initial_states_of_whole_runs(formulation: str, integrator: str) -> None:
    model = pair()
    run, again = recorded(model, Setting(0.2, 0.01, integrator, formulation=formulation))
    moves = sum(count for _, count in run.initial_names())
    change = np.random.default_rng(2).normal(size=2 * moves)
    found = forward_sweep(run, start=(run.initial_columns() @ change)[:, None])[: 2 * moves, 0]

    def changed(i: float) -> Any:
        if formulation == "floating":
            from cosserat.solve.sweeps.tree_run import changed as moved

            return moved(i * change.reshape(2, -1))
        full = np.concatenate((i * change, np.zeros(run.size - 2 * moves)))
        return lambda state: run.chart.move(state, full)

    wanted = sum(w / 1e-3 * run.difference(again(changed(1e-3 * i)), run.last) for i, w in CENTRAL)[: 2 * moves]
    assert np.allclose(found, wanted, atol=1e-7 * np.abs(wanted).max(), rtol=0.0)


def test_what_is_not_followed() -> None:
    with pytest.raises(cs.CosseratError, match="stresses of beams"):
        NodalRun(soft_arm(), Setting(0.02, 0.01, "energy-momentum"))
