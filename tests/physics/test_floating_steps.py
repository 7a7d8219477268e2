"""Time integration in floating frames: order, conservation, initial velocities, prescribed motions, loads."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.floating.verdicts import indefinite

SECTION = cs.Rectangle(width=0.02, height=0.03)


def top(stiffness: float = 0.0) -> cs.Model:
    """Two rigid bodies on spherical joints, turning fast."""
    model = cs.Model("top", gravity=(0, 0, -9.81))
    one = model.add(cs.RigidBody("one", mass=2.0, com=(0.3, 0, 0.2), inertia=(0.02, 0.03, 0.04),
                                 angular_velocity=(1, 2, 8)))  # fmt: skip
    two = model.add(cs.RigidBody("two", mass=1.0, com=(0.6, 0.1, 0.5), inertia=(0.01, 0.02, 0.015)))
    model.add(cs.Spherical("ball", cs.GROUND, one.at((0, 0, 0)), stiffness=stiffness))
    model.add(cs.Spherical("socket", two.at((0.5, 0, 0.4)), one.at((0.5, 0, 0.4))))
    return model


def test_runge_kutta_is_of_fourth_order() -> None:
    ends = []
    for step in (0.02, 0.01, 0.005, 0.0025):
        run = cs.simulate(top(), 0.2, step, formulation="floating", integrator="runge-kutta")
        ends.append(run.position("two").values[-1])
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] / errors[1] > 12
    assert errors[1] / errors[2] > 12


def test_generalised_alpha_is_of_second_order() -> None:
    reference = cs.simulate(top(2.0), 0.2, 0.002, formulation="floating", integrator="runge-kutta")
    errors = []
    for step in (0.01, 0.005, 0.0025):
        run = cs.simulate(top(2.0), 0.2, step, formulation="floating", newton_tolerance=1e-10)
        errors.append(np.linalg.norm(run.position("two").values[-1] - reference.position("two").values[-1]))
    assert errors[0] / errors[1] > 3.4
    assert errors[1] / errors[2] > 3.4


def test_rigid_bodies_agree_with_the_galilean_run() -> None:
    """Among others the velocities at the start, which the joints change."""
    model = top()
    floating = cs.simulate(model, 0.3, 0.01, formulation="floating", integrator="runge-kutta")
    galilean = cs.simulate(model, 0.3, 5e-4, every=20)
    for name in ("one", "two"):
        assert np.allclose(floating.velocity(name)[0], galilean.velocity(name)[0], atol=1e-9)
        assert np.abs(floating.position(name).values - galilean.position(name).values).max() < 2e-5
    assert np.allclose(floating.coordinate_rate("socket"), galilean.coordinate_rate("socket"), atol=2e-3)
    energy = floating.energy
    assert np.abs(energy.balance.values).max() < 1e-5 * np.ptp(energy.kinetic.values)


@pytest.fixture(scope="module")
def satellite() -> cs.Model:
    model = cs.Model("satellite")
    hub = model.add(cs.RigidBody.box("hub", (0.5, 0.5, 0.5), mass=20.0, velocity=(0.1, 0, 0.2),
                                     angular_velocity=(0.2, 0.1, 0.5)))  # fmt: skip
    alloy = cs.Material(E=70e9, nu=0.3, rho=2700.0)
    for name, side in (("left", -1), ("right", 1)):
        points = [(0, side * 0.25, 0), (0, side * 2.25, 0)]
        panel = model.add(cs.Beam(name, points=points, section=SECTION, material=alloy, elements=4))
        model.add(cs.Revolute(f"{name} hinge", hub.at(points[0]), panel.start, axis=(1, 0, 0), stiffness=50, damping=1))
    return model


def test_a_free_satellite_keeps_its_momentum(satellite) -> None:
    """To the second order of the method."""
    drift = []
    for step in (5e-3, 2.5e-3):
        run = cs.simulate(satellite, 0.1, step, formulation="floating", modes=4)
        momentum = run.momentum.values
        drift.append(np.abs(momentum - momentum[0]).max() / np.abs(momentum).max())
    assert drift[1] < 1e-4
    assert drift[0] / drift[1] > 3
    assert np.ptp(run.coordinate("left hinge").values) > 1e-3
    assert np.abs(run.energy.balance.values).max() < 2e-3 * run.energy.kinetic.values[0]


def test_a_free_satellite_agrees_with_the_galilean_run(satellite) -> None:
    floating = cs.simulate(satellite, 0.5, 5e-3, formulation="floating", modes=4)
    galilean = cs.simulate(satellite, 0.5, 5e-3)
    assert np.allclose(floating.momentum[0], galilean.momentum[0], rtol=1e-6, atol=1e-6)
    moved = (galilean.position("left.end") - galilean.position("left.end")[0]).values
    away = (floating.position("left.end") - galilean.position("left.end")).values
    assert np.abs(away).max() < 1e-3 * np.abs(moved).max()


def test_a_load_bends_a_beam_to_its_equilibrium() -> None:
    """Strong numerical damping of a stiff beam under an end force leaves the static deflection."""
    model = cs.Model("cantilever")
    material = cs.Material(E=70e9, nu=0.3, rho=2700.0, damping=1e-2)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=SECTION, material=material, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0, 0, 10.0)))
    run = cs.simulate(model, 2.0, 0.02, formulation="floating", modes=2, rho=0.0)
    expected = cs.equilibrium(model).position("beam.end")
    assert run.position("beam.end").values[-1] == pytest.approx(np.asarray(expected), abs=1e-6)


def test_modal_bodies_move_as_the_beams_they_come_from() -> None:
    models = []
    material = cs.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=SECTION, material=material, elements=4)
    for body in (beam, cs.modal_body(beam, modes=3)):
        model = cs.Model("swing", gravity=(0, 0, -9.81))
        model.add(body)
        model.add(cs.Revolute("hub", cs.GROUND, "blade.start", axis=(0, 1, 0), motion="0.3 * sin(5 * t)"))
        models.append(model)
    run = cs.simulate(models[0], 0.2, 2e-3, formulation="floating", modes=3)
    tree = cs.FlexibleTree(models[1])
    motion = tree.integrate(0.2, 2e-3, v=[1.5, 0, 0, 0])
    assert motion.status.ok
    found = np.array([tree.frame("blade.end", q)[:3, 3] for q in motion.q])
    assert np.abs(found - run.position("blade.end").values).max() < 1e-4


def test_a_solid_rides_on_a_joint() -> None:
    """A steel block swings as the rigid body it nearly is, and keeps its energy."""
    pytest.importorskip("skfem")
    mesh = cs.SolidMesh.box(size=(1, 0.04, 0.08), divisions=(4, 1, 1))
    block = cs.modal_body_from_mesh("block", mesh, cs.materials.STEEL, {"root": "x_min", "tip": "x_max"}, modes=1)
    model = cs.Model("block", gravity=(0, 0, -9.81))
    model.add(block)
    hub = model.add(cs.Revolute("hub", cs.GROUND, block.at("root"), axis=(0, 1, 0)))
    tree = cs.FlexibleTree(model)
    motion = tree.integrate(0.4, 4e-3)
    assert motion.status.ok
    energy = np.array([tree.energy(q, v) for q, v in zip(motion.q, motion.v, strict=True)])
    assert np.ptp(energy[:, 3]) < 2e-3 * energy[-1, 0]
    rigid = cs.Model("rigid", gravity=(0, 0, -9.81))
    body = rigid.add(cs.RigidBody.box("body", (1, 0.04, 0.08), mass=block.mass, com=hub.position() + (0.5, 0, 0)))
    rigid.add(cs.Revolute("hub", cs.GROUND, body.at(hub.position()), axis=(0, 1, 0)))
    angle = cs.FlexibleTree(rigid).integrate(0.4, 4e-3).q[:, 0]
    assert np.abs(motion.q[:, 0] - angle).max() < 2e-3 * angle[-1]


def test_what_rests_stays_at_rest() -> None:
    """A beam that hangs, stretched by its weight."""
    model = cs.Model("hanging", gravity=(0, 0, -9.81))
    material = cs.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (0, 0, -1)], section=SECTION, material=material, elements=4))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0)))
    tree = cs.FlexibleTree(model, modes=4)
    motion = tree.integrate(0.2, 1e-2)
    assert motion.status.ok, motion.status.message
    assert np.abs(motion.q).max() < 1e-9


@pytest.mark.parametrize("method", ["generalized-alpha", "runge-kutta"])
def test_loads_and_efforts_that_jump(method: str) -> None:
    """A cart that is pushed from t = 0.5 on, by a load and by an effort: x = F (t - 0.5)^2 / (2 m)."""
    model = cs.Model("cart")
    cart = model.add(cs.RigidBody.box("cart", (1, 1, 1), mass=2.0))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), effort=lambda t: 0.0 if t < 0.5 else 3.0))
    model.add(cs.Force("push", cart, lambda t: (0.0 if t < 0.5 else 1.0, 0.0, 0.0)))
    run = cs.simulate(model, 1.0, 0.05, formulation="floating", integrator=method)
    exact = 2.0 * np.maximum(run.time - 0.5, 0.0) ** 2 / 2
    bound = {"generalized-alpha": 2e-3, "runge-kutta": 1e-7}[method]  # half a step too early would be 0.025
    np.testing.assert_allclose(run.position("cart").values[:, 0], exact, atol=bound)


def swinging_rod(E):
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    ends, soft = [(0, 0, 0), (1, 0, 0)], cs.Material(E=E, nu=0.3, rho=1500.0)
    beam = model.add(cs.Beam("rod", points=ends, section=cs.Rod(diameter=0.02), material=soft, elements=6))
    body = model.add(cs.RigidBody("body", mass=0.3, com=(1.2, 0, 0.05), inertia=(0.01, 0.012, 0.013)))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0.2), damping=0.1))
    model.add(cs.Universal("end", beam.end, body, axes=((0, 1, 0), (0, 0, 1)), at=(1, 0, 0), stiffness=[1.0, 2.0]))
    return model


@pytest.mark.parametrize(("E", "modes", "bound"), [(2e9, 8, 5e-5), (2e9, 12, 5e-5), (2e8, 8, 8e-4), (5e7, 8, 2e-3)])
def test_many_modes_on_a_free_seat(E, modes, bound):
    """A rod on a hinge with a body at its end bends by 0.5 to 16 % of its length: it follows the Galilean run.

    With the kinetic energy cut off after second order it flew apart within 0.2 s.
    """
    run = cs.simulate(swinging_rod(E), 0.5, step=1e-3, formulation="floating", modes=modes)
    assert run.status.ok
    same = cs.simulate(swinging_rod(E), 0.5, step=1e-3)
    np.testing.assert_allclose(run.position("body").values, same.position("body").values, atol=bound)
    assert np.abs(run.energy.balance.values).max() < 1e-4 * np.abs(run.energy.kinetic.values).max()


@pytest.mark.parametrize(("boundary", "step", "bound"), [("free", 5e-4, 3e-5), ("cantilever", 1.25e-4, 2e-3)])
def test_energy_and_momentum_of_a_flying_beam_that_bends_far(boundary, step, bound):
    """A free rod that tumbles and bends by 20 % of its length, twelve modes: conserved with order 2.

    Seen from one end, the other moves by half the length. Modes held there are no good approximation then: they turn
    the rod about its axis at about 90 Hz. They conserve all the same, once steps resolve that.
    """
    soft = cs.Material(E=5e7, nu=0.3, rho=1500.0)
    speeds = ("0", "0.5 * x", "3 * cos(2 * pi * x) + x")

    def drifts(step):
        model = cs.Model("flight", gravity=(0, 0, 0))
        model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.03), material=soft, elements=8,
                          velocity=speeds))  # fmt: skip
        run = cs.simulate(model, 0.2, step=step, formulation="floating", modes=12, boundary=boundary)
        assert run.status.ok
        assert ("'rod' bends by 0.5" in run.status.message) == (boundary == "cantilever")
        assert np.ptp(run.energy.kinetic.values) > 0.5 * run.energy.kinetic.values.max()
        held = np.column_stack((run.energy.total.values, run.momentum.values))
        return np.abs(held - held[0]).max(axis=0)

    coarse, fine = drifts(step), drifts(step / 2)
    assert fine.max() < bound
    assert np.all(fine[coarse > 1e-6] < 0.3 * coarse[coarse > 1e-6])


def test_tensors_that_do_not_belong_together_are_named():
    """A modal body whose inertia knows how it changes with the shapes, but not the square of that change."""
    inertia = cs.ModalInertia(
        mass=1.0, first_moment=(0.5, 0, 0), inertia=(0.01, 0.34, 0.34), modal_mass=[[1.0]],
        linear_coupling=[(0, 0, 0.5)], angular_coupling=[(0, -0.4, 0)],
        inertia_gradient=[[(0, 0, 0), (0, -2.0, 0), (0, 0, -2.0)]],
    )  # fmt: skip
    body = cs.ModalBody("blob", inertia, [[50.0]], interfaces={"root": cs.Interface((0, 0, 0), np.zeros((6, 1)))})
    model = cs.Model("m", gravity=(0, 0, -9.81))
    model.add(body)
    model.add(cs.Revolute("hinge", cs.GROUND, body.at("root"), axis=(0, 1, 0)))
    assert not cs.simulate(model, 2.0, step=1e-3, formulation="floating").status.ok
    q = np.array([[0.0, 0.0], [0.0, 0.1], [0.0, 0.2]])
    said = indefinite(cs.FlexibleTree(model), np.zeros(2, dtype=bool), np.array([0.0, 0.1, 0.2]), q)
    assert said.startswith("from t = 0.1 s on the mass matrix is not positive: the tensors of the modal bodies")
