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


def rail(damping=0.5):
    """A slider with a spring and a damper that a parameter changes, turning with another."""
    model = cs.Model("rail")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0), effort=0.0))
    model.add(cs.Damper("damper", cs.GROUND.at((-1, 0, 0)), body, damping=cs.Parameter("d", damping)))
    return model


def interrupting(call, at):
    """A function that is interrupted when it is called for the so manyeth time."""
    calls = []

    def wrapper(*args, **kwargs):
        calls.append(1)
        wrapper.calls = len(calls)
        if len(calls) == at:
            signal.raise_signal(signal.SIGINT)
        return call(*args, **kwargs)

    return wrapper


SWEEPS = {
    "stability": lambda: cs.stability(rail(), "k", np.linspace(4.0, 1.0, 10)),
    "stability_map": lambda: cs.stability_map(rail(), {"k": [3.0, 2.0, 1.0], "d": np.linspace(0.1, 1.0, 8)}),
    "campbell": lambda: cs.campbell(rail(), np.linspace(0.0, 1.0, 9), n=1),
    "frequency_response": lambda: cs.frequency_response(rail(), "rail", "rail", np.linspace(0.0, 1.0, 12)),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_sweeps_are_kept(name, monkeypatch):
    """Interrupted in the middle: the part that is finished, equal to that of the whole; at once: nothing."""
    from importlib import import_module

    module = import_module(f"cosserat.solve.analyses.{name}")
    whole, before = SWEEPS[name](), signal.getsignal(signal.SIGINT)
    inner = (module._Dynamic, "at") if name == "frequency_response" else (module.Spectra, "at")
    slow = getattr(*inner)
    with monkeypatch.context() as patch:
        last = 14 if name == "stability_map" else 5
        counted = interrupting(slow, last)
        patch.setattr(*inner, counted)
        with pytest.warns(cs.CosseratWarning, match=f"{name}: interrupted; the result has the first 5 of"):
            part = SWEEPS[name]()
    assert signal.getsignal(signal.SIGINT) is before
    assert counted.calls <= last + 2  # the row of the map is finished; nothing is located any more
    if name == "stability_map":
        assert part.kind.shape == (3, 5)
        assert np.array_equal(part.growth, whole.growth[:, :5])
    elif name == "frequency_response":
        assert len(part.frequencies) == 5
        assert np.array_equal(part.gain("rail", "rail"), whole.gain("rail", "rail")[:5])
    else:
        assert np.allclose(part.eigenvalues, whole.eigenvalues[:5], rtol=1e-12, atol=1e-12)
    if name == "stability":
        assert len(part.values) == 5
    if name != "frequency_response":
        monkeypatch.setattr(*inner, interrupting(slow, 1))
        with pytest.raises(KeyboardInterrupt):
            SWEEPS[name]()
