"""Outputs of linear models as derivatives of what results answer: every kind of row, and quantities of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm

import cosserat as cs
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.errors import SolveError
from cosserat.kernels.arrays import History
from cosserat.kernels.residual import track_angles
from cosserat.lie import se3
from cosserat.results.run import Run
from cosserat.results.trajectory import Trajectory
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.output_rows import rows_of
from cosserat.solve.linear.point import OperatingPoint
from cosserat.solve.linear.ports import quantity_of

KINDS = ["b2.position", "ball.velocity", "ball.angular_velocity",
         "b2.acceleration", "ball.angular_acceleration", "j1.coordinate", "j1.rate", "j1.effort",
         "j2.reaction", "wrist.reaction"]  # fmt: skip


def soft_arm() -> cs.Model:
    """A beam on a hinge, bent by its weight."""
    model = cs.Model("soft", gravity=(0, 0, -9.81))
    rod, steel = cs.Rod(0.01), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=3))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=100.0, damping=1.0))
    return model


def answered(run: Run, word: str) -> np.ndarray:
    """What a run of one moment answers to the word of an output."""
    head, _, kind = word.rpartition(".")
    if kind in ("section_force", "strain"):
        beam, _, s = head.rpartition(".at(")
        return getattr(run, kind)(beam, float(s.rstrip(")"))).values[0]
    question = {"rate": "coordinate_rate"}.get(kind, kind)
    return np.atleast_1d(getattr(run, question)(head).values[0])


def displaced(point: OperatingPoint, along: dict[str, np.ndarray], e: float) -> Run:
    """The state of a point, moved by e along small motions, their rates and accelerations, and multipliers."""
    here, n = point.trajectory(), point.compiled.n_nodes
    frame, twist, rate, force, angle, inner = (a.copy() for a in here.history[:6])
    for i in range(n):
        v, a = here.history.twist[0, i], here.history.rate[0, i]
        x, x1, x2 = (e * along[k][i] for k in ("x", "x1", "x2"))
        frame[0, i] = frame_to_row(row_to_frame(frame[0, i]) @ se3.exp(x))
        twist[0, i] += x1 + se3.bracket(v) @ x
        rate[0, i] += x2 + se3.bracket(v) @ x1 + se3.bracket(a) @ x
    force += e * along["force"]
    trial = point.memory.problem.trial
    trial.frame[:] = frame[0]
    track_angles(point.memory.address)
    angle[0] = trial.angle
    trial.frame[:], trial.angle[:] = here.history.frame[0], here.history.angle[0]
    moved = History(frame, twist, rate, force, angle, inner)
    return Run(Trajectory(point.compiled, here.time, moved, here.status, {}, {}, here.efforts))


def differs_as_told(model: cs.Model, about: object, words: list[str], accuracy: float) -> None:
    """Along a random motion results change as rows say, seen through the questions that users ask."""
    point, random = point_at(model, about), np.random.default_rng(3)
    n, along = point.compiled.n_nodes, {}
    for k in ("x", "x1", "x2"):
        along[k] = random.normal(size=(n, 6))
    rows = [(j, row) for j, some in enumerate(point.independent_rows) for row in some]
    share = random.normal(size=len(rows))
    along["force"] = np.zeros_like(point.trajectory().history.force[0])
    for (j, row), size in zip(rows, share, strict=True):
        along["force"][j] += size * row
    e = 2e-4
    runs = {k: displaced(point, along, k * e) for k in (-2, -1, 1, 2)}
    for word in words:
        quantity = quantity_of(point, word, "test")
        found = rows_of(point, quantity)
        told = found.position @ along["x"].ravel() + found.rate @ along["x1"].ravel()
        told = told + found.acceleration @ along["x2"].ravel() + found.multiplier @ share
        value = {k: answered(run, word) for k, run in runs.items()}
        seen = (8.0 * (value[1] - value[-1]) - (value[2] - value[-2])) / (12.0 * e)
        assert np.allclose(told, seen, rtol=0.0, atol=accuracy * max(1.0, np.abs(seen).max())), word


def test_rows_are_derivatives_of_results_at_rest() -> None:
    model = arm(ball_joint=False)
    differs_as_told(model, cs.equilibrium(model), KINDS, 1e-7)
    soft = soft_arm()
    words = ["beam.end.position", "beam.at(0.5).section_force", "beam.at(0.2).strain", "hinge.reaction"]
    differs_as_told(soft, cs.equilibrium(soft), words, 1e-7)


def test_rows_are_derivatives_of_results_in_motion() -> None:
    model = arm(ball_joint=False)
    differs_as_told(model, cs.simulate(model, 0.2, 0.002, integrator="energy-momentum"), KINDS, 1e-7)


@pytest.mark.parametrize("state", ["equilibrium", "run", "rotation"])
def test_every_kind_of_output_in_both_formulations(state: str) -> None:
    """A word of the table is an output of either, with the same response."""
    model = arm(ball_joint=False)
    both, spin = ("galilean", "floating"), (0, 0, 1.0) if state == "rotation" else None
    about: list[object] = [None, None]
    if state == "equilibrium":
        about = [cs.equilibrium(model, formulation=f) for f in both]
    elif state == "run":
        about = [cs.simulate(model, 0.2, 0.0005, formulation=f, newton_tolerance=1e-11) for f in both]
    found = [cs.linearize(model, ["j0", "b0.fz"], KINDS, about=a, spin=spin, formulation=f).transfer(3.0j)
             for a, f in zip(about, both, strict=True)]  # fmt: skip
    for a, b in zip(*found, strict=True):
        assert np.allclose(a, b, atol=(1e-4 if state == "run" else 1e-7) * max(1e-3, np.abs(a).max()))


def test_sharp_friction_is_differentiated_in_both_formulations() -> None:
    """Efforts of friction that sets in at slow speeds: slope f / v_s at rest."""
    model = cs.Model("sled", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=2.0))
    friction = cs.Friction(level=3.0, speed=1e-3)
    model.add(cs.Prismatic("way", cs.GROUND, body, axis=(1, 0, 0), friction=friction))
    for formulation in ("galilean", "floating"):
        linear = cs.linearize(model, ["way"], ["way.effort"], formulation=formulation)
        assert np.allclose(linear.rows.rate, -3000.0, rtol=1e-7), formulation


def reach(run: cs.Run) -> np.ndarray:
    """Distance of the ball from the first body."""
    return np.linalg.norm(run.position("ball").values - run.position("b0").values, axis=1)


def pull(run: cs.Run) -> np.ndarray:
    """Size of the force in a joint."""
    return np.linalg.norm(run.reaction("j0").values[:, :3], axis=1)


def speed(run: cs.Run) -> np.ndarray:
    """Along a line that turns with the arm."""
    line = run.position("ball").values - run.position("b0").values
    return np.sum(run.velocity("ball").values * line, axis=1)


@pytest.mark.parametrize("moving", [False, True])
def test_outputs_of_ones_own(moving: bool) -> None:
    """In both formulations, with inputs that act at once."""
    model = arm(ball_joint=False)
    outputs = [cs.Output("reach", reach, "m"), cs.Output("pull", pull), cs.Output("speed", speed), "ball.z"]
    inputs = ["j0", "b0.fz", "P", "k"]
    about: list[object] = [cs.equilibrium(model), cs.equilibrium(model, formulation="floating")]
    if moving:
        options = {"newton_tolerance": 1e-11}
        about = [cs.simulate(model, 0.2, 0.0005, formulation=f, **options) for f in ("galilean", "floating")]
    first = cs.linearize(model, inputs, outputs, about=about[0])
    second = cs.linearize(model, inputs, outputs, about=about[1], formulation="floating")
    assert first.outputs == second.outputs == ("reach", "pull", "speed", "ball.z")
    G, H = first.transfer(3.0j), second.transfer(3.0j)
    assert np.allclose(G, H, atol=(1e-4 if moving else 1e-8) * np.abs(G).max())
    response = cs.frequency_response(model, "j0", [outputs[0]], [0.3])
    assert response.data.shape[0] == 1


def test_outputs_that_are_none() -> None:
    model = arm()
    with pytest.raises(SolveError, match=r"output 'reach': for \d+ times it gives an array of the shape \(.*3\)"):
        cs.linearize(model, ["j0"], [cs.Output("reach", lambda run: run.position("ball").values)])
    with pytest.raises(SolveError, match="cannot be called"):
        cs.Output("reach", 3)


def test_rates_in_a_steady_rotation_are_relative() -> None:
    """Velocities as outputs are those that an observer who turns along sees, in both formulations."""
    model = arm(ball_joint=False)
    model.gravity = (0, 0, -9.81)
    found = [cs.linearize(model, ["j0"], ["ball.velocity", "j0.rate"], spin=(0, 0, 1.0), formulation=f)
             for f in (None, "floating")]  # fmt: skip
    assert np.allclose(found[0].transfer(2.0j), found[1].transfer(2.0j), rtol=1e-6, atol=1e-9)


def test_a_row_of_the_table_is_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line more in the table: an answer of runs, equilibria and paths, in the dataset, in pictures, an output."""
    from cosserat.results import quantities
    from cosserat.results.joints import coordinates
    from cosserat.results.motion import Motion

    def cube(motion: Motion, joint: object) -> np.ndarray:
        return coordinates(motion, joint) ** 3  # type: ignore[arg-type]

    def height(motion: Motion, station: object) -> np.ndarray:
        return quantities.KINDS["position"].values(motion, station)[:, 2:] ** 2

    monkeypatch.setitem(quantities.KINDS, "cube", quantities.QuantityKind("joint", (), ("m^3", "rad^3"), cube, 0))
    monkeypatch.setitem(quantities.KINDS, "height", quantities.QuantityKind("place", ("zz",), ("m^2",), height, 0))
    model = arm(ball_joint=False)
    run, rest = cs.simulate(model, 0.05, 0.01), cs.equilibrium(model)
    assert np.allclose(run.quantity("cube", "j1"), run.coordinate("j1") ** 3, rtol=1e-14)
    assert run.quantity("height", "ball").values.shape == (6, 1)
    assert np.isclose(rest.quantity("cube", "j1"), rest.coordinate("j1") ** 3)
    assert np.allclose(run.data["j1.cube"], run.coordinate("j1") ** 3)
    assert run.data["j1.cube"].attrs["units"] == "rad^3"
    assert "cube" in run.plot("j1", quantity="cube").axes[0].get_ylabel()
    assert np.allclose(run.data["ball.height"], run.quantity("height", "ball"), rtol=1e-14)
    for formulation in ("galilean", "floating"):
        about = cs.equilibrium(model, formulation=formulation)
        words = ["j1", "j1.cube", "ball.z", "ball.height"]
        linear = cs.linearize(model, ["j0"], words, about=about, formulation=formulation)
        q, z = linear.values[0], linear.values[2]
        assert np.allclose(linear.rows.position[1], 3.0 * q**2 * linear.rows.position[0], atol=1e-9)
        assert np.allclose(linear.rows.position[3], 2.0 * z * linear.rows.position[2], atol=1e-9)


