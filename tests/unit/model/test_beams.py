"""Beams: reference frames against analytic lines, sections along them, velocity fields."""

import math
from typing import Any

import numpy as np
import pytest

from cosserat.errors import CosseratError
from cosserat.lie import so3
from cosserat.model.beams import Beam
from cosserat.model.materials import STEEL, Material
from cosserat.model.parameters import Parameter
from cosserat.model.section import Section
from cosserat.model.sections import Rectangle, Rod

ROD: dict[str, Any] = {"section": Rod(0.01), "material": STEEL}


def assert_rotations(H: np.ndarray) -> None:
    for h in H:
        np.testing.assert_allclose(h[:3, :3].T @ h[:3, :3], np.eye(3), atol=1e-13)
        assert np.linalg.det(h[:3, :3]) == pytest.approx(1.0)


def test_straight() -> None:
    beam = Beam("b", points=[(1, 0, 0), (4, 0, 0)], **ROD)
    assert beam.length == 3.0
    assert beam.pieces == [(0.0, 1.0)]
    assert beam.elements == 10
    assert beam.is_uniform
    H = beam.frames([0, 0.5, 1])
    np.testing.assert_allclose(H[:, :3, :3], np.broadcast_to(np.eye(3), (3, 3, 3)))
    assert H[:, 0, 3].tolist() == [1.0, 2.5, 4.0]
    assert beam.velocity_at(0.0) is None
    assert beam.damping_at(0.5) == 0.0


@pytest.mark.parametrize(
    "end, up, z",
    [
        ((0, 2, 0), None, (0, 0, 1)),
        ((0, 0, 2), None, (0, 1, 0)),
        ((0, 0, -2), None, (0, 1, 0)),
        ((1, 0, 1), None, (-1, 0, 1)),
        ((1, 0, 0), (0, 1, 0), (0, 1, 0)),
        ((1, 0, 0), (5, 1, 0), (0, 1, 0)),
    ],
)
def test_up(end: Any, up: Any, z: Any) -> None:
    H = Beam("b", points=[(0, 0, 0), end], up=up, **ROD).start.frame()
    np.testing.assert_allclose(H[:3, 0], end / np.linalg.norm(end), atol=1e-15)
    np.testing.assert_allclose(H[:3, 2], z / np.linalg.norm(z), atol=1e-15)
    assert_rotations(H[None])


def test_polyline() -> None:
    beam = Beam("b", points=[(0, 0, 0), (3, 0, 0), (3, 1, 0)], elements=8, **ROD)
    assert beam.pieces == [(0.0, 0.75), (0.75, 1.0)]
    assert beam.length == 4.0
    assert beam.at(0.75).frame()[:3, 0].tolist() == [1, 0, 0]
    np.testing.assert_allclose(beam.frames([0.75], 1)[0, :3, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(beam.end.position, [3, 1, 0])


def test_a_plane_polyline_keeps_its_normal() -> None:
    """Without up the section does not spin at a corner, also where a leg is vertical."""
    beam = Beam("b", points=[(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0)], elements=3, **ROD)
    for piece in range(3):
        np.testing.assert_allclose(beam.frames([beam.pieces[piece][0]], piece)[0, :3, 2], [0, 1, 0], atol=1e-15)
    back = Beam("b", points=[(0, 0, 0), (1, 0, 0), (0.5, 0, 0)], elements=2, **ROD)
    np.testing.assert_allclose(back.frames([1.0], 1)[0, :3, 2], [0, 0, 1], atol=1e-15)
    assert_rotations(back.frames([1.0], 1))


@pytest.mark.parametrize("as_text", [False, True])
def test_arc_of_45_degrees(as_text: bool) -> None:
    R, angle = 100.0, np.pi / 4
    curve: Any = lambda s: (R * np.sin(angle * s), R * (1 - np.cos(angle * s)), 0)  # noqa: E731
    if as_text:
        curve = ("100*sin(pi/4*s)", "100*(1 - cos(pi/4*s))", 0)
    beam = Beam("b", curve=curve, elements=8, **ROD)
    assert beam.length == pytest.approx(R * angle, rel=1e-13)
    s = np.linspace(0, 1, 9)
    for si, H in zip(s, beam.frames(s), strict=True):
        np.testing.assert_allclose(H[:3, :3], so3.exp([0, 0, angle * si]), atol=1e-13)


@pytest.mark.parametrize("up", [None, (0, 0, 1)])
def test_helix(up: Any) -> None:
    r, h, n = 2.0, 3.0, 12.0
    beam = Beam("b", curve=lambda s: (r * np.cos(n * s), r * np.sin(n * s), h * s), elements=20, up=up, **ROD)
    assert beam.length == pytest.approx(np.hypot(r * n, h), rel=1e-13)
    s = np.linspace(0, 1, 41)
    H = beam.frames(s)
    tangent = np.stack([-r * n * np.sin(n * s), r * n * np.cos(n * s), h + 0 * s], axis=1) / np.hypot(r * n, h)
    np.testing.assert_allclose(H[:, :3, 0], tangent, atol=1e-14)
    assert_rotations(H)
    if up is None:  # against the Frenet frame, a rotation-minimising frame turns by minus the integral of torsion
        speed = np.hypot(r * n, h)
        torsion = n * h / speed**2
        normal = -np.stack([np.cos(n * s), np.sin(n * s), 0 * s], axis=1)
        binormal = np.cross(tangent, normal)
        phase = np.unwrap(np.arctan2(np.sum(H[:, :3, 2] * binormal, 1), np.sum(H[:, :3, 2] * normal, 1)))
        np.testing.assert_allclose(phase - phase[0], -torsion * speed * s, atol=1e-7)


def test_a_curve_that_takes_floats_only_inside_its_range() -> None:
    def curve(s: float) -> tuple[float, float, float]:
        return math.sqrt(4 - s * s), s, math.asin(s) * 0 + math.sqrt(s * (1 - s)) * 0

    beam = Beam("b", curve=curve, elements=4, **ROD)
    assert beam.length == pytest.approx(2 * math.asin(0.5), rel=1e-9)
    np.testing.assert_allclose(beam.end.frame()[:3, 0], [-0.5, math.sqrt(0.75), 0], atol=1e-8)


def test_the_frame_does_not_depend_on_what_else_is_asked() -> None:
    beam = Beam("b", curve=lambda s: (np.cos(5 * s), np.sin(3 * s), s), elements=4, **ROD)
    s = np.linspace(0, 1, 17)
    np.testing.assert_array_equal(beam.frames(s)[5], beam.frames([s[5]])[0])


def test_tapered_and_variable_sections() -> None:
    pair = Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=(Rod(0.02), Rod(0.04)), material=STEEL)
    function = Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=lambda s: Rod(0.02 + 0.02 * s), material=STEEL)
    assert not pair.is_uniform
    assert not function.is_uniform
    for s in (0.0, 0.3, 1.0):
        for a, b in zip(pair.section_at(s), function.section_at(s), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


def test_damping_comes_from_the_material() -> None:
    soft = Material(E=1e6, nu=0.4, rho=1000, damping=0.01)
    assert Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=Rod(0.1), material=soft).damping_at(0.3) == 0.01


