"""Media: formulas and expressions, their matrices, and errors that say what is wrong."""

import copy
import pickle

import numpy as np
import pytest

import cosserat as cs

sp = pytest.importorskip("sympy")
from cosserat.symbolic import strain, twist  # noqa: E402

KINETIC = "(v1**2 + v2**2 + v3**2)/2 + 0.01*(w1**2 + w2**2 + w3**2)"
POTENTIAL = "E*e1**2/2 + 40*(e2**2 + e3**2) + k1**2 + 2*k2**2 + 3*k3**2"


def medium(potential=POTENTIAL, kinetic=KINETIC, **parameters):
    return cs.Medium(kinetic, potential, parameters or {"E": 100.0})


def test_expressions_and_formulas_are_the_same():
    v, e, E = twist, strain, sp.Symbol("E")
    kinetic = v[:3, :].dot(v[:3, :]) / 2 + sp.Float(0.01) * v[3:, :].dot(v[3:, :])
    potential = E * e[0] ** 2 / 2 + 40 * (e[1] ** 2 + e[2] ** 2) + e[3] ** 2 + 2 * e[4] ** 2 + 3 * e[5] ** 2
    other = cs.Medium(kinetic, potential, {"E": 100.0})
    assert np.array_equal(other.stiffness, medium().stiffness)
    assert np.array_equal(other.mass, np.diag([1, 1, 1, 0.02, 0.02, 0.02]))
    assert cs.Medium(other.kinetic, other.potential, {"E": 100.0}) == other


def test_matrices_follow_parameters():
    E = cs.Parameter("E", 100.0)
    model = cs.Model("m", gravity=(0, 0, -1))
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], medium=medium(E=E), elements=1))
    assert beam.section_at(0.5)[0][0, 0] == 100.0
    model.set(E=7.0)
    assert beam.section_at(0.5)[0][0, 0] == 7.0
    assert list(model.parameters) == ["E"]
    assert copy.deepcopy(model)["b"].section_at(0)[0][0, 0] == 7.0
    assert pickle.loads(pickle.dumps(beam.medium)) == beam.medium


def test_what_is_quadratic():
    assert medium().is_quadratic
    assert medium(POTENTIAL + " + (e1 + k1)**2 - e1**2 + 7").is_quadratic
    assert not medium(POTENTIAL + " + e1").is_quadratic
    assert not medium(POTENTIAL + " + 0.1*e1*k2**2").is_quadratic
    shifted = medium(POTENTIAL.replace("e1**2", "(e1 - 1/4)**2"))
    assert shifted.prestress.tolist() == [-25.0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"potential": POTENTIAL + " + F*e1"}, "potential: unknown name 'F'.*parameters="),
        ({"potential": POTENTIAL + " + v1*e1"}, "potential depends on v1"),
        ({"kinetic": KINETIC + " + e1"}, "kinetic depends on e1"),
        ({"kinetic": KINETIC + " + v1"}, "must be a quadratic form of the twist"),
        ({"kinetic": KINETIC + " + w1**4"}, "must be a quadratic form of the twist"),
        ({"kinetic": KINETIC + " + v1**2"}, "a section weighs the same along all axes"),
        ({"kinetic": KINETIC + " - w1**2"}, "kinetic cannot be used: its matrix is a mass that must be positive"),
        ({"kinetic": KINETIC + " + abs(v1)*v1"}, "must be a quadratic form of the twist"),
        ({"potential": POTENTIAL + " + abs(e1)**1.5"}, "no finite, real first and second derivatives at zero"),
        ({"potential": POTENTIAL + " + sqrt(k1**2 + k2**2)"}, "no finite, real first and second derivatives at zero"),
        ({"potential": POTENTIAL + " + e1**1.5"}, "no finite, real first and second derivatives at zero"),
        ({"potential": POTENTIAL + " + sqrt(e1 - 1)"}, "no finite, real first and second derivatives at zero"),
        ({"potential": "e1**2"}, "not positive definite.*small stiffness"),
        ({"potential": POTENTIAL + " + e1**2/F", "E": 1.0, "F": 0.0}, "no numbers for the present parameters: E"),
        ({"potential": "import os"}, "cannot read 'import os'"),
        ({"potential": ["e1"]}, "must be a SymPy expression or a formula"),
        ({"potential": POTENTIAL, "k1": 1.0, "E": 1.0}, "parameters has the name 'k1'"),
        ({"potential": POTENTIAL, "E": "x"}, "must be a number or a Parameter"),
    ],
)
def test_bad_media(given, message):
    with pytest.raises(cs.CosseratError, match=message):
        medium(**given)


