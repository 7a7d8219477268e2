"""Controllers in the loop: what their state answers is what a run answers, and what it costs."""

import numpy as np
import pytest
from bench.controllers import KINDS, arm, measure, plain

import cosserat as cs
from cosserat.solve.motion.commands import push
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.motion.walk import Walk

QUESTIONS = ("position", "rotation", "velocity", "angular_velocity")
BOTH = ("galilean", "floating")
IDS = [f"{formulation}-{integrator}-{'equal' if step else 'adaptive'}" for formulation, integrator, step in KINDS]


def mechanism():
    """One joint of every kind, with a beam at the end."""
    model = cs.Model("many", gravity=(0.3, -0.2, -9.81))
    kinds = [
        (cs.Revolute, {"axis": (0, 1, 0)}), (cs.Prismatic, {"axis": (1, 1, 0)}),
        (cs.Universal, {"axes": np.eye(3)[:2]}),
        (cs.Cylindrical, {"axis": (0, 0, 1)}), (cs.Planar, {"normal": (0, 0, 1)}), (cs.Spherical, {}),
    ]  # fmt: skip
    before = cs.GROUND
    for k, (kind, given) in enumerate(kinds):
        body = model.add(cs.RigidBody.bar(f"b{k}", (k, 0, 0), (k + 1, 0.1, 0), mass=1.0))
        place = (k, 0, 0)
        model.add(kind(f"j{k}", before.at(place), body.at(place), **given))
        before = body
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(0, 3, 0)))
    model.add(cs.Revolute("driven", cs.GROUND, ball, axis=(0, 0, 1), at=(0, 2, 0), motion="4*t"))
    beam = model.add(cs.Beam("beam", points=[(6, 0, 0), (7, 0, 0)], section=cs.Rod(0.02), elements=4,
                             material=cs.materials.STEEL))  # fmt: skip
    model.add(cs.Revolute("last", before.at((6, 0, 0)), beam.start, axis=(0, 1, 0), effort=0.0))
    return model


@pytest.mark.parametrize("formulation", BOTH)
def test_answers_are_those_of_a_run(formulation):
    places = ["b0", "b3", "b5.at(5.5, 0.3, 0.1)", "beam.end", "beam.at(0.5)", "ground", "ball"]
    if formulation == "galilean":
        places.append("beam.at(0.3)")
    joints = [*(f"j{k}" for k in range(6)), "j3.rz", "j4.y", "driven", "last"]
    worst, kept = [0.0], []

    def controller(t, state):
        for name in joints:
            for word in ("coordinate", "coordinate_rate"):
                quick, slow = getattr(state, word)(name), getattr(state.run, word)(name)
                assert quick.shape == slow.shape
                worst.append(float(np.abs(np.asarray(quick) - slow.values).max()))
        for place in places:
            for word in QUESTIONS:
                quick, slow = getattr(state, word)(place), getattr(state.run, word)(place)
                assert np.array_equal(quick.values, np.asarray(quick))
                assert quick.shape == slow.shape
                worst.append(float(np.abs(np.asarray(quick) - slow.values).max()))
            own = state.velocity(place, frame="body") - state.run.velocity(place, frame="body").values
            worst.append(float(np.abs(own).max()))
        assert state.time.tolist() == [t]
        assert state.reaction("j0").shape == (1, 6)
        kept.append((t, state, np.asarray(state.position("beam.end")).copy()))
        return {"last": 0.1}

    controller.period = 0.02
    given = {} if formulation == "galilean" else {"formulation": formulation, "modes": 2}
    assert cs.simulate(mechanism(), 0.1, step=0.005, controller=controller, **given).status.ok
    assert max(worst) < 1e-11
    for t, state, position in kept:  # a state that was kept stays what it was
        assert state.time[0] == t
        assert np.abs(np.asarray(state.position("beam.end")) - position).max() < 1e-12
    with pytest.raises(cs.CosseratError, match="unknown joint 'knee'"):
        kept[0][1].coordinate("knee")


