"""Linear models asked for what cannot be: the message names the item, says what is wrong and what exists."""

import re

import numpy as np
import pytest

import cosserat as cs
from cosserat.demo import two_link_arm
from cosserat.errors import CosseratError


def model():
    """A beam with a payload on a driven joint."""
    m = cs.Model("arm", gravity=(0, 0, -9.81))
    beam = m.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=2)
    )
    ball = m.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    m.add(cs.Revolute("drive", cs.GROUND, beam.start, axis=(0, 1, 0), motion=0.0))
    m.add(cs.Fixed("grip", beam.end, ball))
    m.add(cs.Force("tip", ball, (0, 0, cs.Parameter("P", 0.0))))
    m.add(cs.Wrench("both", ball, (0, 0, 1, 0, 1, 0)))
    return m


BAD = {
    "unknown input": (dict(inputs="elbow"), "unknown input 'elbow'; joints: 'drive', 'grip'; loads: 'tip', 'both'"),
    "unknown body": (dict(inputs="arm.end.fz"), "'arm.end.fz': unknown body 'arm'"),
    "unknown frame": (dict(inputs="rod.middle.fz"), "frames of 'rod'"),
    "unknown freedom": (dict(inputs="drive.x"), "joint 'drive': no freedom 'x'; its freedoms: rz"),
    "place without a component": (dict(inputs="rod.end"), "say which force at the place: 'rod.end.fx'"),
    "fixed joint": (dict(inputs="grip"), "joint 'grip' is fixed"),
    "load of zero": (dict(inputs="tip"), "load 'tip': it is zero at this point"),
    "load in two ways": (dict(inputs="both"), "has a force and a moment"),
    "component of a load": (dict(inputs="tip.z"), "no component 'z'; components: fx, fy, fz, mx, my, mz"),
    "not a name": (dict(inputs=[3]), "3 is neither a name nor a part of the model"),
    "number": (dict(inputs=3), "names or lists of names"),
    "twice": (dict(inputs=["tip.fz", "tip.fz"]), "the input 'tip.fz' is asked for twice"),
    "foreign parameter": (dict(inputs=cs.Parameter("Q", 1.0)), "nothing in the model depends on the parameter 'Q'"),
    "unknown output": (dict(outputs="elbow"), "unknown output 'elbow'; joints: 'drive', 'grip'; bodies: 'ball', 'rod'"),
    "unknown word": (dict(outputs="drive.speed"), "joint 'drive' has no 'speed'; it has: rz, coordinate, rate"),
    "strain of a ball": (dict(outputs="ball.strain"), "'ball' is not a beam and has no strain"),
    "coordinate of a weld": (dict(outputs="grip"), "joint 'grip' is fixed and has no coordinate"),
    "somewhere on a beam": (dict(outputs="rod"), "frames of 'rod'"),
    "beyond the beam": (dict(outputs="rod.at(1.5)"), "rod"),
    "improper velocity": (dict(inputs="drive", outputs="ball.velocity"), "pass drive='acceleration'"),
    "improper reaction": (dict(inputs="drive", outputs="drive.effort"), "follows the acceleration of the prescribed"),
    "drive": (dict(inputs="drive", drive="speed"), "drive is 'speed'; pass 'position' or 'acceleration'"),
    "about": (dict(about=3.0), "about=3.0 is not understood"),
}


@pytest.mark.parametrize("case", BAD)
def test_message(case):
    options, words = BAD[case]
    with pytest.raises(CosseratError, match=re.escape(words)):
        cs.linearize(model(), **options)


def test_reference_that_is_not_an_equilibrium():
    """The payload hangs at the end of a beam that the reference configuration shows straight."""
    with pytest.raises(CosseratError, match=r"not an equilibrium: a force of [\d.]+ N is left unbalanced at"):
        cs.linearize(model(), about="reference")


def test_equilibrium_of_other_parameters():
    m = model()
    rest = cs.equilibrium(m)
    m.set(P=20.0)
    # the weld could pass half of the 20 N on to the beam's end
    with pytest.raises(CosseratError, match=r"a force of 10 N is left unbalanced at 'ball'.*call equilibrium again"):
        cs.linearize(m, about=rest)


def test_equilibrium_of_another_model():
    with pytest.raises(CosseratError, match="other bodies, beams or joints"):
        cs.linearize(model(), about=cs.equilibrium(two_link_arm("RR", actuated=True)))


def test_time_outside_the_run():
    m = model()
    run = cs.simulate(m, duration=0.1, step=0.01)
    with pytest.raises(CosseratError, match=r"no state near t = 3 s; it goes from 0 to 0.1 s"):
        cs.linearize(m, about=(run, 3.0))


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_time_between_stored_states(formulation):
    """Whoever gets another moment than the one asked for is told."""
    m = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bar = m.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    m.add(cs.Revolute("hinge", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 1, 0)))
    run = cs.simulate(m, duration=0.1, step=0.01, formulation=formulation)
    with pytest.warns(cs.CosseratWarning, match=r"no state at t = 0.033 s; the nearest is taken, at t = 0.03 s"):
        cs.linearize(m, about=(run, 0.033), formulation=formulation)
    cs.linearize(m, about=(run, 3 * 0.01), formulation=formulation)


@pytest.mark.parametrize("analysis", [cs.equilibrium, cs.linearize, cs.modes])
def test_center_without_spin(analysis):
    with pytest.raises(CosseratError, match=r"center=\(1, 0, 0\) is a point on the axis of a rotation; pass spin="):
        analysis(model(), center=(1, 0, 0))