@pytest.mark.parametrize(
    "velocity",
    [lambda x: np.cross([0, 0, 2.0], x), ("-2*y", "2*x", 0), lambda x: [-2 * x[1], 2 * x[0], 0, 0, 0, 2]],
)
def test_velocity_fields(velocity: Any) -> None:
    beam = Beam("b", points=[(1, 0, 0), (3, 0, 0)], velocity=velocity, **ROD)
    found = beam.velocity_at(0.5)
    assert found is not None
    np.testing.assert_allclose(found[0], [0, 4, 0], atol=1e-15)
    np.testing.assert_allclose(found[1], [0, 0, 2], atol=1e-12)


def test_constant_velocities() -> None:
    beam = Beam("b", points=[(1, 0, 0), (3, 0, 0)], velocity=(1, 2, 3), **ROD)
    assert [v.tolist() for v in beam.velocity_at(0.5) or ()] == [[1, 2, 3], [0, 0, 0]]
    beam = Beam("b", points=[(1, 0, 0), (3, 0, 0)], velocity=(1, 2, 3, 4, 5, 6), **ROD)
    assert [v.tolist() for v in beam.velocity_at(0.5) or ()] == [[1, 2, 3], [4, 5, 6]]


def test_parameters_move_the_line() -> None:
    L = Parameter("L", 1.0)
    beam = Beam("b", points=[(0, 0, 0), (2 * L, 0, 0)], **ROD)
    curved = Beam("b", curve=lambda s: (L * s, 0, 0), **ROD)
    L.value = 3.0
    assert beam.length == 6.0
    assert beam.end.position.tolist() == [6, 0, 0]
    assert curved.length == pytest.approx(3.0)


def test_section_without_material() -> None:
    beam = Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=Section([1] * 6, [2] * 6))
    assert beam.section_at(0.5)[1][0, 0] == 2.0


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({}, "give either points= or curve=, not neither"),
        ({"points": [(0, 0, 0)]}, "points must be two points or more"),
        ({"points": [(0, 0, 0), (0, 0, 0)]}, "points 0 and 1 coincide"),
        ({"points": [(0, 0), (1, 0)]}, "points must be 2x3 numbers"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "curve": lambda s: (s, 0, 0)}, "not both"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "elements": 0}, "elements is 0; it must be at least 1"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "elements": 2.5}, "elements must be a whole number"),
        ({"points": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "elements": 1}, "its 2 straight pieces need at least one each"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "up": (2, 0, 0)}, "up .* is parallel to the beam"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "up": (0, 0, 0)}, "up has norm 0"),
        ({"curve": lambda s: (0, 0, 0)}, "curve stands still at s = 0"),
        ({"curve": lambda s: (s, abs(s - 0.3), 0)}, "curve has a corner at s = 0.3; give points="),
        ({"curve": lambda s: (s, s)}, "curve"),
        ({"curve": ("s", "t", 0)}, "unknown name 't'"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "section": 3}, "section must be a section"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "section": None}, "section must be given"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "material": None}, "section at s = 0: section Rod: it needs a material"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "material": "steel"}, "material must be a Material"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "section": (Rod(1), Rectangle(1, 1))}, "cannot taper from Rod"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "section": lambda s: 3}, "the section function gives 3"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "velocity": (1, 2)}, "velocity must be 3 numbers"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "velocity": lambda x: (1, 2)}, "the field gives 2 numbers"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "velocity": lambda x: 1 / 0}, "the field failed .* ZeroDivisionError"),
        ({"points": [(0, 0, 0), (1, 0, 0)], "velocity": lambda x: (1, 2, np.nan)}, "it must be finite"),
    ],
)
def test_bad_beams(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CosseratError, match=f"beam 'b'.*{message}"):
        Beam("b", **{**ROD, **arguments})