def test_unknown_names_are_located_errors_of_the_controller():
    for word, wrong, text in (("coordinate", "knee", "unknown joint 'knee'"), ("position", "hand", "'hand'")):

        def controller(t, state, word=word, wrong=wrong):
            if t > 0.0:
                getattr(state, word)(wrong)

        with pytest.warns(cs.CosseratWarning, match=text):
            run = cs.simulate(mechanism(), 0.1, step=0.01, controller=controller)
        assert "controller" in run.status.message


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_a_controller_costs_microseconds(kind):
    """A call, one with new efforts, a quantity: in times of a small piece of Python, which takes 0.6 us here.

    Both are timed in turn, since machines change their speed; quiet ones need three quarters of these bounds.
    """
    bounds = {"call": 18.0, "call with efforts": 24.0, "joint quantity": 8.0, "place quantity": 8.0}
    best = dict.fromkeys(bounds, np.inf)
    for _ in range(6):
        unit, found = plain(), measure(*kind, repeats=2)
        best = {key: min(best[key], found[key] / unit) for key in bounds}
        if all(best[key] < bound for key, bound in bounds.items()):
            break
    for key, bound in bounds.items():
        assert best[key] < bound, key


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_windows_of_inputs_give_the_same_motion(kind):
    """Efforts that change at every step, a load that jumps and a prescribed motion: as with one step at a time."""

    def build():
        model = cs.Model("m", gravity=(0, 0, -9.81))
        a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
        b = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=1.0))
        model.add(cs.Revolute("drive", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion="0.5*sin(3*t)"))
        model.add(cs.Revolute("elbow", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), effort=0.0))
        model.add(cs.Force("push", b, ["5*step(t, 0.3)", 0, 0]))
        return model

    def controller(t, state):
        return {"elbow": np.sin(20 * t)}

    formulation, integrator, step = kind
    given = {"step": step, "formulation": formulation, "integrator": integrator}
    if step is None:
        controller.period, given["tolerance"] = 1e-3, 1e-6
    whole = cs.simulate(build(), 0.8, controller=controller, **given)
    model = build()
    model.swap(cs.Revolute("elbow", "a.at(1, 0, 0)", "b.at(1, 0, 0)", axis=(0, 1, 0), effort="sin(20*t)"))
    smooth = cs.simulate(model, 0.8, **given)
    apart = whole.position("b").values[-1] - smooth.position("b").values[-1]
    assert float(np.abs(apart).max()) < 3e-4  # held efforts lag by half a step


@pytest.mark.parametrize("motion", [None, "0.5*sin(3*t)"])
@pytest.mark.parametrize("period", [None, 0.01, 0.05])
def test_adaptive_steps_between_calls_are_those_taken_one_by_one(motion, period, monkeypatch):
    """A compiled step with the jump of efforts in it, and several where no call is due, are as good as plain ones."""
    model = cs.Model("m", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=1.0))
    model.add(cs.Revolute("drive", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("elbow", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), effort=1.0))

    def controller(t, state):
        return {"elbow": 3.0 * np.sin(20 * t) - float(state.coordinate_rate("elbow")[-1])} if t > 0.1 else None

    if period is not None:
        controller.period = period

    def run(tolerance):
        return cs.simulate(model, 0.5, controller=controller, tolerance=tolerance)

    def error(run):
        there = [np.interp(run.time, fine.time, x) for x in fine.position("b").values.T]
        return np.abs(run.position("b").values.T - there).max()

    fine, quick = run(1e-7), run(1e-4)
    monkeypatch.setattr(Integration, "judged", lambda self, t, *rest: push(self, t) or Walk.judged(self, t, *rest))
    assert error(quick) < 1.2 * error(run(1e-4))
    assert period is None or error(quick) < 1e-4


@pytest.mark.parametrize("period", [None, 0.01])
@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_a_look_at_the_state_between_steps_changes_nothing(kind, period, tmp_path):
    """A checkpoint after every call lets accelerations jump at once, not with a step that may be taken back."""
    formulation, integrator, step = kind
    given = {"step": step, "tolerance": 1e-5, "formulation": formulation, "integrator": integrator}

    def controller(t, state):
        q, rate = float(state.coordinate("joint1")[-1]), float(state.coordinate_rate("joint1")[-1])
        return {"joint1": 5 * (0.3 - q) - 0.5 * rate, "joint2": 0.1 * np.sin(50 * t)}

    controller.get_state, controller.set_state = lambda: None, lambda state: None
    if period is not None:
        controller.period = period
    plain = cs.simulate(arm(), 0.15, controller=controller, **given)
    seen = cs.simulate(arm(), 0.15, controller=controller, checkpoint=tmp_path / "c", checkpoint_interval=0.0, **given)
    assert np.array_equal(plain.time, seen.time)
    assert np.array_equal(plain.position("link2"), seen.position("link2"))
