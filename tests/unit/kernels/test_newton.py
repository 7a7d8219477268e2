"""The iterations that solve one step, on a step that full corrections cannot take."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.kernels import alpha, conserving
from cosserat.kernels.integrate import load_careful, load_search
from cosserat.kernels.newton import (
    CONSERVING,
    MAX_DAMPED,
    careful_newton,
    damped_newton,
    newton,
)
from cosserat.kernels.slots import CONVERGED, NOT_CONVERGED
from cosserat.solve.initial import consistent_accelerations
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.motion.storing import arrays_of


def prepared(step, moment, integrator=0.0):
    """A free rod at rest whose end is turned by a moment (N m), one step of given size ahead."""
    model = cs.Model("rod")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 500, 500, 500], mass=[1, 1, 1, 10, 10, 10])
    rod = model.add(cs.Beam("rod", points=[(6, 0, 0), (0, 8, 0)], section=section, elements=8))
    model.add(cs.Torque("turn", rod.start, (0, -moment / 2, -moment)))
    compiled = compile_model(model)
    memory = new_memory(compiled, compiled.sampler.sample(np.array([0.0])))
    work = Integration(compiled, memory, 0.9, integrator, 1e-9)
    consistent_accelerations(compiled, 0.0, memory)
    memory.replace(inputs=compiled.sampler.sample(np.array([0.0, step])))
    work.set_step(step)
    load_careful(memory, work.evaluate)
    load_search(memory, work.evaluate)
    return work, memory


def test_all_iterations_find_the_same_step():
    increments = []
    for iteration in (newton, careful_newton, damped_newton):
        work, memory = prepared(0.05, 80.0)
        assert iteration(memory.address, 1, work.evaluate) == CONVERGED
        increments.append(memory.problem.trial.increment.copy())
    np.testing.assert_allclose(increments[1], increments[0], atol=1e-12)
    np.testing.assert_allclose(increments[2], increments[0], atol=1e-12)


@pytest.mark.parametrize(
    ("scheme", "step", "moment"), [(alpha, 0.8, 228.0), (conserving, 0.8, 120.0)], ids=["alpha", "conserving"]
)
def test_line_search_where_full_corrections_fail(scheme, step, moment):
    work, memory = prepared(step, moment, CONSERVING if scheme is conserving else 0.0)
    assert newton(memory.address, 1, work.evaluate) != CONVERGED
    assert careful_newton(memory.address, 1, work.evaluate) != CONVERGED
    assert damped_newton(memory.address, 1, work.evaluate) == CONVERGED
    trial = memory.problem.trial
    scheme.evaluate(memory.address, 1)
    assert np.abs(trial.residual[:-1]).max() < 1e-6 * moment  # what was found solves the equations of the step


def test_line_search_gives_up_in_the_end():
    work, memory = prepared(0.8, 1e4)
    assert damped_newton(memory.address, 1, work.evaluate) == NOT_CONVERGED
    assert memory.problem.solver.counters[1] < 8 * MAX_DAMPED


def test_checkpoints_hold_no_addresses():
    """They mean nothing in another process."""
    work, memory = prepared(0.05, 80.0)
    solver = memory.problem.solver
    kept = {id(array) for array in arrays_of(work, "solver")}
    assert id(solver.blocks) in kept
    own = solver.laws, solver.bonds, solver.units, solver.rules, solver.media, solver.settle
    assert not kept & {id(table) for table in own}
