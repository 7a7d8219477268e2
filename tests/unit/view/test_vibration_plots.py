"""Pictures of modes, responses and resonances are drawn, with what they should show."""

from pathlib import Path

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture(scope="module")
def model():
    out = cs.Model("mast", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 2], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = out.add(cs.Beam("mast", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    body = out.add(cs.RigidBody("head", mass=0.2, com=(1, 0, 0), inertia=[1e-3] * 3))
    out.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    out.add(cs.Fixed("top", beam.end, body))
    return out


@pytest.fixture(scope="module")
def modes(model):
    return cs.modes(model, 3)


def test_mode_in_its_plane(modes, tmp_path: Path):
    figure = modes.plot(1, path=tmp_path / "mode.png", amplitude=0.2)
    assert (tmp_path / "mode.png").read_bytes()[:4] == b"\x89PNG"
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x (m)", "y (m)")
    moved = next(line for line in axes.lines if line.get_label() == "mast")
    assert np.abs(moved.get_ydata()).max() == pytest.approx(0.2, rel=1e-6)
    assert "mode 1" in axes.get_title()


def test_mode_in_space_and_default_mode():
    model = cs.Model("corner", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 2], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    model.add(cs.Beam("corner", points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], section=section, elements=6))
    found = cs.modes(model, 2)
    assert found.rigid == 6
    assert "mode 6" in found.plot().axes[0].get_title()
    assert {found.plot(i).axes[0].name for i in (6, 7)} == {"3d", "rectilinear"}  # out of its plane, and in it


def test_animation(modes, tmp_path: Path):
    path = modes.animate(0, path=tmp_path / "mode.html")
    assert "<html" in path.read_text(encoding="utf-8").lower()


def test_bode_and_resonances(model, modes, tmp_path: Path):
    response = cs.frequency_response(model, "mast.end.fz", ["head.z", "head.y"], np.geomspace(0.01, 0.2, 7))
    figure = response.plot("head.z", path=tmp_path / "bode.png")
    assert figure.axes[0].get_yscale() == "log"
    assert len(figure.axes[0].lines) == 1
    assert "7 frequencies" in repr(response)
    found = cs.resonances(modes, 2 / modes.frequencies[0], harmonics=4)
    assert found.table["harmonic"].values.tolist() == [m.harmonic for m in found]
    assert "mode 0" in [text.get_text() for text in found.plot(path=tmp_path / "r.png").axes[0].texts]
    assert "mast" in found.summary()
    assert "none of 3 harmonics" in cs.resonances(modes, 1e-3, harmonics=3).summary()


def labels(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_units_of_responses(model):
    """One unit stands on the axis, several in the legend; what does not answer is named."""
    f = [0.1, 0.2]
    response = cs.frequency_response(model, "mast.end.fz", ["head.z", "head.y", "head.ry", "mast.at(0).My"], f)
    assert [response.unit(name) for name in response.outputs] == ["m / N", "m / N", "rad / N", "N m / N"]
    figure = response.plot("head.z", "head.y")
    assert figure.axes[0].get_ylabel() == "|output / input| (m / N)"
    assert labels(figure) == ["head.z", "head.y: zero throughout"]
    figure = response.plot("head.z", "head.ry")
    assert figure.axes[0].get_ylabel() == "|output / input|"
    assert labels(figure) == ["head.z (m / N)", "head.ry (rad / N)"]


def test_units_of_joints_loads_and_parameters():
    model = cs.Model("cart", gravity=(0, 0, -9.81))
    cart = model.add(cs.RigidBody("cart", mass=1.0, com=(0, 0, 0), inertia=[1, 1, 1]))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0, 0, -1), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), stiffness=1.0, damping=0.1))
    model.add(cs.Revolute("pivot", cart, bob.at((0, 0, 0)), axis=(0, 1, 0), damping=0.1))
    model.add(cs.Torque("twist", bob, (0, cs.Parameter("P", 1e-3), 0)))
    outputs = ["rail", "pivot", "pivot.rate", "pivot.effort", "rail.fz", "rail.my", "bob.vx", "bob.wy"]
    response = cs.frequency_response(model, ["rail", "pivot", "twist", "bob.mx", "P"], outputs, [0.3])
    numerators = ["m", "rad", "rad/s", "N m", "N", "N m", "m/s", "rad/s"]
    assert response.data["output_unit"].values.tolist() == numerators
    assert response.data["input_unit"].values.tolist() == ["N", "N m", "N m", "N m", ""]
    assert response.unit("rail.fz", "rail") == "1"
    assert response.unit("pivot", "twist") == "rad / (N m)"
    assert response.unit("pivot", "P") == ""


def test_units_of_outputs_of_ones_own_and_of_lengths():
    model = cs.Model("cart", gravity=(0, 0, 0))
    cart = model.add(cs.RigidBody("cart", mass=1.0, com=(0, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), damping=0.1))
    model.add(cs.Spring("spring", cs.GROUND.at((-1, 0, 0)), cart, stiffness=1.0))
    speed = cs.Output("speed", lambda run: run.velocity("cart")[:, 0], "m/s")
    response = cs.frequency_response(model, "rail", [speed, "spring", "spring.tension"], [0.3])
    assert response.data["output_unit"].values.tolist() == ["m/s", "m", "N"]
    assert response.unit("speed") == "m/s / N"


def test_label_of_a_slow_mode_lies_within_the_axes(modes):
    figure = cs.resonances(modes, 0.01 / modes.frequencies[0], harmonics=2).plot()
    figure.canvas.draw()
    box = figure.axes[0].get_window_extent()
    text = next(text for text in figure.axes[0].texts if text.get_text() == "modes 0, 1")
    assert text.get_window_extent().x0 >= box.x0


@pytest.mark.parametrize("path", ["picture.xyz", "folder/picture.doc", 3, ["a.png"]])
def test_files_that_are_no_pictures(path):
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 1.0), damping=0.1))
    modes = cs.modes(model)
    pictures = [
        modes,
        cs.frequency_response(model, "rail", "rail", [1.0, 2.0]),
        cs.resonances(modes, 1.0),
        cs.stability(model, "k", [1.0, 2.0]),
        cs.stability_map(model, {"k": [1.0, 2.0], "W": [0.1, 0.2]}, spin=(0, 0, cs.Parameter("W", 0.1))),
        cs.campbell(model, [0.1, 0.2]),
        cs.equilibrium(model),
    ]
    for picture in pictures:
        with pytest.raises(cs.CosseratError, match=r"plot: (no pictures of the kind|path is)"):
            picture.plot(path=path)
