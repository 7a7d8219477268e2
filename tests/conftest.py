"""What all tests share: a seeded generator, and drawing without a display."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import cosserat as cs  # before pytest imports one of its modules by the name of a file, which would make a second one

os.environ.setdefault("MPLBACKEND", "Agg")
for _number in (signal.SIGINT, signal.SIGHUP):  # a shell may have us ignore them in the background: tests send them
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)

SEED = 20_170_529


def pytest_report_header() -> str:
    """Print what a failure needs to be repeated."""
    jit = "off" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else "on"
    return f"seed of rng: {SEED}, numpy {np.__version__}, jit {jit}"


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator that gives the same numbers in every run, for every test."""
    return np.random.default_rng(SEED)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Figures of one test do not stay open in the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def manipulator():
    """A builder of the arm FF of [Grazioso17] with four elements in each beam, ten times as stiff by default."""

    def build(E=68.9e10, motion="t - sin(t)", gravity=(0, 0, -9.81), elbow=0.0, **material):
        model = cs.Model("FF", gravity=gravity)
        ring = cs.Tube(outer_diameter=0.030, inner_diameter=0.027, shear_factor=0.5)
        alloy = cs.Material(E=E, nu=0.33, rho=2700.0, **material)
        upper = model.add(cs.Beam("arm1", points=[(0, 0, 0), (1.5, 0, 0)], section=ring, material=alloy, elements=4))
        lower = model.add(cs.Beam("arm2", points=[(1.5, 0, 0), (3, 0, 0)], section=ring, material=alloy, elements=4))
        model.add(cs.Revolute("shoulder", cs.GROUND, upper.start, axis=(0, 0, 1), motion=motion))
        model.add(cs.Revolute("elbow", upper.end, lower.start, axis=(0, 0, 1), stiffness=elbow))
        return model

    return build


@pytest.fixture(scope="session")
def zoo():
    """A builder of a tree with joints of all ten kinds, some described from the outer body to the inner one."""

    def build(forces=False, free=False, turned=True, gravity=(0.2, 0.3, -9.8)):
        rotation = cs.lie.so3.exp([0.3, 0.2, 0.1])
        model = cs.Model("zoo", gravity=gravity)
        bodies = [
            model.add(
                cs.RigidBody(f"b{i}", mass=1.3, com=(0.3 * i + 0.1, 0.1, 0.1 * i), inertia=(0.02, 0.03, 0.04),
                             rotation=rotation)
            )
            for i in range(11)
        ]  # fmt: skip
        some = {"stiffness": 3.0, "damping": 1.0, "friction": cs.Friction(0.4, 0.5), "effort": 2.0} if forces else {}
        turns = {"friction": [cs.Friction(0.1 * k, 0.5) for k in (1, 2, 3)], "effort": (1.0, 2.0, 3.0)}
        all_six = {
            "stiffness": (3.0, 4.0, 5.0, 2.0, 2.0, 2.0), "damping": (1.0, 2.0, 3.0, 0.5, 0.5, 0.5),
            "friction": [cs.Friction(0.1 * k, 0.5) for k in range(1, 7)],
        }  # fmt: skip
        kinds = [
            lambda *a: cs.Free(*a, **(all_six if forces else {})),
            lambda *a: cs.Revolute(*a, axis=(1, 2, 3), **some),
            lambda *a: cs.Prismatic(*a, axis=(1, 0, 1)),
            lambda *a: cs.Screw(*a, axis=(0, 1, 1), pitch=0.1, **some),
            lambda *a: cs.Cylindrical(*a, axis=(0, 1, 1)),
            lambda *a: cs.Planar(*a, normal=(0, 1, 1)),
            lambda *a: cs.PlanarTranslation(*a, normal=(0, 1, 1)),
            lambda *a: cs.Spherical(*a, **({"stiffness": 3.0, "damping": 1.0, **turns} if forces else {})),
            lambda *a: cs.Universal(*a, axes=((1, 0, 0), (0, 1, 0))),
            lambda *a: cs.Fixed(*a),
            lambda *a: cs.Revolute(*a, axis=(1, 2, 3)),
        ]
        for i, joint in enumerate(kinds):
            point = (0.3 * i - 0.1, 0.05, 0.02)
            if i == 0:
                if not free:
                    sides = [cs.GROUND, bodies[0].at(point)]
                    model.add(joint("j0", *(reversed(sides) if turned else sides)))
                continue
            sides = [bodies[max(i - 2, 0)].at(point), bodies[i].at(point)]
            model.add(joint(f"j{i}", *(reversed(sides) if turned and i in (3, 5, 7) else sides)))
        if forces:
            model.add(cs.Spring("s1", bodies[2].at((0.3, 0.3, 0.3)), bodies[9].at((0.1, 0.2, 2.0)), 40.0, damping=3.0))
            model.add(cs.Spring("s2", cs.GROUND.at((0.3, -1.3, 0.3)), bodies[7].at((0.1, 0.2, 1.0)), 40.0, damping=3.0))
            model.add(cs.Wrench("w1", bodies[5].at((1, 1, 1)), (1, 2, 3, 4, 5, 6)))
            model.add(cs.Wrench("w2", bodies[8].at((1, 1, 1)), (1, 2, 3, 4, 5, 6), follower=True))
        return model

    return build
