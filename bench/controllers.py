"""What a controller in the loop costs: per call beyond the user's own code, and per quantity it asks for.

``python -m bench.controllers`` prints CPU microseconds, the least of several runs.
"""

import time

import numpy as np

import cosserat as cs

STEPS, STEP = 500, 1e-3
INTEGRATORS = {
    "galilean": ("generalized-alpha", "energy-momentum"),
    "floating": ("generalized-alpha", "runge-kutta"),
}
KINDS = tuple(
    (formulation, integrator, step)
    for formulation, known in INTEGRATORS.items()
    for integrator in known
    for step in (STEP, None)
)
"""Every integrator in both formulations, with equal and with adaptive steps."""


def arm():
    """Three rigid links with an effort in every joint."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    before = cs.GROUND
    for k in range(3):
        link = model.add(cs.RigidBody.bar(f"link{k}", (k, 0, 0), (k + 1, 0, 0), mass=1.0))
        model.add(cs.Revolute(f"joint{k}", before.at((k, 0, 0)), link.at((k, 0, 0)), axis=(0, 1, 0), effort=0.0))
        before = link
    return model


def nothing(t, state):
    """A controller that does nothing."""
    return None


def coordinates(t, state):
    """Six quantities of joints."""
    for k in range(3):
        state.coordinate(f"joint{k}")
        state.coordinate_rate(f"joint{k}")


def places(t, state):
    """Six quantities of places."""
    for k in range(3):
        state.position(f"link{k}")
        state.velocity(f"link{k}")


def efforts(t, state):
    """Other efforts at every call, so small that adaptive steps stay what they are."""
    return {"joint0": 1e-9 * t, "joint1": 2e-9 * t, "joint2": -1e-9 * t}


def plain(repeats=20):
    """CPU microseconds of Python alone: efforts of a controller, and an array of them. A measure of the machine."""
    least = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        for k in range(STEPS):
            np.array(list(efforts(STEP * k, None).values()))
        least = min(least, time.process_time() - begun)
    return 1e6 * least / STEPS


def spent(model, formulation, integrator, step, controller):
    """CPU seconds of a step, without what a run stores and reports at the end."""
    given = {"step": step, "every": STEPS, "formulation": formulation, "integrator": integrator, "tolerance": 1e-6}
    run = cs.simulate(model, STEPS * STEP, controller=controller, **given)
    return run.stats["solve_seconds"] / run.stats["steps"]


def measure(formulation, integrator, step, repeats=15):
    """CPU microseconds: of a call, of a call that sets efforts, of a quantity of a joint and of a place."""
    model = arm()
    kinds = (None, nothing, efforts, coordinates, places)
    least = dict.fromkeys(kinds, float("inf"))
    for _ in range(repeats):  # interleaved: the machine may be busy now and then
        for kind in kinds:
            least[kind] = min(least[kind], spent(model, formulation, integrator, step, kind))
    return {
        "step": 1e6 * least[None],
        "call": 1e6 * (least[nothing] - least[None]),
        "call with efforts": 1e6 * (least[efforts] - least[None]),
        "joint quantity": 1e6 * (least[coordinates] - least[nothing]) / 6.0,
        "place quantity": 1e6 * (least[places] - least[nothing]) / 6.0,
    }


if __name__ == "__main__":
    started = time.process_time()
    for formulation, integrator, step in KINDS:
        found = measure(formulation, integrator, step)
        steps = "equal" if step else "adaptive"
        print(formulation, integrator, steps, ", ".join(f"{key} {value:.1f} us" for key, value in found.items()))
    print(f"{time.process_time() - started:.1f} s of CPU")
