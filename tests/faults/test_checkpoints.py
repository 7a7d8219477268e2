"""Checkpoints: killed at any time, a run goes on with the same call and the same states, bit by bit."""

import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import cosserat as cs
from cosserat.results.checkpoint import _MAGIC

ROOT = Path(__file__).parents[2]

CASES = {
    "fixed": {"step": 1e-3},
    "every": {"step": 1e-3, "every": 7},
    "adaptive": {"tolerance": 1e-5},
    "conserving": {"step": 1e-3, "integrator": "energy-momentum"},
    "floating": {"step": 2e-3, "formulation": "floating"},
    "floating adaptive": {"tolerance": 1e-4, "formulation": "floating"},
    "controlled": {"step": 1e-3, "controller": True},
    "controlled adaptive": {"tolerance": 1e-4, "controller": True},
    "floating controlled": {"step": 2e-3, "formulation": "floating", "controller": True},
    "runge-kutta": {"step": 2e-3, "formulation": "floating", "integrator": "runge-kutta"},
}
DURATION = 0.4


def arm(mass=1.0):
    """A driven link, one with an effort and a spring, and a load that jumps."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=mass))
    model.add(cs.Revolute("drive", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion="0.4*sin(5*t)"))
    model.add(cs.Revolute("elbow", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), effort=0.0, stiffness=3.0))
    model.add(cs.Force("push", b, ["5*step(t, 0.15)", 0, 0]))
    return model


class Integral:
    """A controller with a memory."""

    period = 0.01

    def __init__(self):
        self.sum, self.seen = 0.0, np.zeros(2)

    def __call__(self, t, state):
        angle = float(state.coordinate("elbow")[-1])
        self.sum += 0.01 * (0.2 - angle)
        self.seen += angle
        return {"elbow": 20.0 * (0.2 - angle) + 5.0 * self.sum}

    def get_state(self):
        return {"sum": self.sum, "seen": self.seen}

    def set_state(self, state):
        self.sum, self.seen = state["sum"], np.array(state["seen"])


def call(name, path, **more):
    given = dict(CASES[name])
    if given.pop("controller", False):
        given["controller"] = Integral()
    return cs.simulate(arm(), DURATION, checkpoint=path, checkpoint_interval=0.0, **given, **more)


def same(one, two):
    """Whether two runs are the same, bit by bit."""
    pairs = [(one.time, two.time), *zip(one.trajectory.history, two.trajectory.history, strict=True)]
    if one.floating is not None:
        pairs += list(zip(one.floating.arrays.values(), two.floating.arrays.values(), strict=True))
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


class Stopped(BaseException):
    """What no driver catches: the process might as well be gone."""


@pytest.mark.parametrize("name", CASES)
def test_runs_that_end_anywhere_go_on(name, tmp_path):
    """Five ends after one another, each between two writes, and the whole run in one."""
    whole = call(name, tmp_path / "whole.ckpt")
    assert whole.status.ok
    rng, path = random.Random(name), tmp_path / "parts.ckpt"
    for _ in range(5):
        end = rng.uniform(0.0, DURATION)

        def progress(t, counters, end=end):
            if t > end:
                raise Stopped

        try:
            run = call(name, path, progress=progress)
            break
        except Stopped:
            continue
    run = call(name, path)
    assert same(whole, run)
    assert same(whole, call(name, path))  # a finished run is given again
    assert run.stats["steps"] == whole.stats["steps"]


SCRIPT = """
import sys
from tests.faults.test_checkpoints import call
print("ready", flush=True)
run = call(sys.argv[1], sys.argv[2])
print("finished", flush=True)
"""


def killed_once(name, path, wait):
    """Start the call in a process, and kill it after a while; whether it was still at work."""
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, name, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
    finally:
        rest = child.communicate()[0]
    return "finished" not in rest


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
@pytest.mark.parametrize("name", ["controlled", "floating"])
def test_killed_with_kill_nine(name, tmp_path):
    whole, path = call(name, tmp_path / "whole.ckpt"), tmp_path / "killed.ckpt"
    rng = random.Random(name)
    kills = sum(killed_once(name, path, rng.uniform(0.0, 0.6)) for _ in range(3))
    assert same(whole, call(name, path))
    assert kills >= 1
    assert not list(tmp_path.glob("*.part")) or kills  # what a kill left of an unfinished write does no harm


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_killed_many_times(tmp_path):
    for name in CASES:
        whole, path = call(name, tmp_path / f"{name}.whole"), tmp_path / f"{name}.ckpt"
        rng = random.Random(name)
        for _ in range(10):
            killed_once(name, path, rng.uniform(0.0, 1.0))
        assert same(whole, call(name, path))


def test_what_is_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    call("fixed", path)
    with pytest.raises(cs.CosseratError, match=r"another run: step was 0\.001 and is 0\.002"):
        cs.simulate(arm(), DURATION, step=2e-3, checkpoint=path)
    with pytest.raises(cs.CosseratError, match="it belongs to another run: model is other than it was"):
        cs.simulate(arm(mass=2.0), DURATION, step=1e-3, checkpoint=path)
    with pytest.raises(cs.CosseratError, match="has no get_state and set_state"):
        cs.simulate(arm(), DURATION, step=1e-3, checkpoint=tmp_path / "c.ckpt", controller=lambda t, s: None)

    class Odd(Integral):
        def get_state(self):
            return {"model": arm()}

    with pytest.raises(cs.CosseratError, match=r"get_state\(\) gives what cannot be kept.*a Model"):
        cs.simulate(arm(), DURATION, step=1e-3, checkpoint=tmp_path / "c.ckpt", controller=Odd())
    cyclic = []
    cyclic.append(cyclic)
    for state in (cyclic, np.ma.array([1.0, 2.0], mask=[True, False])):
        Odd.get_state = lambda self, state=state: state
        with pytest.raises(cs.CosseratError, match=r"get_state\(\) gives what cannot be kept"):
            cs.simulate(arm(), DURATION, step=1e-3, checkpoint=tmp_path / "c.ckpt", controller=Odd())
    Odd.get_state = lambda self: self.missing
    with pytest.raises(cs.CosseratError, match=r"get_state\(\) fails with AttributeError"):
        cs.simulate(arm(), DURATION, step=1e-3, checkpoint=tmp_path / "c.ckpt", controller=Odd())
    content = path.read_bytes()
    for wrong in (content[:-1], content[:40], b"", b"text", content[:100] + b"x" + content[101:]):
        path.write_bytes(wrong)
        with pytest.raises(cs.CosseratError, match=r"run\.ckpt"):
            call("fixed", path)
    with pytest.raises(cs.CosseratError, match="does not exist"):
        call("fixed", tmp_path / "no" / "run.ckpt")
    with pytest.raises(cs.CosseratError, match="checkpoint_interval is -1"):
        cs.simulate(arm(), DURATION, step=1e-3, checkpoint=tmp_path / "c.ckpt", checkpoint_interval=-1)


class Proportional(Integral):
    """One with gains, of its own and of its class."""

    bias = 0.0

    def __init__(self, gain):
        super().__init__()
        self.gain, self.calls, self.plug = gain, [], None

    def __call__(self, t, state):
        self.calls.append(t)  # no part of its state: may be other than it was
        if t > 0.25 and self.plug is not None and not self.plug.exists():
            raise OSError("the plug was pulled")
        return {"elbow": self.gain * self.sum + self.bias, **super().__call__(t, state)}


def closed(gain):
    def controller(t, state):
        return {"elbow": -gain * float(state.coordinate("elbow")[-1])}

    controller.get_state, controller.set_state = lambda: None, lambda state: None
    return controller


def test_other_gains_are_refused(tmp_path):
    def run(controller, name, **more):
        given = {"step": 1e-3, "checkpoint_interval": 0.0, "checkpoint": tmp_path / name, **more}
        return cs.simulate(arm(), DURATION, controller=controller, **given)

    def stop(t, counters):
        if t > 0.2:
            signal.raise_signal(signal.SIGINT)

    assert not run(Proportional(2.0), "class", progress=stop).status.ok
    with pytest.raises(cs.CosseratError, match=r"controller: its gain was 2\.0 and is 3\.0"):
        run(Proportional(3.0), "class")
    biased = type("Proportional", (Proportional,), {"bias": 0.5})(2.0)
    with pytest.raises(cs.CosseratError, match=r"controller: its bias was 0\.0 and is 0\.5"):
        run(biased, "class")
    assert run(Proportional(2.0), "class").status.ok
    assert not run(closed(2.0), "closure", progress=stop).status.ok
    with pytest.raises(cs.CosseratError, match=r"controller: its gain was 2\.0 and is 2\.5"):
        run(closed(2.5), "closure")
    assert run(closed(2.0), "closure").status.ok


def ball(law=None, force=None, fluid=None):
    model = cs.Model("ball", fluid=fluid)
    model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    if law is not None:
        model.add(cs.StateLoad("law", "ball", law))
    if force is not None:
        model.add(cs.Force("push", "ball", force))
    if fluid is not None:
        model.add(cs.Aerodynamics("drag", "ball", area=0.1, drag=1.0))
    return model


def at_rest(duration):
    return cs.simulate(ball(force=(0, 0, 0)), duration, 0.1)


def law_of(text, **names):
    space = {"np": np, **names}
    exec(f"def law(t, frame, twist, parameters):\n    return np.array([0.0, 0.0, {text}, 0.0, 0.0, 0.0])\n", space)
    return space["law"]


def pulse(height):
    """Too short for samples of the whole run."""
    return lambda t: (height if 0.3001 < t < 0.3004 else 0.0, 0.0, 0.0)


def blade(coupling):
    inertia = cs.ModalInertia(
        mass=2, first_moment=(1, 0, 0), inertia=np.diag((0.01, 1, 1)), modal_mass=[[1.0]],
        linear_coupling=[[0, 0, coupling]], angular_coupling=[[0, -0.5, 0]],
    )  # fmt: skip
    model = cs.Model("blade", gravity=(0, 0, -9.81))
    root = {"root": cs.Interface((0, 0, 0), np.zeros((6, 1)))}
    model.add(cs.ModalBody("blade", inertia=inertia, stiffness=[4000.0], interfaces=root))
    model.add(cs.Revolute("hinge", cs.GROUND, "blade.root", axis=(0, 1, 0)))
    return model


def helped(gain):
    """A controller that calls others."""

    class Settings:
        bias = gain

    def law(angle):
        return -gain * angle

    def controller(t, state):
        return {"elbow": law(float(state.coordinate("elbow"))) + Settings.bias}

    controller.get_state, controller.set_state = lambda: None, lambda state: None
    return controller


CHANGES = {
    "constant of a law": lambda k: (ball(law_of(f"{k}.0")), {}),
    "name in a law": lambda k: (ball(law_of("np.sin(t)" if k == 1 else "np.cos(t)")), {}),
    "value of a law": lambda k: (ball(law_of("K", K=float(k))), {}),
    "short pulse": lambda k: (ball(force=pulse(float(k))), {}),
    "wind": lambda k: (ball(fluid=cs.Fluid(density=1.2, velocity=lambda x, y, z, t: (k * z, 0.0, 0.0))), {}),
    "later force": lambda k: (ball(force=lambda t: (k * max(t - 0.6, 0.0), 0, 0)), {"start": at_rest(0.6)}),
    "time of the start": lambda k: (ball(force=(0, 0, 0)), {"start": at_rest(0.1 * k)}),
    "inertia of modes": lambda k: (blade(0.3 * k), {"formulation": "floating"}),
    "what a controller calls": lambda k: (arm(), {"controller": helped(float(k))}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_model_computes_with_is_part_of_it(name, tmp_path):
    """A run must not go on with another law, force or wind; the same ones, made again, are no others."""

    def stop(t, counters):
        raise Stopped

    def run(k, **more):
        model, settings = CHANGES[name](k)
        given = {"checkpoint": tmp_path / "run.ckpt", "checkpoint_interval": 0.0, **settings, **more}
        return cs.simulate(model, 0.4, 1e-3, **given)

    with pytest.raises(Stopped):
        run(1, progress=stop)
    with pytest.raises(cs.CosseratError, match=r"belongs to another run: .* (is other than it was|was .* and is)"):
        run(2)
    assert run(1).status.ok


def test_a_controller_that_failed_goes_on_with_the_state_that_was_kept(tmp_path):
    """The same object, whose memory has gone further than what was written last."""
    whole = cs.simulate(arm(), DURATION, step=1e-3, controller=Proportional(2.0), checkpoint=tmp_path / "whole.ckpt")
    controller = Proportional(2.0)
    controller.plug = tmp_path / "plug"
    given = {"step": 1e-3, "controller": controller, "checkpoint": tmp_path / "run.ckpt", "checkpoint_interval": 0.0}
    with pytest.warns(cs.CosseratWarning, match="the plug was pulled"):
        assert not cs.simulate(arm(), DURATION, **given).status.ok
    controller.plug.touch()
    assert same(whole, cs.simulate(arm(), DURATION, **given))


def resealed(content, change):
    """A checkpoint with other arrays or values and the checksum of these."""
    body = content[len(_MAGIC) : -64]
    with np.load(io.BytesIO(body)) as found:
        arrays = {key: found[key] for key in found.files}
    plain = json.loads(arrays.pop("json").tobytes())
    change(plain["content"]["dict"], arrays)
    stream = io.BytesIO()
    np.savez(stream, json=np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8), **arrays)
    body = _MAGIC + stream.getvalue()
    return body + hashlib.sha256(body).hexdigest().encode()


@pytest.mark.parametrize("name", ["fixed", "adaptive", "controlled", "floating"])
def test_a_checkpoint_made_to_harm_is_located(name, tmp_path):
    """Shapes, types and values that compiled code would take by address."""
    path, rng = tmp_path / "run.ckpt", random.Random(name)

    def stop(t, counters):
        raise Stopped

    with pytest.raises(Stopped):
        call(name, path, progress=stop)
    content, refused = path.read_bytes(), 0

    def change(values, arrays):
        kind, key = rng.choice(["drop", "shape", "type", "value"]), rng.choice(sorted(arrays))
        if kind == "drop":
            del arrays[key]
        elif kind == "shape":
            arrays[key] = np.zeros((*arrays[key].shape, 3))
        elif kind == "type":
            arrays[key] = arrays[key].astype("U4")
        else:
            rng.choice(values)[1] = rng.choice([None, -1, 2**62, "x", [], {"array": "none"}])

    for _ in range(30):
        path.write_bytes(resealed(content, change))
        try:
            call(name, path)
        except cs.CosseratError:
            refused += 1
    assert refused > 20


def test_states_that_cannot_be_taken_back_are_located(tmp_path):
    class Forgetful(Integral):
        def set_state(self, state):
            self.sum = state["total"]

    path = tmp_path / "run.ckpt"
    given = {"step": 1e-3, "checkpoint": path, "checkpoint_interval": 0.0}
    cs.simulate(arm(), DURATION, controller=Forgetful(), **given)
    with pytest.raises(cs.CosseratError, match=r"set_state\(\) fails with KeyError: 'total'.*remove the file"):
        cs.simulate(arm(), DURATION, controller=Forgetful(), **given)


COMMAND = """
import sys
from cosserat.cli.app import main
sys.argv = ["cosserat", *sys.argv[1:]]
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
@pytest.mark.parametrize("formulation", ["galilean", pytest.param("floating", marks=pytest.mark.slow)])
def test_the_command_killed_goes_on(formulation, tmp_path):
    """`cosserat run --checkpoint`, killed with kill -9 while it steps, and started again: the same file of results."""
    cs.save_model(arm(), tmp_path / "arm.yaml")
    given = ["--duration", "20", "--step", "0.001", "--every", "50", "--formulation", formulation]

    def start(out, kept):
        words = [sys.executable, "-c", COMMAND, "run", "arm.yaml", *given, "--out", out, "--checkpoint", kept,
                 "--checkpoint-interval", "0.02"]  # fmt: skip
        return subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    whole = start("whole.nc", "whole.ckpt")
    assert whole.communicate(timeout=120)[0] is not None
    assert whole.returncode == 0
    kills, kept = 0, tmp_path / "run.ckpt"
    for _ in range(2):
        child, before = start("run.nc", "run.ckpt"), kept.stat().st_mtime_ns if kept.exists() else 0
        while child.poll() is None and (not kept.exists() or kept.stat().st_mtime_ns == before):
            time.sleep(0.01)  # until it has written once more
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        child.communicate()
    assert kills
    assert not (tmp_path / "run.nc").exists() or kills < 2
    last = start("run.nc", "run.ckpt")
    assert last.communicate(timeout=120)[0] is not None
    assert last.returncode == 0
    one, two = (cs.load_run(tmp_path / name) for name in ("whole.nc", "run.nc"))
    assert same(one, two)


def test_interrupted_runs_go_on(tmp_path):
    path = tmp_path / "run.ckpt"

    def interrupt(t, counters):
        if t > 0.1:
            signal.raise_signal(signal.SIGINT)

    part = call("every", path, progress=interrupt)
    assert part.status.outcome is cs.Outcome.INTERRUPTED
    assert same(call("every", tmp_path / "whole.ckpt"), call("every", path))
