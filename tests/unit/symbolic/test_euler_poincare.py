"""Solvers on groups: period of the free top, integrals of motion, order, groups never seen before, bad input."""

import numpy as np
import pytest

from cosserat.errors import ArgumentError, SolveError
from cosserat.lie import SE3, SL, SO3, Heisenberg, Inertia
from cosserat.symbolic import euler_poincare

TOP, SPIN, PERIOD = np.diag([1.0, 2.0, 3.0]), np.array([1.0, 0.2, 0.5]), 14.7701544205


@pytest.mark.parametrize("options", [{"method": "velocity", "order": 8}, {"method": "momentum"}, {"conserving": True}])
def test_period_of_the_asymmetric_top(options):
    motion = euler_poincare(SO3, TOP, SPIN, PERIOD, PERIOD / 200, **options)
    assert np.abs(motion.velocity[-1] - SPIN).max() < 1e-9


@pytest.mark.parametrize("options", [{"method": "momentum"}, {"conserving": True}])
def test_six_integrals_of_the_free_body(options):
    inertia = Inertia(2.0, com=(0.1, -0.2, 0.3), central=np.diag([1.0, 2.0, 2.5])).mass_matrix()
    motion = euler_poincare(SE3, inertia, (0.3, -0.2, 0.5, 1.0, 0.2, 0.5), 10.0, 0.05, **options)
    assert np.ptp(motion.momentum_map, axis=0).max() < 1e-12
    assert np.ptp(motion.energy) < (1e-12 if options.get("conserving") else 1e-9)


@pytest.mark.parametrize("group, velocity", [(SL(2), (1.2, -0.8, 0.1)), (Heisenberg(), (0.7, -0.4, 0.9))])
def test_unknown_groups_conserve_energy_and_momentum(group, velocity):
    M = np.random.default_rng(4).standard_normal((3, 3))
    inertia = M @ M.T / 4 + 2 * np.eye(3)
    motion = euler_poincare(group, inertia, velocity, 10.0, 0.1, conserving=True)
    assert np.ptp(motion.energy) < 1e-12
    assert np.ptp(motion.momentum_map, axis=0).max() < 1e-12
    assert np.abs(np.linalg.det(motion.matrices) - 1).max() < 1e-12
    steps = zip(motion.elements[:-1:10], motion.elements[1::10])
    assert max(group.departure(group.inverse(g) @ h) for g, h in steps) < 1e-13
    assert np.ptp(motion.velocity, axis=0).max() > 0.1  # it moves
    fine = euler_poincare(group, inertia, velocity, 10.0, 0.1, order=8)
    assert np.abs(fine.matrices[-1] - motion.matrices[-1]).max() < 1e-5


@pytest.mark.parametrize("conserving, order", [(True, 2), (True, 4), (True, 6), (False, 4)])
def test_order(conserving, order):
    options = {"conserving": conserving, "order": order}
    exact = euler_poincare(SO3, TOP, 2 * SPIN, 4.0, 0.02, order=8).matrices[-1]
    errors = [
        np.abs(euler_poincare(SO3, TOP, 2 * SPIN, 4.0, 4.0 / n, **options).matrices[-1] - exact).max() for n in (20, 40)
    ]
    assert np.log2(errors[0] / errors[1]) > order - 0.5


def test_forces_in_both_methods():
    def spring(t, g, eta):
        return np.cross(g.T @ [0, 0, 1.0], [0.3, 0, 0.2]) - 0.1 * eta + [0, 0, np.sin(t)]

    methods = ("velocity", "momentum")
    first, second = (euler_poincare(SO3, TOP, SPIN, 3.0, 0.05, force=spring, method=m) for m in methods)
    assert np.abs(first.matrices - second.matrices).max() < 1e-9


@pytest.mark.parametrize(
    "change, message",
    [
        ({"inertia": np.eye(2)}, r"inertia has shape \(2, 2\); pass an array \(3, 3\)"),
        ({"inertia": np.diag([1.0, 1.0, 0.0])}, "singular"),
        ({"inertia": np.triu(np.ones((3, 3)))}, "is not symmetric"),
        ({"velocity": (1, 2)}, "pass 3 numbers"),
        ({"method": "both"}, "pass 'velocity' or 'momentum'"),
        ({"order": 5}, "pass one of 2, 4, 6, 8"),
        ({"conserving": True, "order": 8}, "pass one of 2, 4, 6$"),
        ({"conserving": True, "force": lambda t, g, e: e}, "leave conserving out"),
        ({"force": lambda t, g, e: e[:2]}, "force has shape"),
        ({"step": 0.0}, "step is 0.0; pass a number above zero"),
    ],
)
def test_bad_input(change, message):
    arguments = {"inertia": TOP, "velocity": SPIN, "duration": 1.0, "step": 0.1} | change
    with pytest.raises(ArgumentError, match=message):
        euler_poincare(SO3, **arguments)


def test_too_long_a_step_is_told():
    with pytest.raises(SolveError, match="take a shorter step"):
        euler_poincare(SO3, TOP, 50 * SPIN, 10.0, 5.0)
