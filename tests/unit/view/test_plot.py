"""Plots and scenes are written, labelled and whole."""

from __future__ import annotations

import base64
import json
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import PlaceError, SolveError
from cosserat.view.scene import html, scene


@pytest.fixture(scope="module")
def run() -> cs.Run:
    model = cs.Model("arm <1>", gravity=(0, -9.81, 0))
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL,
                elements=4)
    )  # fmt: skip
    load = model.add(cs.RigidBody.cylinder("load", diameter=0.2, length=0.1, mass=0.5, com=(1, 1.1, 0)))
    bare = model.add(cs.RigidBody("bare", mass=0.1, com=(1, 1.6, 0), inertia=(0.01, 0.01, 0.01)))
    model.add(cs.Revolute("root", cs.GROUND, beam.start, axis=(0, 0, 1)))
    model.add(cs.Fixed("grip", beam.end, load.at((1, 1, 0))))
    model.add(cs.Spherical("ball", load.at((1, 1.2, 0)), bare.at((1, 1.2, 0))))
    return cs.simulate(model, duration=0.1, step=0.01)


def test_plots(run: cs.Run, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    figure = run.plot("beam.end", "load", path=tmp_path / "p.png")
    axes = figure.axes[0]
    assert axes.get_xlabel() == "time (s)"
    assert axes.get_ylabel() == "position (m)"
    assert len(axes.lines) == 6
    assert (tmp_path / "p.png").stat().st_size > 5000
    assert len(run.plot(quantity="coordinate").axes[0].lines) == 4
    for quantity in ("velocity", "angular_velocity", "acceleration", "effort", "reaction", "coordinate_rate"):
        assert run.plot(quantity=quantity).axes[0].lines
    curves = run.plot("beam.start", "beam.at(0.5)", quantity="section_force", path=tmp_path / "s.png").axes[0].lines
    assert len({(line.get_color(), line.get_linestyle()) for line in curves}) == 12
    assert np.array_equal(curves[11].get_ydata(), run.section_force("beam", 0.5)[:, 5])
    assert len(run.plot(quantity="strain").axes[0].lines) == 6
    energy = run.plot_energy(path=tmp_path / "e.png")
    assert energy.axes[0].get_ylabel() == "energy (J)"
    own, axis = plt.subplots()
    assert run.plot("load", ax=axis) is own
    plt.close("all")


def test_bad_plots(run: cs.Run) -> None:
    with pytest.raises(SolveError, match="unknown quantity 'colour'; known: position"):
        run.plot("load", quantity="colour")
    with pytest.raises(PlaceError, match="unknown body 'arm'"):
        run.plot("arm.end")
    free = cs.Model("free", gravity=(0, 0, -1))
    free.add(cs.RigidBody("body", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(SolveError, match="no joint"):
        cs.simulate(free, duration=0.1, step=0.05).plot(quantity="coordinate")


def test_scene_is_one_file_that_holds_the_motion(run: cs.Run, tmp_path: Path) -> None:
    path = run.show(tmp_path / "scene.html", open=False)
    text = path.read_text(encoding="utf-8")
    assert "http" not in text
    assert "__DATA__" not in text
    assert "<title>arm &lt;1&gt;</title>" in text
    data = json.loads(re.search(r"const S = (.*);\n", text)[1])
    unpack = lambda s: np.frombuffer(base64.b64decode(s), dtype="<f4")  # noqa: E731
    assert np.allclose(unpack(data["time"]), run.time, atol=1e-6)
    assert data["up"] == [0.0, 1.0, 0.0]
    beam = data["beams"][0]
    points = unpack(beam["x"]).reshape(len(run.time), beam["n"], 3)
    assert np.allclose(points[:, -1], run.position("beam.end"), atol=1e-5)
    assert np.allclose(points[0, : beam["n"] // 2 + 1, 1], 0.0, atol=1e-6)
    assert beam["radius"] == pytest.approx(0.01)
    assert data["bodies"][0]["shape"]["kind"] == "cylinder"
    assert data["bodies"][1]["shape"] is None
    assert len(data["bodies"][1]["links"]) == 1
    assert [t["name"] for t in data["trails"]] == ["beam.end"]


def test_the_legend_of_many_lines_leaves_room_for_them(tmp_path: Path) -> None:
    model = cs.Model("many", gravity=(0, 0, -9.81))
    for k in range(30):
        model.add(cs.RigidBody(f"body {k}", mass=1.0, inertia=(1, 1, 1), com=(k, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = cs.simulate(model, duration=0.1, step=0.05).plot(path=tmp_path / "many.png")
    (axes,) = figure.axes
    assert len(axes.lines) == 90
    assert axes.get_legend().get_texts()[-1].get_text() == "and 68 more"
    assert axes.get_position().width > 0.6


def test_pictures_in_files_are_not_kept_open(run: cs.Run, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    assert run.plot("bare", path=tmp_path / "p.png").axes
    run.plot_energy(path=tmp_path / "e.png")
    assert plt.get_fignums() == before


def test_springs_and_tendons_are_drawn_and_seen_whole() -> None:
    model = cs.Model("hanging & swinging", gravity=(0, 0, -9.81))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(0.5, 0, -1)))
    model.add(cs.Spring("spring", cs.GROUND.at((0, 0, 2)), ball, stiffness=100.0))
    model.add(cs.Tendon("cable", through=[cs.GROUND.at((1, 0, 0)), ball, cs.GROUND.at((1, 0, -2))], stiffness=50.0))
    model.add(cs.Force("push", ball.at((0.5, 0, -0.95)), (0, 0, 1)))
    run = cs.simulate(model, duration=0.1, step=0.01)
    assert np.allclose(scene(run)["bodies"][0]["links"], [(0, 0, 0), (0, 0, 0), (0, 0, 0.05)])
    assert "<title>hanging &amp; swinging</title>" in html(run)
    picture = scene(run)
    unpack = lambda s: np.frombuffer(base64.b64decode(s), dtype="<f4")  # noqa: E731
    spring, cable = picture["lines"]
    assert (spring["name"], cable["name"]) == ("spring", "cable")
    x = unpack(cable["x"]).reshape(len(run.time), 3, 3)
    assert np.allclose(x[:, 1], run.position("ball"), atol=1e-6)
    assert np.allclose(x[:, [0, 2]], [(1, 0, 0), (1, 0, -2)])
    assert unpack(spring["x"]).reshape(len(run.time), 2, 3)[0, 0].tolist() == [0, 0, 2]
    assert picture["high"][2] == 2.0
    assert picture["low"][2] == -2.0
    assert picture["room"] == pytest.approx(0.05)


def test_trails_and_browser(run: cs.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = run.show(trail=["load", "beam.at(0.5)"])
    assert opened == [path.as_uri()]
    assert [t["name"] for t in scene(run, "bare")["trails"]] == ["bare"]
    with pytest.raises(PlaceError):
        run.show(tmp_path / "x.html", trail="nothing")


def test_rolling_discs_are_drawn_on_the_ground() -> None:
    model = cs.Model("coin", gravity=(0, 0, -9.81))
    coin = cs.RigidBody("coin", mass=1, com=(0, 0, 0.5), inertia=(0.1, 0.2, 0.1), angular_velocity=(0, 2, 0))
    model.add(coin)
    model.add(cs.RollingDisc("rim", coin, radius=0.5, axis=(0, 1, 0)))
    model.add(cs.KnifeEdge("edge", coin, direction=(0, 1, 0)))
    picture = scene(cs.simulate(model, 0.1, step=0.01))
    (wheel,) = picture["wheels"]
    assert wheel["radius"] == 0.5
    assert wheel["axis"] == [0, 1, 0]
    assert wheel["colour"] == picture["bodies"][0]["colour"]
    assert picture["low"][2] == pytest.approx(0.0, abs=1e-12)  # the plane
    assert picture["size"] >= picture["scale"] == 1.0


def test_marks_have_the_size_of_the_mechanism_and_not_of_its_way() -> None:
    model = cs.Model("far")
    for k in (0, 1):
        model.add(cs.RigidBody(f"end{k}", mass=1, com=(0, k, 0), inertia=(1, 1, 1), velocity=(3, 0, 0)))
    picture = scene(cs.simulate(model, 1.0, step=0.1))
    assert picture["size"] == pytest.approx(3.0)
    assert picture["scale"] == pytest.approx(1.0)


def test_what_is_far_from_the_origin_is_drawn_as_exactly() -> None:
    """Numbers of single precision are half a metre apart at 7000 km."""
    model = cs.Model("orbit")
    body = cs.RigidBody("body", mass=1, com=(7e6, 0, 0), inertia=(1, 1, 1), velocity=(0, 7e3, 0))
    model.add(cs.Spring("spring", model.add(body).at((7e6 + 1, 0, 0)), cs.GROUND.at((7e6, 0, 0)), stiffness=1e-9))
    run = cs.simulate(model, 0.1, step=0.01)
    picture = scene(run)
    origin = np.frombuffer(base64.b64decode(picture["origin"]), dtype="<f8").reshape(-1, 3)
    for drawn in (picture["bodies"][0], picture["trails"][0]):
        x = np.frombuffer(base64.b64decode(drawn["x"]), dtype="<f4").reshape(-1, 3)
        assert np.allclose(origin + x, run.position("body"), rtol=0, atol=1e-8)


def test_joints_are_drawn_by_their_coordinate() -> None:
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    pivot = model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
    run = cs.simulate(model, duration=0.1, step=0.01)
    for target in ("pivot", pivot, f"pivot.{pivot.freedoms[0].name}"):
        (line,) = run.plot(target).axes[0].lines
        assert (line.get_ydata() == run.coordinate("pivot").values).all()
    assert "coordinate (rad)" in run.plot("pivot").axes[0].get_ylabel()
    assert "position (m)" in run.plot("bob").axes[0].get_ylabel()
    with pytest.raises(cs.CosseratError, match="two pictures"):
        run.plot("bob", "pivot")


def test_an_equilibrium_is_shown_still(tmp_path: Path) -> None:
    model = cs.Model("strip", gravity=(0, 0, -9.81))
    strip = model.add(
        cs.Beam("strip", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.005), material=cs.materials.STEEL, elements=4)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, strip.start))
    rest = cs.equilibrium(model)
    text = rest.show(tmp_path / "rest.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r"const S = (.*);\n", text)[1])
    points = np.frombuffer(base64.b64decode(data["beams"][0]["x"]), dtype="<f4").reshape(-1, 3)
    assert np.allclose(points[-1], rest.position("strip.end"), atol=1e-6)


def test_the_page_of_a_mode_says_which(tmp_path: Path) -> None:
    model = cs.Model("spring")
    body = model.add(cs.RigidBody("body", mass=1.0, inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=(2 * np.pi) ** 2))
    page = cs.modes(model, 1).animate(0, tmp_path / "mode.html").read_text(encoding="utf-8")
    assert "<title>spring, mode 0: 1 Hz, body 100 %</title>" in page


def test_modal_bodies_are_drawn_where_they_rest_and_vibrate(tmp_path: Path) -> None:
    model = cs.Model("boom", gravity=(0, 0, -9.81))
    line = cs.Beam("boom", points=[(0, 0, 0), (2, 0, 0)], section=cs.Rod(0.03), material=cs.materials.STEEL, elements=4)
    boom = model.add(cs.modal_body(line, modes=2, boundary="cantilever"))
    model.add(cs.Fixed("clamp", cs.GROUND, boom.at("start")))
    rest = cs.equilibrium(model)
    (axes,) = rest.plot(path=tmp_path / "rest.png").axes
    assert [drawn.get_label() for drawn in axes.lines][1] == "boom"
    assert "<title>boom</title>" in rest.show(tmp_path / "rest.html").read_text(encoding="utf-8")
    modes = cs.modes(model, 1)
    assert modes.plot(0, path=tmp_path / "mode.png").axes[0].lines
    page = pickle.loads(pickle.dumps(modes)).animate(0, tmp_path / "mode.html").read_text(encoding="utf-8")
    (outline,) = json.loads(re.search(r"const S = (.*);\n", page)[1])["outlines"]
    unpack = lambda s: np.frombuffer(base64.b64decode(s), dtype="<f4")  # noqa: E731
    bent = unpack(outline["shape"]).reshape(-1, 3, 2)[-1] @ unpack(outline["modes"]).reshape(-1, 2).T  # of its tip
    assert np.ptp(bent, axis=1).max() == pytest.approx(0.4, rel=1e-3)  # a tenth of its length to both sides


def test_one_stored_moment_is_seen(run: cs.Run) -> None:
    beam = cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.03), material=cs.materials.STEEL, elements=4)
    model = cs.Model("stuck")
    model.add(cs.Fixed("clamp", cs.GROUND, model.add(beam).start))
    model.add(cs.Force("blow", beam.end, lambda t: (0, 0, 1e12 * t)))
    run = cs.simulate(model, duration=1.0, step=0.1)
    assert len(run.time) == 1
    assert run.plot("beam.end").axes[0].lines[0].get_marker() == "o"
