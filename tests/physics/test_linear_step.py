"""A linearised time step against differences of steps, its transpose, and gradients by parameters."""

from __future__ import annotations

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.lie import se3
from cosserat.solve.analyses.linear_step import LinearStep
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.stepping import Integration

H, RHO = 0.01, 0.8


def soft_arm() -> cs.Model:
    model = cs.Model("soft", gravity=(0, 0, -9.81))
    rod, steel = cs.Rod(0.01), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=3))
    stiffness = cs.Parameter("k", 20.0)
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=stiffness, damping=1.0))
    model.add(cs.Force("tip", beam.end, (0, 0, cs.Parameter("P", 3.0)), follower=True))
    return model


def stepped(model: cs.Model, run: cs.Run, change: np.ndarray) -> list[np.ndarray]:
    """Frames, twists, rates and the method's accelerations after a step from a changed state."""
    compiled = compile_model(model)
    t = float(run.time[-1])
    memory = new_memory(compiled, compiled.sampler.sample(np.array([t])))
    work = Integration(compiled, memory, RHO, 0.0, 1e-13, 0.0)
    state, history, n = memory.problem.state, run.trajectory.history, compiled.n_nodes
    x, v, a, b = change.reshape(4, n, 6)
    state.frame[:] = history.frame[-1]
    state.frame[:n] = frame_to_row(np.array([row_to_frame(F) @ se3.exp(y) for F, y in zip(state.frame[:n], x)]))
    state.twist[:], state.rate[:] = history.twist[-1], history.rate[-1]
    state.force[:], state.angle[:], state.accel[:] = history.force[-1], history.angle[-1], run.trajectory.carried.accel
    state.twist[:n] += v
    state.rate[:n] += a
    state.accel[:n] += b
    work.accel_step = H
    work.jumps = compiled.timetable.jumps(t, t + H)
    assert work.advance(t, H, 1, 1, 0) is None
    return [array[:n].copy() for array in (state.frame, state.twist, state.rate, state.accel)]


@pytest.mark.parametrize("make", [arm, soft_arm])
def test_forward_against_differences_of_steps(make) -> None:
    model = make()
    run = cs.simulate(model, 20 * H, H, rho=RHO, newton_tolerance=1e-12)
    step = LinearStep(model, run)
    random, size = np.random.default_rng(5), 24 * step.n // 6
    change = random.normal(size=size)
    eps = 1e-6
    plus, minus = stepped(model, run, eps * change), stepped(model, run, -eps * change)
    found = step.forward(change).reshape(4, -1)
    frames = [se3.log(se3.inverse(row_to_frame(B)) @ row_to_frame(A)) for A, B in zip(plus[0], minus[0])]
    wanted = [np.concatenate(frames), *((p - m).ravel() for p, m in zip(plus[1:], minus[1:]))]
    for a, b in zip(found, wanted, strict=True):
        assert np.allclose(a, b / (2 * eps), atol=2e-5 * np.abs(a).max())


def test_parameters_and_transpose() -> None:
    """Gradients of the state after a step by parameters, and the transposed step, which gives all at once."""
    model = soft_arm()
    run = cs.simulate(model, 20 * H, H, rho=RHO, newton_tolerance=1e-12)
    step = LinearStep(model, run)
    size = 4 * step.n
    random = np.random.default_rng(7)
    state, gradient = random.normal(size=(2, size))
    before, equations = step.backward(gradient)
    assert np.isclose(gradient @ step.forward(state), before @ state, rtol=1e-9)
    for name, eps in (("k", 1e-3), ("P", 1e-3)):
        alone = step.forward(np.zeros(size), {name: 1.0})
        assert np.isclose(gradient @ alone, equations @ step.parameter(name), rtol=1e-7)
        value, ends = model.parameters[name], []
        for side in (1, -1):
            model.set(**{name: value + side * eps})
            ends.append(stepped(model, run, np.zeros(size)))
        model.set(**{name: value})
        twist = (ends[0][1] - ends[1][1]).ravel() / (2 * eps)
        assert np.allclose(alone.reshape(4, -1)[1], twist, atol=1e-5 * np.abs(twist).max())
    pushed = step.inputs(["beam.end.fz"])
    assert pushed.shape == (step.new.shape[0], 1)
    right = random.normal(size=step.new.shape[0])
    assert np.allclose(step.new.T @ step.solve(right, transposed=True), right, atol=1e-6)
    assert np.allclose(step.new @ step.solve(right), right, atol=1e-6)


def test_what_it_does_not_take() -> None:
    run = cs.simulate(soft_arm(), 0.02, 0.01, integrator="energy-momentum")
    with pytest.raises(cs.CosseratError, match="generalised-alpha method"):
        LinearStep(soft_arm(), run)