@pytest.mark.parametrize("formulation", [None, "floating"])
def test_energies_are_outputs(formulation: str | None) -> None:
    def pendulum(speed: float) -> cs.Model:
        model = cs.Model("pendulum", gravity=(0, 0, -9.81))
        bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.2, 0.2),
                                     velocity=(0, 0, -speed), angular_velocity=(0, speed, 0)))  # fmt: skip
        model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), stiffness=30.0))
        return model

    kinds = ("kinetic", "strain", "potential", "total")
    outputs = [cs.Output(kind, lambda run, kind=kind: run.energy[kind].values + 0.0 * run.time) for kind in kinds]
    run = cs.simulate(pendulum(3.0), 0.3, 0.001, formulation=formulation or "galilean")
    linear = cs.linearize(pendulum(3.0), "pivot", outputs, about=run, formulation=formulation)
    q, rate = (float(f("pivot").values[-1]) for f in (run.coordinate, run.coordinate_rate))
    by_angle = np.array([0.0, 30.0 * q, -2.0 * 9.81 * np.cos(q), 30.0 * q - 2.0 * 9.81 * np.cos(q)])
    by_rate = np.array([2.2 * rate, 0.0, 0.0, 2.2 * rate])
    assert np.allclose(linear.values, [float(run.energy[kind].values[-1]) for kind in kinds], rtol=1e-9)
    assert np.allclose(linear.C, np.stack((by_angle, by_rate), axis=1), atol=1e-7)


