"""Values of any type in any argument of an analysis: an answer or a located error, never NumPy's own."""

import numpy as np
import pytest

import cosserat as cs

NONSENSE = [None, "x", 3, -1, np.nan, np.inf, [], {}, (1, 2), object(), np.zeros((2, 2)), b"x", True, [np.nan] * 3,
            ["a"] * 3, 1j, abs, [None], np.array([1.0, np.nan]), "nothing"]  # fmt: skip
STATE = {"time": 0.0, "spin": None, "center": (0, 0, 0)}
CALLS = {
    "equilibrium": {"tolerance": 1e-12, "start": None, **STATE},
    "modes": {"n": 3, "about": None, "damped": None, **STATE},
    "linearize": {"inputs": "hinge", "outputs": "body", "about": None, "modes": None, "drive": "position", **STATE},
    "frequency_response": {
        "inputs": "hinge", "outputs": "body", "frequencies": [1.0], "method": "direct", "n": 5, "about": None, **STATE,
    },
    "continuation": {
        "parameter": "P", "start": 0.0, "stop": 1.0, "step": 0.5, "max_step": 0.5, "max_steps": 2, "until": None,
        "switch": None, "direction": 1, "mode": 0, "tolerance": 1e-11, **STATE,
    },
    "trim": {
        "unknowns": ["P"], "hold": None, "targets": None, "require_stable": False, "start": None, "tolerance": 1e-10,
        **STATE,
    },
    "stability": {"parameter": "P", "values": [0.0, 1.0], "n": 2, "about": None, **STATE},
    "stability_map": {"ranges": {"P": [0.0, 1.0], "k": [9.0, 10.0]}, "n": 2, "about": None, **STATE},
    "campbell": {
        "spins": [0.0, 1.0], "axis": (0, 0, 1), "center": (0, 0, 0), "n": 2, "orders": (1,), "about": None, "time": 0.0,
    },
    "resonances": {"period": 1.0, "harmonics": 3, "tolerance": 0.05, "signal": None, "n": 3},
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    out = cs.Model("arm", gravity=(0, 0, -9.81))
    body = out.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    out.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0), stiffness=cs.Parameter("k", 10.0)))
    out.add(cs.Torque("twist", body, (0, 0, cs.Parameter("P", 0.0))))
    return out


@pytest.mark.parametrize("name, argument", [(name, key) for name, options in CALLS.items() for key in options])
def test_nonsense(model, name, argument):
    messages = []
    for value in NONSENSE:
        if callable(value) and argument == "until":
            continue  # what a function raises is its own affair
        try:
            getattr(cs, name)(model, **{**CALLS[name], argument: value})
        except cs.CosseratError as error:
            messages.append(str(error))
    assert len(messages) >= 14
    assert min(map(len, messages)) > 20


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("value", [None, "model.yaml", 3, [], {}])
def test_not_a_model(name, value):
    with pytest.raises(cs.CosseratError, match="is not a Model"):
        getattr(cs, name)(value, **CALLS[name])


def test_messages_name_the_call(model):
    with pytest.raises(cs.CosseratError, match=r"modes: time is nan; pass the time at which .* a finite number"):
        cs.modes(model, time=np.nan)
    with pytest.raises(cs.CosseratError, match=r"equilibrium: spin=\(1, 2\): pass three finite numbers"):
        cs.equilibrium(model, spin=(1, 2))
    with pytest.raises(cs.CosseratError, match=r"frequency_response: frequencies=1e\+300 cannot be used; .* below 1e"):
        cs.frequency_response(model, "hinge", "body", 1e300)
    run = cs.simulate(model, 0.1, 0.01)
    with pytest.raises(cs.CosseratError, match=r"linearize: the time of about=\(run, time\) is 'end'"):
        cs.linearize(model, about=(run, "end"))


ZERO = np.zeros(1)
RELATIVE = {
    "inverse_dynamics": {"q": ZERO, "v": ZERO, "a": ZERO, "t": 0.0},
    "forward_dynamics": {"q": ZERO, "v": ZERO, "tau": ZERO, "t": 0.0},
    "hybrid_dynamics": {"q": ZERO, "v": ZERO, "t": 0.0},
    "constrained_dynamics": {"q": ZERO, "v": ZERO, "tau": ZERO, "t": 0.0},
    "composed_vectors": {"q": ZERO, "v": ZERO, "tau": ZERO, "t": 0.0},
    "jacobian": {"place": "body", "q": ZERO, "frame": "world"},
    "jacobian_rate": {"place": "body", "q": ZERO, "v": ZERO, "frame": "world"},
}


@pytest.mark.parametrize("name", RELATIVE)
def test_nonsense_in_relative_coordinates(model, name):
    messages = []
    for argument in RELATIVE[name]:
        for value in NONSENSE:
            try:
                getattr(cs, name)(model, **{**RELATIVE[name], argument: value})
            except cs.CosseratError as error:
                messages.append(str(error))
    assert min(map(len, messages)) > 12
    for value in (None, "model.yaml", 3, [], np.zeros((2, 2))):
        with pytest.raises(cs.CosseratError, match="expected a Model"):
            getattr(cs, name)(value, **RELATIVE[name])


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_nonsense_asked_of_a_run(model, formulation):
    run = cs.simulate(model, 0.02, 0.01, formulation=formulation)
    for value in NONSENSE:
        with pytest.raises(cs.CosseratError, match=r"(?s)there is no .* quantities: "):
            run.quantity(value, "body")
        for ask in (run.velocity, run.angular_velocity, run.acceleration):
            with pytest.raises(cs.CosseratError, match=r"(?s)frame is .* pass 'world' or 'body'"):
                ask("body", frame=value)
