"""Knife edges and rolling discs as plain data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cosserat as cs


def cart() -> cs.Model:
    model = cs.Model("cart", gravity=(0, 0, -9.81))
    R = cs.Parameter("R", 0.2)
    model.add(cs.RigidBody.box("frame", (0.5, 0.3, 0.1), mass=2.0, com=(0, 0, 0.2)))
    model.add(cs.RollingDisc("wheel", f"frame.at(0, 0.2, {0.2})", radius=R, axis=(0, 2, 0)))
    model.add(cs.KnifeEdge("skid", "frame.at(0.3, 0, 0)", direction=(0, 3, 4)))
    return model


def test_numbers() -> None:
    model = cart()
    wheel, skid = model.rolling
    assert (wheel, skid) == (model["wheel"], model["skid"])
    assert np.allclose(wheel.axis, (0, 1, 0))
    assert np.allclose(skid.direction, (0, 0.6, 0.8))
    assert wheel.gap == pytest.approx(0.0, abs=1e-15)
    model.set(R=0.15)
    assert (wheel.radius, wheel.gap) == (0.15, pytest.approx(0.05))
    tilted = cs.RollingDisc("w", "frame", radius=1.0, axis=(0.3, 1, 0.2), normal=(1, 2, 3), point=(1, 0, 0))
    D = tilted.directions
    assert np.allclose(D @ D.T, np.eye(3))
    assert np.linalg.det(D) == pytest.approx(1.0)
    assert np.allclose(D[0] * np.sqrt(14), (1, 2, 3))


def test_the_gap_of_a_tilted_disc() -> None:
    """Its lowest point is radius times the sine of the axis' angle with the normal below its centre."""
    model = cs.Model("coin")
    body = model.add(cs.RigidBody.sphere("coin", diameter=1.0, mass=1.0, com=(1, 2, 3)))
    wheel = model.add(cs.RollingDisc("wheel", body, radius=0.5, axis=(np.sin(0.4), 0, np.cos(0.4)), point=(0, 0, 1)))
    assert wheel.gap == pytest.approx(2.0 - 0.5 * np.sin(0.4), rel=1e-14)


def test_equality_copies_and_files(tmp_path: Path) -> None:
    model = cart()
    assert model == cart()
    copy = model.copy()
    copy.set(R=0.1)
    assert model["wheel"].radius == 0.2
    assert copy != model
    file = tmp_path / "cart.yaml"
    cs.save_model(model, file)
    assert cs.load_model(file) == model
    assert "rolling:" in file.read_text()


def test_summary() -> None:
    text = cart().summary()
    assert "RollingDisc  at frame.at(0, 0.2, 0.2)  radius 0.2 m, on the plane with normal (0, 0, 1)" in text
    assert "KnifeEdge    at frame.at(0.3, 0, 0)    across (0, 0.6, 0.8)" in text


def test_bad_input(tmp_path: Path) -> None:
    model = cart()
    with pytest.raises(cs.CosseratError, match="knife edge 'e': direction has norm 0"):
        cs.KnifeEdge("e", "frame", direction=(0, 0, 0))
    with pytest.raises(cs.CosseratError, match="rolling disc 'w': radius is -1; it must be greater than 0"):
        cs.RollingDisc("w", "frame", -1.0, axis=(0, 1, 0))
    with pytest.raises(cs.CosseratError, match="rolling disc 'w': axis is along the normal: the disc lies flat"):
        cs.RollingDisc("w", "frame", 1.0, axis=(0, 0, -1))
    with pytest.raises(cs.CosseratError, match="rolling disc 'w': point must be 3 numbers"):
        cs.RollingDisc("w", "frame", 1.0, axis=(0, 1, 0), point=3)
    with pytest.raises(cs.CosseratError, match="RollingDisc 'w': missing a required argument: 'axis'"):
        cs.RollingDisc("w", "frame", 1.0)
    with pytest.raises(cs.CosseratError, match="unknown body 'nobody' in the place 'nobody'"):
        model.add(cs.KnifeEdge("e", "nobody", direction=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="the name 'skid' of the knife edge is taken"):
        model.add(cs.KnifeEdge("skid", "frame", direction=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="rolling disc 'w': centre 'frame' is text"):
        _ = cs.RollingDisc("w", "frame", 1.0, axis=(0, 1, 0)).centre
    with pytest.raises(cs.CosseratError, match="radius is -1"):
        model.set(R=-1.0)
    other = cs.RigidBody.box("other", (1, 1, 1), mass=1.0)
    model.add(cs.KnifeEdge("far", other, direction=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="knife edge 'far': refers to the body 'other', which is not in"):
        model.validate()
    ground = cart()
    ground.add(cs.RollingDisc("fixed", cs.GROUND.at((0, 0, 1)), 1.0, axis=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="rolling disc 'fixed': its centre is on the ground"):
        ground.validate()
    file = tmp_path / "bad.yaml"
    file.write_text(
        "bodies:\n- {name: b, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
        "rolling:\n- {kind: KnifeEdge, name: e, place: c, direction: [0, 1, 0]}\n"
    )
    with pytest.raises(cs.CosseratError, match=r"rolling\[0\]\.place.*unknown body 'c'"):
        cs.load_model(file)