def test_bad_beams():
    line = {"points": [(0, 0, 0), (1, 0, 0)]}
    with pytest.raises(cs.CosseratError, match="beam 'b': section is given with a medium"):
        cs.Beam("b", section=cs.Rod(0.1), medium=medium(), **line)
    with pytest.raises(cs.CosseratError, match="beam 'b': medium must be one Medium for the whole beam, got 3"):
        cs.Beam("b", medium=3, **line)
    E = cs.Parameter("E", 1.0)
    model = cs.Model("m", gravity=(0, 0, -1))
    model.add(cs.Beam("b", medium=medium(E=E), **line))
    with pytest.warns(cs.CosseratWarning, match="medium: potential is not strictly convex at zero strain .* along e1"):
        model.set(E=-1.0)
    beam = cs.Beam("b", medium=medium(POTENTIAL + " + e1**4"), velocity=(0, "x", 0), **line)
    with pytest.raises(cs.CosseratError, match="intrinsic: beam 'b': its potential is not quadratic"):
        cs.symbolic.intrinsic(beam, 0.1, 0.01)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"potential": POTENTIAL + " - 2*k1**2"}, "second derivative -2 along k1"),
        ({"potential": POTENTIAL, "E": -1.0}, "second derivative -1 along e1"),
        ({"potential": POTENTIAL + " - k1**2 + k1**4"}, "second derivative 0 along k1"),
    ],
)
def test_not_convex_is_a_warning(given, where):
    with pytest.warns(cs.CosseratWarning, match=f"medium: potential is not strictly convex at zero strain .{where}"):
        found = medium(**given)
    assert not found.is_convex
    assert not found.is_quadratic
    assert np.linalg.eigvalsh(found.section.matrices()[0]).min() > 0.1
    assert found.stiffness.diagonal()[4:].tolist() == [4, 6]
    found.check()  # says it once


K3 = strain[5]


@pytest.mark.parametrize(
    ("added", "word", "slope", "stiffness"),
    [
        ("2*abs(k3)", "Abs", 0.0, 6.0),
        ("2*max(k3 - 1, 0)**3", "Max", 0.0, 6.0),
        ("min(k3, 1)*k3", "Min", 0.0, 8.0),
        ("(k3**4 if k3 < 1 or k3 > 2 else k3)", "Piecewise", 0.0, 6.0),
        (sp.Piecewise((K3**4, (K3 > -1) & (K3 < 1)), (K3, True)), "Piecewise", 0.0, 6.0),
        (5 * sp.Heaviside(K3 - 1) * (K3 - 1) ** 2, "sign", 0.0, 6.0),
    ],
)
def test_not_smooth_is_a_warning(added, word, slope, stiffness):
    """`symbolic.check_potential` agrees about what is rough and about the stiffness."""
    from cosserat.model.algebra import formula, text_of

    text = f"{POTENTIAL} + {added if isinstance(added, str) else text_of(added)}"
    with pytest.warns(cs.CosseratWarning, match=f"medium: potential is not smooth, it contains .*{word}"):
        found = medium(text)
    assert found.stiffness[5, 5] == stiffness
    assert found.prestress[5] == slope
    U = formula(text, {**dict(zip(map(str, strain), strain, strict=True)), "E": sp.Integer(100)})
    with pytest.warns(cs.CosseratWarning, match=f"potential: not smooth, it contains .*{word}"):
        K = cs.symbolic.check_potential(U, list(strain))
    np.testing.assert_allclose(K, found.stiffness, rtol=1e-14)
    found.check()  # says it once
