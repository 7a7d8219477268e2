"""Analyses that are interrupted, or whose user's function fails, keep what is finished."""

import signal

import numpy as np
import pytest

import cosserat as cs


def arch():
    model = cs.Model("arch of two bars")
    P = cs.Parameter("P", 0.0)
    top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, 0.3)))
    model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, 0.3)), top, axis=(0, 0, 1)))
    for side in (-1, 1):
        model.add(cs.Spring(f"bar{side}", cs.GROUND.at((side, 0, 0)), top, stiffness=1000.0))
    model.add(cs.Force("load", top, (0, 0, -P)))
    return model


def test_paths_are_kept():
    whole = cs.continuation(arch(), "P", 0.0, 50.0)
    before = signal.getsignal(signal.SIGINT)

    def interrupt(steps, value):
        if steps == 5:
            signal.raise_signal(signal.SIGINT)

    part = cs.continuation(arch(), "P", 0.0, 50.0, progress=interrupt)
    assert part.status.outcome is cs.Outcome.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before

    def fail(steps, value):
        if steps == 5:
            raise ValueError("no")

    failed = cs.continuation(arch(), "P", 0.0, 50.0, progress=fail)
    assert failed.status.outcome is cs.Outcome.CALL_FAILED
    assert "progress: ValueError: no" in failed.status.message
    for path in (part, failed):
        assert len(path.parameter) == 6
        assert np.array_equal(path.parameter, whole.parameter[:6])

    def broken(equilibrium, value):
        raise ZeroDivisionError("oh")

    early = cs.continuation(arch(), "P", 0.0, 50.0, until=broken)
    assert "until: ZeroDivisionError: oh" in early.status.message
    assert len(early.parameter) == 2


@pytest.mark.parametrize("how", ["signal", "exception"])
def test_comparisons_are_kept(how):
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody.bar("bob", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))

    def progress(t, counters):
        if t > 0.1:
            if how == "exception":
                raise ValueError("no")
            signal.raise_signal(signal.SIGINT)

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        found = cs.compare(model, 5.0, 1e-3, progress=progress)
    assert found.floating.time[-1] > 0.0
    assert found.galilean.time[-1] > 0.0
    assert len(found.findings) > 0
