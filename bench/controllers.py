"""What a controller in the loop costs: per call beyond the user's own code, and per quantity it asks for.

``python -m bench.controllers`` prints CPU microseconds, the least of several runs.
"""

import time

import cosserat as cs

STEPS, STEP = 500, 1e-3


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
    """Other efforts at every call."""
    return {"joint0": t, "joint1": 2.0 * t, "joint2": -t}


def spent(model, formulation, controller):
    """CPU seconds of a run, without what it stores and reports at the end."""
    given = {"step": STEP, "every": STEPS, "formulation": formulation}
    run = cs.simulate(model, STEPS * STEP, controller=controller, **given)
    return run.stats["solve_seconds"]


def measure(formulation, repeats=5):
    """CPU microseconds: of a call, of a call that sets efforts, of a quantity of a joint and of a place."""
    model = arm()
    kinds = (None, nothing, efforts, coordinates, places)
    least = dict.fromkeys(kinds, float("inf"))
    for _ in range(repeats):  # interleaved: the machine may be busy now and then
        for kind in kinds:
            least[kind] = min(least[kind], spent(model, formulation, kind))
    per_call = 1e6 / STEPS
    return {
        "step": least[None] * per_call,
        "call": (least[nothing] - least[None]) * per_call,
        "call with efforts": (least[efforts] - least[None]) * per_call,
        "joint quantity": (least[coordinates] - least[nothing]) * per_call / 6.0,
        "place quantity": (least[places] - least[nothing]) * per_call / 6.0,
    }


if __name__ == "__main__":
    started = time.process_time()
    for formulation in ("galilean", "floating"):
        found = measure(formulation)
        print(formulation, ", ".join(f"{key} {value:.1f} us" for key, value in found.items()))
    print(f"{time.process_time() - started:.1f} s of CPU")
