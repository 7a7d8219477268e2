"""Symbolic groups against the numeric ones: structure constants, ad, Ad, Maurer-Cartan forms, checks of a basis."""

import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

from cosserat import lie, symbolic
from cosserat.errors import GeometryError

GROUPS = {
    "SO2": symbolic.SO2,
    "SO3": symbolic.SO3,
    "SE2": symbolic.SE2,
    "SE3": symbolic.SE3,
    "R3": symbolic.R(3),
    "Galilei": symbolic.Galilei,
    "GA2": symbolic.GA(2),
    "SL2": symbolic.SL(2),
    "Heisenberg": symbolic.Heisenberg(),
    "SE3 x R2": symbolic.product(symbolic.SE3, symbolic.R(2)),
    "SO3 x SO3": symbolic.product(symbolic.SO3, symbolic.SO3),
    "SO3 on R3": symbolic.semidirect(symbolic.SO3, symbolic.SO3.basis),
}


@pytest.mark.parametrize("name", GROUPS)
def test_agrees_with_the_numeric_twin(name):
    group = GROUPS[name]
    numeric, rng = group.numeric, np.random.default_rng(2)
    x = rng.standard_normal(group.dim)
    assert np.abs(np.array(group.structure_constants, dtype=float) - numeric.structure_constants()).max() < 1e-14
    assert np.abs(np.array(group.ad(x), dtype=float) - numeric.bracket(x)).max() < 1e-14
    assert np.abs(np.array(group.hat(x), dtype=float) - numeric.hat(x)).max() < 1e-14
    g = numeric.exp(x)
    Ad = np.array(group.Ad(sp.Matrix(numeric.matrix(g))), dtype=float)
    assert np.abs(Ad - numeric.adjoint(g)).max() < 1e-12
    coAd = np.array(group.coAd(sp.Matrix(numeric.matrix(g))), dtype=float)
    assert np.abs(coAd.T @ Ad - np.eye(group.dim)).max() < 1e-10
    pattern = np.array(group.element().applyfunc(lambda v: 1 if v.free_symbols else 0), dtype=bool)
    fixed = np.array(group.element().subs({s: 0 for s in group.element().free_symbols}), dtype=float)
    assert np.abs(numeric.matrix(g) - fixed)[~pattern].max(initial=0) < 1e-15


def test_maurer_cartan_forms_of_a_turning_and_sliding_frame():
    t, a, b = sp.symbols("t a b")
    R = sp.Matrix([[sp.cos(a * t), -sp.sin(a * t), 0], [sp.sin(a * t), sp.cos(a * t), 0], [0, 0, 1]])
    g = R.row_join(sp.Matrix([1, 0, b * t])).col_join(sp.Matrix([[0, 0, 0, 1]]))
    assert sp.simplify(symbolic.SE3.left_form(g, t) - sp.Matrix([0, 0, b, 0, 0, a])) == sp.zeros(6, 1)
    assert sp.simplify(symbolic.SE3.right_form(g, t) - sp.Matrix([0, -a, b, 0, 0, a])) == sp.zeros(6, 1)


def test_numeric_groups_are_taken():
    assert symbolic.Group.of(lie.SE3) is symbolic.SE3
    assert symbolic.Group.of(lie.Product(lie.SE3, lie.R(2))).components[-2:] == ("q1", "q2")
    assert symbolic.Group.of(lie.SL(3)).dim == 8


def test_bad_groups():
    with pytest.raises(GeometryError, match=r"basis does not close: \[e_1, e_2\]"):
        symbolic.Group([[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    with pytest.raises(GeometryError, match="free symbols a"):
        symbolic.Group([sp.Matrix([[0, sp.Symbol("a")], [0, 0]])])
    with pytest.raises(GeometryError, match="got 'SE3' for a group"):
        symbolic.Group.of("SE3")
    with pytest.raises(GeometryError, match="SE3: got 3 components; its vectors have 6"):
        symbolic.SE3.hat([1, 2, 3])
    c = np.zeros((3, 3, 3))
    c[0, 1, 0], c[1, 0, 0], c[1, 2, 1], c[2, 1, 1] = 1, -1, 1, -1
    with pytest.raises(GeometryError, match="Jacobi"):
        symbolic.Group.from_structure_constants(c)


def test_without_sympy_the_error_says_how_to_get_it():
    code = """
import sys
sys.modules["sympy"] = None
import cosserat as cs
from cosserat.errors import MissingDependencyError
cs.symbolic
try:
    cs.symbolic.SE3
except MissingDependencyError as error:
    assert "pip install 'cosserat[symbolic]'" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_importing_the_package_does_not_import_sympy():
    code = "import sys, cosserat; cosserat.symbolic; assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_factors_of_a_product_do_not_share_entries():
    """Both SO3 and SE2 call their rotation R: in a product they are two."""
    both = symbolic.product(symbolic.SO3, symbolic.SE2)
    g = both.element()
    entries = [s for s in g if s.is_Symbol]
    assert len(set(entries)) == len(entries) == 9 + 6
    tied = symbolic.PoincareChetayev(both, lambda eta, g: eta.dot(eta) / 2 - g[0][0, 0] * g[1][0, 0])
    start = (lie.SO3.exp([0.3, 1, 2]), lie.SE2.exp([1, 0, 1]))
    motion = tied.motion([0.3, 0.5, -0.2, 0.1, 0.4, 1.0], 1.0, 0.02, start=start)
    assert np.ptp(motion.energy) < 1e-10
