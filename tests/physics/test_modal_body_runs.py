"""Modal bodies in `simulate`: the run knows interfaces, modes, reactions and stresses."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

TUBE = cs.Tube(outer_diameter=0.06, inner_diameter=0.054)
ALLOY = cs.Material(E=70e9, nu=0.33, rho=2700.0)


def beam(name: str = "blade") -> cs.Beam:
    return cs.Beam(name, points=[(0, 0, 0), (2, 0, 0)], section=TUBE, material=ALLOY, elements=8)


def hinged(part, at, gravity: float = -9.81, **drive) -> cs.Model:
    model = cs.Model("rotor", gravity=(0, 0, gravity))
    body = model.add(part)
    model.add(cs.Revolute("hub", cs.GROUND, at(body), axis=(0, 1, 0), **drive))
    return model


@pytest.fixture(scope="module")
def pair() -> tuple[cs.Run, cs.Run]:
    """The same blade as a modal body, and as a beam that the formulation reduces itself."""
    made = cs.modal_body(beam(), modes=6, recovery={"half": 0.5})
    modal = cs.simulate(hinged(made, lambda b: b.at("start")), 0.2, 2e-3, formulation="floating")
    own = cs.simulate(hinged(beam(), lambda b: b.start), 0.2, 2e-3, formulation="floating", modes=6)
    return modal, own


def test_it_moves_as_the_beam_does(pair) -> None:
    modal, own = pair
    for quantity in ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
        one, two = (getattr(run, quantity)("blade.end").values for run in pair)
        np.testing.assert_allclose(one, two, atol=1e-12 * np.abs(two).max())
    np.testing.assert_allclose(modal.reaction("hub"), own.reaction("hub"), atol=1e-9)
    np.testing.assert_allclose(modal.coordinate("blade"), own.coordinate("blade"), atol=1e-14)
    np.testing.assert_allclose(modal.coordinate("blade.mode2"), own.coordinate("blade")[:, 1], atol=1e-14)
    np.testing.assert_allclose(modal.coordinate_rate("blade"), own.coordinate_rate("blade"), atol=1e-12)
    assert modal.energy.kinetic.values[-1] == pytest.approx(own.energy.kinetic.values[-1])


def test_the_floating_frame_sits_at_the_clamp(pair) -> None:
    run = pair[0]
    np.testing.assert_allclose(run.position("blade"), run.position("blade.start"), atol=1e-12)
    np.testing.assert_allclose(run.position(run.model["blade"]), 0.0, atol=1e-12)
    turn = run.coordinate("hub").values
    np.testing.assert_allclose(run.rotation("blade").values[:, 0, 0], np.cos(turn), atol=1e-9)


def test_energy_and_momentum(pair) -> None:
    energy = pair[0].energy
    assert np.abs(energy.balance.values).max() < 1e-5 * energy.kinetic.values.max()
    momentum = pair[0].momentum.values
    pushed = pair[0].reaction("hub").values[:, :3] + [0, 0, -9.81 * pair[0].model["blade"].mass]
    gained = np.sum(0.5 * np.diff(pair[0].time)[:, None] * (pushed[1:] + pushed[:-1]), axis=0)
    assert np.abs(momentum[-1, :3] - gained).max() < 2e-3 * np.abs(momentum).max()


def test_transport_of_momentum_and_derivatives_are_of_second_order() -> None:
    drive = {"motion": "0.2 * sin(3 * t)**3"}
    made = cs.modal_body(beam(), modes=2)
    worst = []
    for step in (4e-3, 2e-3):
        model = hinged(made, lambda b: b.at("start"), gravity=0.0, **drive)
        run = cs.simulate(model, 0.4, step, formulation="floating", rho=0.5)
        worst.append(run.transport_residual.values[len(run.time) // 2 :].max())
    assert worst[0] < 5e-3
    assert worst[1] == pytest.approx(worst[0] / 4, rel=0.2)
    for first, second in (("position", "velocity"), ("velocity", "acceleration")):
        x, v = (getattr(run, name)("blade.end").values for name in (first, second))
        slope = (x[2:] - x[:-2]) / (2 * step)
        assert np.abs(slope - v[1:-1])[100:].max() < 2e-3 * np.abs(v).max()
    spin, rate = (getattr(run, name)("blade.end").values for name in ("angular_velocity", "angular_acceleration"))
    assert np.abs((spin[2:] - spin[:-2]) / (2 * step) - rate[1:-1])[100:].max() < 2e-3 * np.abs(rate).max()


def test_free_flight_with_given_velocities() -> None:
    """A free body keeps its momentum; modal rates given at the start are there."""
    made = cs.modal_body(beam(), modes=4, boundary="free")
    rates = np.array([0.02, 0.0, 0.01, 0.0])
    thrown = cs.ModalBody(
        "blade", made.inertia, made.stiffness, made.damping, made.interfaces, position=(1, 0, 0),
        velocity=(1, 2, 3), angular_velocity=(0, 0, 5), rates=rates,
    )  # fmt: skip
    model = cs.Model("flight")
    model.add(thrown)
    changes = []
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, 0.2, step, formulation="floating")
        np.testing.assert_allclose(run.coordinate_rate("blade").values[0], rates, atol=1e-12)
        np.testing.assert_allclose(run.velocity("blade").values[0], (1, 2, 3), atol=1e-12)
        momentum = run.momentum.values
        np.testing.assert_allclose(momentum[0, :3], made.mass * np.array([1, 2, 3]), rtol=1e-9)
        changes.append(np.abs(momentum - momentum[0]).max() / momentum.max())
        np.testing.assert_allclose(run.position("blade").values[-1], (1.2, 0.4, 0.6), atol=2e-4)
    assert changes[1] < 2e-5
    assert changes[1] < changes[0] / 3  # second order


@pytest.mark.parametrize("modes", [1, 8])
def test_stress_at_rest_is_that_of_the_weight(modes: int) -> None:
    """A clamped blade that settles under its weight: the moment in the middle, with however few modes."""
    soft = cs.Material(E=70e9, nu=0.33, rho=2700.0, damping=0.01)
    part = cs.Beam("blade", points=[(0, 0, 0), (2, 0, 0)], section=TUBE, material=soft, elements=8)
    made = cs.modal_body(part, modes=modes, recovery={"half": 0.5, "inside": 0.7})
    run = cs.simulate(hinged(made, lambda b: b.at("start"), motion="0 * t"), 1.5, 5e-3, formulation="floating")
    weight = 9.81 * made.mass
    half = run.stress("blade", "half")
    assert list(half["component"].values) == ["N", "Qy", "Qz", "T", "My", "Mz"]
    assert half.values[-1, 4] == pytest.approx(weight / 4, rel=1e-4)  # w (L/2)^2 / 2
    assert half.values[-1, 2] == pytest.approx(-weight / 2, rel=1e-4)
    assert run.stress("blade", "inside").values[-1, 4] == pytest.approx(weight * 0.6**2 / 4, rel=1e-4)
    EI = part.section_at(0.5)[0][4, 4]
    assert run.strain("blade", "half").values[-1, 4] == pytest.approx(half.values[-1, 4] / EI)


@pytest.mark.parametrize("boundary", ["cantilever", "craig-bampton"])
def test_stress_below_a_payload(boundary: str) -> None:
    """A ball welded to the end and a torque on it, one mode: moments and shear force in the middle by statics."""
    soft = cs.Material(E=70e9, nu=0.33, rho=2700.0, damping=0.01)
    part = cs.Beam("blade", points=[(0, 0, 0), (2, 0, 0)], section=TUBE, material=soft, elements=8)
    model = hinged(
        cs.modal_body(part, 1, boundary=boundary, recovery={"half": 0.5}), lambda b: b.at("start"), motion="0 * t"
    )
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(2, 0, 0)))
    model.add(cs.Fixed("weld", "blade.end", ball))
    model.add(cs.Torque("twist", "blade.end", (7, 0, 3)))
    run = cs.simulate(model, 1.5, 5e-3, formulation="floating")
    weight = 9.81 * model["blade"].mass
    expected = [0, 0, -weight / 2 - 9.81, 7, weight / 4 + 9.81, 3]
    np.testing.assert_allclose(run.stress("blade", "half").values[-1, 1:], expected[1:], atol=0.03)


def test_a_rotating_blade_is_pulled_though_its_modes_only_bend() -> None:
    """N = rho A omega^2 (L^2 - r^2) / 2, for a blade that stands anywhere, turned about any axis across it."""
    omega, length, foot = 8.0, 1.5, np.array([0.3, -1.0, 2.0])
    along, axis = np.array([2.0, 2.0, 1.0]) / 3, np.array([1.0, -1.0, 0.0]) / np.sqrt(2)
    part = cs.Beam("blade", points=[foot, foot + length * along], section=TUBE, material=ALLOY, elements=6)
    made = cs.modal_body(part, modes=2, recovery={"a": 0.0, "b": 0.5, "c": 0.85})
    model = cs.Model("rotor")
    body = model.add(made)
    model.add(cs.Revolute("hub", cs.GROUND, body.at("start"), axis=axis, motion=f"{omega} * t"))
    run = cs.simulate(model, 0.2, 5e-3, formulation="floating")
    for point, s in (("a", 0.0), ("b", 0.5), ("c", 0.85)):
        expected = made.mass / length * omega**2 * length**2 * (1 - s**2) / 2
        # inside an element a load that grows along it is taken as uniform
        rest = made.mass / length * omega**2 * (length / 6) ** 2 / 8
        assert np.abs(run.stress("blade", point).values[:, 0] - expected).max() < 1e-5 * expected + (s == 0.85) * rest
        assert np.abs(run.stress("blade", point).values[:, 1:3]).max() < 0.05 * expected


def test_saved_and_loaded(pair, tmp_path) -> None:
    run = pair[0]
    run.save(tmp_path / "blade.nc")
    back = cs.load_run(tmp_path / "blade.nc")
    for ask in (
        lambda r: r.position("blade.end"),
        lambda r: r.velocity("blade"),
        lambda r: r.coordinate("blade"),
        lambda r: r.stress("blade", "half"),
        lambda r: r.strain("blade", "half"),
        lambda r: r.reaction("hub"),
        lambda r: r.energy.total,
        lambda r: r.momentum,
        lambda r: r.transport_residual,
    ):
        np.testing.assert_array_equal(ask(run).values, ask(back).values)
        assert ask(run).attrs == ask(back).attrs
    assert "blade.end.position" in back.data
    assert back.data["blade.modal_coordinate"].shape == (101, 6)
    assert back.data["blade.half.stress"].dims == ("time", "blade.stress_component")


def test_pictures(pair, tmp_path) -> None:
    run = pair[0]
    page = run.show(tmp_path / "blade.html", open=False).read_text()
    assert '"outlines":[{"name":"blade"' in page
    figure = run.plot(quantity="velocity")
    assert figure.axes[0].get_legend_handles_labels()[1] == ["blade.end  x", "blade.end  y", "blade.end  z"]


def test_wrong_questions(pair) -> None:
    run, own = pair
    with pytest.raises(cs.CosseratError, match=r"unknown frame 'blade.tip'; .* 'blade', 'start', 'end'"):
        run.position("blade.tip")
    with pytest.raises(cs.CosseratError, match=r"stress: modal body 'blade' has no recovery point 'root'; .* 'half'"):
        run.stress("blade", "root")
    with pytest.raises(cs.CosseratError, match=r"unknown modal body 'hub'; modal bodies of the model: 'blade'"):
        run.stress("hub", "half")
    with pytest.raises(cs.CosseratError, match=r"unknown modal body 'blade'; modal bodies of the model: none"):
        own.stress("blade", "half")
    with pytest.raises(cs.CosseratError, match=r"body 'blade' has no mode 'mode7'; its modes: 'mode1' to 'mode6'"):
        run.coordinate("blade.mode7")
    galilean = cs.simulate(hinged(beam(), lambda b: b.start), 0.01, 2e-3)
    with pytest.raises(cs.CosseratError, match=r"modal coordinates belong to runs with formulation='floating'"):
        galilean.coordinate("blade")
