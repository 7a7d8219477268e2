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
    "resonances": {"period": 1.0, "harmonics": 3, "tolerance": 0.05, "signal": None, "n": 3},
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    out = cs.Model("arm", gravity=(0, 0, -9.81))
    body = out.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    out.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0), stiffness=10.0))
    return out


@pytest.mark.parametrize("name, argument", [(name, key) for name, options in CALLS.items() for key in options])
def test_nonsense(model, name, argument):
    messages = []
    for value in NONSENSE:
        try:
            getattr(cs, name)(model, **{**CALLS[name], argument: value})
        except cs.CosseratError as error:
            messages.append(str(error))
    assert len(messages) >= 14
    assert min(map(len, messages)) > 20


@pytest.mark.parametrize("name", [*CALLS, "trim", "continuation", "stability"])
@pytest.mark.parametrize("value", [None, "model.yaml", 3, [], {}])
def test_not_a_model(name, value):
    more = {"trim": (["T"],), "continuation": ("T", 0.0, 1.0), "stability": ("T", [0.0, 1.0])}.get(name, ())
    with pytest.raises(cs.CosseratError, match="is not a Model"):
        getattr(cs, name)(value, *more, **CALLS.get(name, {}))


def test_messages_name_the_call(model):
    with pytest.raises(cs.CosseratError, match=r"modes: time is nan; pass the time at which .* a finite number"):
        cs.modes(model, time=np.nan)
    with pytest.raises(cs.CosseratError, match=r"equilibrium: spin=\(1, 2\): pass three finite numbers"):
        cs.equilibrium(model, spin=(1, 2))
    run = cs.simulate(model, 0.1, 0.01)
    with pytest.raises(cs.CosseratError, match=r"linearize: the time of about=\(run, time\) is 'end'"):
        cs.linearize(model, about=(run, "end"))
