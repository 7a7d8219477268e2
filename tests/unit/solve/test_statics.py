"""Load steps of `equilibrium`: one leap where that is enough, many where it is not, the same rest in the end."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.statics import Statics, statics_at


def cantilever(force=(0, 0, 0), moment=(0, 0, 0), bending=(1.0, 1.0, 1.0)):
    model = cs.Model("cantilever")
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, *bending], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Wrench("load", beam.end, force=force, moment=moment))
    return model


LEAPS = {
    "dead force": {"force": (0, 100.0, 0)},
    "in space": {"force": (0, 50.0, 15.0), "bending": (0.5, 1.0, 1.0)},
}
STEPS = {"two turns": {"moment": (0, 0, 4 * np.pi)}, "bent and twisted": {"force": (0, 9, 3), "moment": (12, 0, 6)}}


@pytest.mark.parametrize("name", LEAPS | STEPS)
def test_a_leap_ends_where_load_steps_end(name, monkeypatch):
    found = cs.equilibrium(cantilever(**(LEAPS | STEPS)[name]))
    monkeypatch.setattr(Statics, "leap", lambda self, tolerance: Attempt.FAILED)
    stepped = cs.equilibrium(cantilever(**(LEAPS | STEPS)[name]))
    assert found.status.ok
    assert stepped.status.ok
    np.testing.assert_allclose(found.position("beam.end"), stepped.position("beam.end"), atol=1e-9)
    assert stepped.stats["load_steps"] > 1
    if name in LEAPS:
        assert found.stats["load_steps"] == 1
        assert found.stats["factorizations"] < 0.6 * stepped.stats["factorizations"]
    else:
        assert found.stats["load_steps"] == stepped.stats["load_steps"]
        assert found.stats["factorizations"] <= stepped.stats["factorizations"] + 5


def test_a_leap_to_an_unstable_rest_is_refused(monkeypatch):
    model = cantilever(force=(0, 100.0, 0))
    monkeypatch.setattr("cosserat.solve.analyses.equilibrium.stands", lambda statics: False)
    assert cs.equilibrium(model).stats["load_steps"] > 1


def test_corrections_are_halved_where_the_next_would_be_larger() -> None:
    """Of a correction that is eight times too long, a quarter is taken: half leaves three times the right one to go."""
    work = statics_at(cantilever(force=(0, 0, 1e-6)), 0.0, None, None, (0, 0, 0))
    work.load(np.zeros(1))
    lu = work.factor(0.0)
    assert lu is not None
    rhs = work.residual()
    correction = 8.0 * lu.solve(rhs)
    before = work.memory.problem.trial.frame.copy()
    norm = work.size_of(correction) / 8.0
    after, start = work._searched(lu, correction, norm)
    assert np.array_equal(start[0], before)
    moved = np.linalg.norm(work.memory.problem.trial.frame[:, 9:] - before[:, 9:], axis=1).max()
    assert moved == pytest.approx(0.25 * np.abs(correction.reshape(-1, 6)[: work.compiled.n_nodes, :3]).max(), rel=1e-3)
    assert work.size_of(lu.solve(after)) <= 2.0 * norm
