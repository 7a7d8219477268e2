"""Modes, frequency responses and resonances asked for with what cannot be: located errors that say what to pass."""

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture
def model():
    out = cs.Model("arm", gravity=(0, 0, 0))
    body = out.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    out.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0), stiffness=10.0))
    out.add(cs.Force("push", "body", (0, 0, 0)))
    return out


@pytest.mark.parametrize("n", [0, -3, 2.5, "many", None, True])
def test_number_of_modes(model, n):
    with pytest.raises(cs.CosseratError, match=r"modes: n is .*whole number from 1"):
        cs.modes(model, n)


@pytest.mark.parametrize("wrong", ["model.yaml", None, 3])
def test_not_a_model(wrong):
    with pytest.raises(cs.CosseratError, match="is not a Model"):
        cs.modes(wrong)
    with pytest.raises(cs.CosseratError, match="is not a Model"):
        cs.frequency_response(wrong, "hinge", "body", [1.0])


def test_about_something_else(model):
    with pytest.raises(cs.CosseratError, match="about=3 is not understood"):
        cs.modes(model, about=3)


def test_a_state_that_is_not_an_equilibrium(model):
    model.add(cs.Force("pull", "body", (0, 5.0, 0)))
    with pytest.raises(cs.CosseratError, match=r"modes: the reference configuration is not an equilibrium: a force of"):
        cs.modes(model, about="reference")


def test_mode_that_was_not_computed(model):
    found = cs.modes(model)
    with pytest.raises(cs.CosseratError, match="there is no mode 7; 1 were computed"):
        found.shape(7, "body")
    with pytest.raises(cs.CosseratError, match="not a whole number"):
        found.shape("first", "body")
    with pytest.raises(cs.CosseratError, match="arm"):
        found.shape(0, "arm.end")


@pytest.mark.parametrize("frequencies", [[], [-1.0], [np.nan], "fast", [[1.0]], None])
def test_frequencies(model, frequencies):
    with pytest.raises(cs.CosseratError, match="frequency_response: frequencies="):
        cs.frequency_response(model, "hinge", "body", frequencies)


def test_method(model):
    with pytest.raises(cs.CosseratError, match="pass 'direct' or 'modal'"):
        cs.frequency_response(model, "hinge", "body", [1.0], method="magic")


def test_inputs_and_outputs(model):
    with pytest.raises(cs.CosseratError, match="nothing"):
        cs.frequency_response(model, "nothing", "body", [1.0])
    with pytest.raises(cs.CosseratError, match="nowhere"):
        cs.frequency_response(model, "hinge", "nowhere", [1.0])
    with pytest.raises(cs.CosseratError, match="no inputs"):
        cs.frequency_response(model, [], "body", [1.0])
    response = cs.frequency_response(model, "hinge", "body", [1.0])
    with pytest.raises(cs.CosseratError, match="output 'tip' is not one of those computed"):
        response.gain("tip")


def test_modal_response_of_a_follower_load():
    model = cs.Model("column", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 1], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("thrust", beam.end, (-5, 0, 0), follower=True))
    with pytest.raises(cs.CosseratError, match=r"not symmetric.*method='direct'"):
        cs.frequency_response(model, "beam.end.fy", "beam.end.y", [1.0], method="modal")
    assert np.isfinite(cs.frequency_response(model, "beam.end.fy", "beam.end.y", [1.0]).gain()[0])


@pytest.mark.parametrize("period", [0.0, -1.0, np.inf, np.nan, "slow", True])
def test_period(model, period):
    with pytest.raises(cs.CosseratError, match="resonances: period is"):
        cs.resonances(model, period)


def test_other_arguments_of_resonances(model):
    with pytest.raises(cs.CosseratError, match="harmonics is 0"):
        cs.resonances(model, 1.0, harmonics=0)
    with pytest.raises(cs.CosseratError, match="tolerance is -1"):
        cs.resonances(model, 1.0, tolerance=-1)
    with pytest.raises(cs.CosseratError, match="signal is 3"):
        cs.resonances(model, 1.0, signal=3)
    with pytest.raises(cs.CosseratError, match="signal failed with ZeroDivisionError"):
        cs.resonances(model, 1.0, signal=lambda t: 1 / 0)
    with pytest.raises(cs.CosseratError, match="already found"):
        cs.resonances(cs.modes(model), 1.0, time=2.0)


def test_mechanism_that_cannot_move():
    model = cs.Model("stuck", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Fixed("weld", cs.GROUND, body))
    found = cs.modes(model)
    assert len(found) == 0
    assert found.stable
    assert "0 modes" in repr(found)
    assert "Modes of 'stuck'" in found.summary()


@pytest.mark.parametrize("formulation", [None, "floating"])
def test_a_model_that_falls_is_named_as_such(formulation):
    """Beside a sound part, one that falls: analyses pass on what the equilibrium says of it."""
    model = cs.Model("two", gravity=(0, 0, -9.81))
    sound = model.add(cs.RigidBody("sound", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.12)))
    model.add(cs.Prismatic("p", cs.GROUND, sound, axis=(0, 0, 1), stiffness=10.0))
    falls = model.add(cs.RigidBody("falls", mass=1.0, com=(2, 0, 0), inertia=(0.1, 0.1, 0.12)))
    model.add(cs.Screw("s", cs.GROUND, falls, axis=(0, 0, 1), pitch=0.1, damping=0.2))
    calls = (lambda: cs.modes(model, 2, formulation=formulation), lambda: cs.linearize(model, formulation=formulation))
    for call in calls:
        with pytest.raises(cs.CosseratError, match=r"no equilibrium to linearise about.*joint 's' turns"):
            call()
