"""Packed numbers know the `Parameter` they come from."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.solve.linear.slots import packed, parameter_slots


def mechanism():
    k, w, a, v = (cs.Parameter(n, x) for n, x in (("k", 3.0), ("w", 0.02), ("a", 0.3), ("v", 2.0)))
    model = cs.Model("all", gravity=(0, 0, -9.81))
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rectangle(width=w, height=0.01),
                material=cs.Material(E=1e9, nu=0.3, rho=1000), elements=2)
    )  # fmt: skip
    ball = model.add(cs.RigidBody("ball", mass=1 + a, com=(1, 0, 0), inertia=np.eye(3), velocity=(0, 0, v)))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Revolute("tip", beam.end, ball, at=(1, 0, 0), axis=(0, 1, 0), stiffness=k**2))
    model.add(cs.Force("push", ball, (0, 0, k * a)))
    model.add(cs.StateLoad("drag", ball, {"fx": "-c*vx"}, {"c": 2 * k}))
    return model


def test_a_parameter_changes_exactly_its_slots():
    model = mechanism()
    table = parameter_slots(model)
    here = packed(compile_model(model), 0.0)
    for name, slots in table.items():
        value = model.parameters[name]
        model.set(**{name: 1.01 * value})
        moved = packed(compile_model(model), 0.0)
        model.set(**{name: value})
        changed = set()
        for key, array in here.items():
            apart = np.abs(moved[key] - array) > 1e-13 * np.abs(array).max(initial=0.0)  # beyond rounding errors
            changed |= {(*key, tuple(int(i) for i in at)) for at in np.argwhere(apart)}
        assert changed == {(s.group, s.field, s.place) for s in slots}, name


def test_derivatives_are_those_of_the_expressions():
    table = parameter_slots(mechanism())
    by = {name: {(s.group, s.field, s.place): s.derivative for s in slots} for name, slots in table.items()}
    assert by["k"]["freedoms", "stiffness", (0,)] == pytest.approx(6.0, rel=1e-10)
    assert by["k"]["inputs", "wrench", (0, 2)] == pytest.approx(0.3, rel=1e-10)
    assert by["k"]["state_loads", "parameter", (0,)] == pytest.approx(2.0, rel=1e-10)
    assert len(by["k"]) == 3
    assert by["a"]["bodies", "mass", (0, 0, 0)] == pytest.approx(1.0, rel=1e-10)
    assert set(by["v"]) == {("start", "twist", (0, 2))}
    stretch = by["w"]["elements", "stiffness", (0, 0, 0)]  # E b h/L, twice: elements share their matrices
    assert stretch == pytest.approx(1e9 * 0.01 / 0.5, rel=1e-9)