def test_spin_with_gravity_across_the_axis():
    with pytest.raises(CosseratError, match=r"gravity .* is not along the axis of rotation"):
        cs.linearize(model(), spin=(1, 0, 0))


def test_nothing_can_move():
    m = cs.Model("block")
    block = m.add(cs.RigidBody("block", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    m.add(cs.Fixed("glue", cs.GROUND, block))
    with pytest.raises(CosseratError, match="the joints allow no motion"):
        cs.linearize(m)


def test_motion_without_inertia():
    m = cs.Model("beam without rotary inertia about its axis", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 10, 10, 10], mass=[1, 1, 1, 0, 0, 0])
    beam = m.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=2))
    m.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    with pytest.raises(CosseratError, match="some motion has no inertia"):
        cs.linearize(m)


def test_state_of_a_steady_rotation():
    m = cs.Model("turntable")
    body = m.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    m.add(cs.Revolute("pivot", cs.GROUND, body, axis=(1, 0, 0), stiffness=1.0))
    linear = cs.linearize(m, spin=(0, 0, 1.0))
    with pytest.raises(CosseratError, match="only for a model about an equilibrium"):
        linear.state(cs.simulate(m, duration=0.1, step=0.01))


@pytest.mark.filterwarnings("ignore::cosserat.errors.CosseratWarning")
@pytest.mark.parametrize("overdriven", [True, False])
def test_motion_that_a_loop_does_not_allow(overdriven):
    """A parallelogram with both cranks prescribed: one cannot move alone."""
    m = cs.Model("parallelogram")
    corners = [(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)]
    steel = {"section": cs.Rod(0.05), "material": cs.materials.STEEL}
    bars = [m.add(cs.RigidBody.bar(f"bar{i}", corners[i], corners[i + 1], **steel)) for i in range(3)]
    z = (0, 0, 1)
    m.add(cs.Revolute("A", cs.GROUND, bars[0].at(corners[0]), axis=z, motion=0.0))
    m.add(cs.Revolute("B", bars[0].at(corners[1]), bars[1].at(corners[1]), axis=z))
    m.add(cs.Revolute("C", bars[1].at(corners[2]), bars[2].at(corners[2]), axis=z))
    m.add(cs.Revolute("D", cs.GROUND, bars[2].at(corners[3]), axis=z, motion=0.0 if overdriven else None))
    hook = m.add(cs.RigidBody("hook", mass=1.0, com=(1, 1, 0), inertia=np.eye(3)))
    m.add(cs.Prismatic("slot", bars[1], hook, at=(1, 1, 0), axis=(0, 1, 0), stiffness=10.0))
    if overdriven:
        with pytest.raises(CosseratError, match="input 'A': the other joints of its loop, prescribed too"):
            cs.linearize(m, inputs="A")
    else:
        gain = cs.linearize(m, inputs="A", outputs=["D", "hook.x"]).transfer(0.0)
        np.testing.assert_allclose(gain[:, 0], [1.0, -1.0], atol=1e-9)


def test_a_moving_loop_in_floating_frames():
    """The message says what is offered instead."""
    m = cs.Model("four-bar", gravity=(0, -9.81, 0))
    corners = [(0, 0, 0), (0.3, 0.4, 0), (1.3, 0.9, 0), (1.2, 0, 0)]
    held = cs.GROUND.at(corners[0])
    for k in range(3):
        bar = m.add(cs.RigidBody.bar(f"bar{k}", *corners[k : k + 2], mass=1.0))
        joint = cs.Spherical("ball", held, bar.at(corners[k])) if k == 2 else None
        m.add(joint or cs.Revolute(f"hinge{k}", held, bar.at(corners[k]), axis=(0, 0, 1)))
        held = bar.at(corners[k + 1])
    m.add(cs.Cylindrical("hinge3", held, cs.GROUND.at(corners[3]), axis=(0, 0, 1)))
    run = cs.simulate(m, 0.02, 0.001, formulation="floating")
    with pytest.raises(CosseratError, match=r"closed loops can be linearised .* steady .* formulation='galilean'"):
        cs.linearize(m, "hinge0", about=(run, 0.02), formulation="floating")


NONSENSE = {
    "frequency as text": (lambda linear: linear.transfer("2 Hz"), "transfer: s is '2 Hz'; pass finite"),
    "no frequency": (lambda linear: linear.transfer(float("nan")), "transfer: s is nan; pass finite"),
    "eigenvalue": (lambda linear: linear.transfer([1j, 0.0]), "transfer: s is an eigenvalue of the model"),
    "response there": (lambda linear: linear.response(0.0), "response: s is an eigenvalue of the model"),
    "modes as text": (lambda linear: linear.reduce("all"), "reduce: 'all' is not a choice among the 1 modes"),
    "half a mode": (lambda linear: linear.reduce([0.5]), "reduce: [0.5] is not a choice among the 1 modes"),
    "state of a model": (lambda linear: linear.state(free()), "is neither a Run nor an Equilibrium"),
    "state of nothing": (lambda linear: linear.state(None), "state: None is neither a Run nor an Equilibrium"),
}


def free():
    """A body on a rail, with the eigenvalue zero."""
    m = cs.Model("rail")
    body = m.add(cs.RigidBody("body", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    m.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    return m


@pytest.mark.parametrize("case", NONSENSE)
def test_nonsense_asked_of_a_linear_model(case):
    ask, words = NONSENSE[case]
    with pytest.raises(CosseratError, match=re.escape(words)):
        ask(cs.linearize(free(), "rail", "rail"))