def test_an_output_that_fails_is_named() -> None:
    with pytest.raises(SolveError, match="output 'mass': its function fails with AttributeError"):
        cs.linearize(soft_arm(), "hinge", cs.Output("mass", lambda run: run.model.bodies[0].mass))


def test_one_question_to_all_results() -> None:
    """Modes answer with small changes of the quantities of the table, equilibria and paths as runs do."""
    model = soft_arm()
    model.add(cs.Force("pull", "beam.end", (0, 0, cs.Parameter("P", 0.0))))
    rest, found = cs.equilibrium(model), cs.modes(model, 2, damped=False)
    step, words = 1e-4, (("position", "beam.end"), ("rotation", "beam.end"), ("coordinate", "hinge"))
    moved = point_at(model, rest)
    x = found.shapes[:, 0].reshape(-1, 6)
    here = Run(moved.trajectory())
    for k, increment in enumerate(step * x):
        moved.memory.problem.trial.frame[k] = frame_to_row(row_to_frame(here.motion.frame[0, k]) @ se3.exp(increment))
    track_angles(moved.memory.address)
    there = Run(moved.trajectory())
    for word, item in words:
        if word == "rotation":
            change = cs.lie.so3.log(there.rotation(item).values[0] @ here.rotation(item).values[0].T)
        else:
            change = np.atleast_1d((getattr(there, word)(item) - getattr(here, word)(item)).values[0])
        slack = 1e-3 * np.abs(change / step).max()
        assert np.allclose(found.quantity(0, word, item), change / step, rtol=0.0, atol=slack)
    assert np.array_equal(found.shape(0, "beam.end"), found.quantity(0, "position", "beam.end"))
    with pytest.raises(SolveError, match=r"modes tell small changes of 'position', 'rotation', 'coordinate'"):
        found.quantity(0, "reaction", "hinge")

    path = cs.continuation(model, "P", 0.0, 0.5)
    last = path.equilibrium(-1)
    for name, item in (("position", "beam.end"), ("attitude", "beam.end"), ("effort", "hinge"), ("reaction", "hinge"),
                       ("velocity", "beam.end"), ("coordinate_rate", "hinge")):  # fmt: skip
        values = getattr(path, name)(item)
        assert len(values) == len(path)
        assert np.allclose(values[-1], getattr(last, name)(item), atol=1e-12)
    assert path.strain("beam", 0.5).shape == path.section_force("beam", 0.5).shape == (len(path), 6)
    turning = cs.equilibrium(model, spin=(0, 0, 2.0))
    tip = turning.position("beam.end")
    assert np.allclose(turning.velocity("beam.end"), np.cross((0, 0, 2.0), tip), atol=1e-12)
    assert np.allclose(turning.acceleration("beam.end"), -4.0 * tip * (1, 1, 0), atol=1e-12)


def test_outputs_of_modal_bodies_are_what_their_run_answers() -> None:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    line, rod = [(0, 0, 0), (1, 0, 0)], cs.Rod(0.03)
    plastic = cs.Material(E=2e9, nu=0.3, rho=1200.0)
    model.add(cs.modal_body(cs.Beam("arm", points=line, section=rod, material=plastic, elements=6), modes=4))
    model.add(cs.Revolute("hinge", cs.GROUND, "arm.start", axis=(0, 1, 0), stiffness=30.0))
    outputs = [
        cs.Output("kinetic", lambda run: run.energy.kinetic.values),
        cs.Output("strain", lambda run: run.energy.strain.values),
        cs.Output("momentum", lambda run: run.momentum.values[:, 2]),
        cs.Output("mode", lambda run: run.coordinate("arm.mode1").values),
    ]
    run = cs.simulate(model, 0.2, 0.001, formulation="floating")
    linear = cs.linearize(model, "hinge", outputs, about=run)
    assert np.allclose(linear.values, [output(run)[-1] for output in outputs], rtol=1e-9)
    q, mode = linear.states.index("arm.mode1"), linear.outputs.index("mode")
    assert np.allclose(linear.C[mode], np.eye(len(linear.states))[q])
