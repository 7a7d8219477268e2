"""Central gravity: orbits, libration by the gradient, oblateness; bodies and beams, both formulations."""

import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat as cs
from cosserat.lie import se3
from cosserat.model.gravity_fields import central_wrench

FORMULATIONS = ("galilean", "floating")


def satellite(inertia, velocity=(0.0, 1.0, 0.0), **more):
    """A body at the distance 1 of a centre with mu = 1: a circular orbit with the rate n = 1."""
    model = cs.Model("satellite", gravity=cs.CentralGravity(1.0))
    model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=1e-8 * np.diag(inertia), velocity=velocity, **more))
    return model


def in_orbit(radius=1.0):
    """The frame that goes round with a satellite: x away from the centre, y ahead, z across the orbit."""
    frame = cs.Observer(origin=(f"{radius!r}*cos(t)", f"{radius!r}*sin(t)", 0.0), turns=[((0, 0, 1), "t")])
    return cs.Model("in orbit", gravity=cs.CentralGravity(1.0), frame=frame)


def test_wrench_is_the_derivative_of_the_energy():
    rng = np.random.default_rng(3)
    J = rng.normal(size=(3, 3))
    J = J @ J.T
    numbers = {"mu": 2.0, "j2": 0.3, "radius": 0.7, "m": 1.3, "cx": 0.1, "cy": -0.2, "cz": 0.3}
    pole = rng.normal(size=3)
    numbers |= dict(zip(("px", "py", "pz"), pole / np.linalg.norm(pole), strict=True))
    numbers |= dict(zip(("sx", "sy", "sz"), rng.normal(size=3), strict=True))
    names = ("jxx", "jyy", "jzz", "jxy", "jxz", "jyz")
    numbers |= dict(zip(names, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]), strict=True))
    H = se3.exp(rng.normal(size=6))
    H[:3, 3] += [2.0, 1.0, -1.5]
    wrench = central_wrench(0.0, H, np.zeros(6), numbers)[:6]
    for i, d in enumerate(1e-5 * np.eye(6)):
        sides = [central_wrench(0.0, H @ se3.exp(s * d), np.zeros(6), numbers)[6] for s in (1.0, -1.0)]
        assert wrench[i] == pytest.approx(-(sides[0] - sides[1]) / 2e-5, rel=1e-7, abs=1e-7)


def test_a_body_feels_an_oblate_field_as_its_points_do():
    """Force and torque on six points, each by its mass alone, up to the third order of their distances."""
    rng = np.random.default_rng(5)
    field = {"mu": 2.0, "j2": 0.4, "radius": 0.7, "cx": 0.0, "cy": 0.0, "cz": 0.0, "px": 0.48, "py": 0.6, "pz": 0.64}
    names = ("m", "sx", "sy", "sz", "jxx", "jyy", "jzz", "jxy", "jxz", "jyz")
    points, masses = rng.normal(size=(6, 3)), rng.uniform(0.5, 1.5, size=6)
    H = se3.exp(np.array([0, 0, 0, 0.3, -0.5, 0.8]))
    H[:3, 3] = (1.1, 0.7, -0.6)
    errors = []
    for size in (2e-2, 1e-2):
        whole, J = np.zeros(6), np.zeros((3, 3))
        for x, m in zip(size * points, masses, strict=True):
            there = H.copy()
            there[:3, 3] += H[:3, :3] @ x
            f = central_wrench(0.0, there, np.zeros(6), field | dict.fromkeys(names, 0.0) | {"m": m})[:3]
            whole += np.concatenate((f, np.cross(x, f)))
            J += m * (x @ x * np.eye(3) - np.outer(x, x))
        s = masses @ (size * points)
        values = (masses.sum(), *s, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        found = central_wrench(0.0, H, np.zeros(6), field | dict(zip(names, values, strict=True)))[:6]
        errors.append(np.abs(found - whole))
    assert np.max(errors[1][:3]) < 3e-4
    assert np.max(errors[1][3:]) < 3e-4
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 3.0, atol=0.4)


def test_energy_on_an_eccentric_orbit():
    """Ten orbits with e = 0.3 from the perigee, energy-momentum scheme."""
    e, a = 0.3, 1.0
    model = cs.Model("satellite", gravity=cs.CentralGravity(1.0))
    speed = np.sqrt((1 + e) / (1 - e) / a)
    model.add(
        cs.RigidBody(
            "body", mass=1.0, com=(a * (1 - e), 0, 0), inertia=1e-4 * np.diag([1.0, 2.0, 2.5]), velocity=(0, speed, 0),
            angular_velocity=(0.1, 0.2, 1.0),
        )
    )  # fmt: skip
    run = cs.simulate(model, 20 * np.pi, step=2 * np.pi / 200, integrator="energy-momentum")
    assert run.status.ok
    total = run.energy["total"].values
    assert np.ptp(total) < 1e-9 * abs(total[0])
    assert total[0] == pytest.approx(-0.5 / a, rel=1e-3)
    assert np.ptp(run.energy["potential"].values) > 0.5  # it goes far up and down


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_circular_orbit(formulation):
    run = cs.simulate(satellite([1, 2, 2.5]), 2 * np.pi, 2 * np.pi / 800, formulation=formulation)
    assert run.status.ok
    np.testing.assert_allclose(run.position("body")[-1], [1, 0, 0], atol=3e-4)
    assert np.ptp(run.energy["total"].values) < 1e-4


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_pitch_libration_in_space(formulation):
    """Thin rod that points to the centre and turns with the orbit: small pitch goes with sqrt(3) n."""
    small = 1e-3
    body = satellite([1e-4, 1, 1], rotation=(np.cos(small / 2), 0, 0, np.sin(small / 2)), angular_velocity=(0, 0, 1))
    run = cs.simulate(body, 4.0, 2e-3, formulation=formulation)
    R, x = run.rotation("body").values, run.position("body").values
    pitch = np.arctan2(R[:, 1, 0], R[:, 0, 0]) - np.arctan2(x[:, 1], x[:, 0])
    np.testing.assert_allclose(pitch, small * np.cos(np.sqrt(3 * (1 - 1e-4)) * run.time), atol=1e-5 * small / 1e-3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_libration_frequencies_of_a_body(formulation):
    """n sqrt(3 (I_roll - I_yaw)/I_pitch) in pitch; roll and yaw from their own equations (Hughes 1986)."""
    yaw, roll, pitch = 1.0, 2.0, 2.6  # about x (away from the centre), y (ahead), z
    # the orbit with n = 1 is a little wider than 1: 1/r^2 + 3/2 (I_roll + I_pitch - 2 I_yaw)/r^4 = r
    radius = brentq(lambda r: 1 / r**2 + 1.5e-8 * (roll + pitch - 2 * yaw) / r**4 - r, 0.9, 1.1, xtol=1e-16)
    model = in_orbit(radius)
    model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=1e-8 * np.diag([yaw, roll, pitch])))
    found = 2 * np.pi * cs.modes(model, 8, about="reference", formulation=formulation).frequencies
    wanted = np.sqrt(3 * (roll - yaw) / pitch)
    assert np.min(np.abs(found - wanted)) < 1e-6
    # roll angle f about y, yaw angle p about x, pitch axis across: Euler's equations with the gradient
    k1, k3 = (pitch - yaw) / roll, (pitch - roll) / yaw
    b, c = 1 + 3 * k1 + k1 * k3, 4 * k1 * k3
    for sign in (1, -1):
        assert np.min(np.abs(found - np.sqrt((b + sign * np.sqrt(b * b - 4 * c)) / 2))) < 1e-6


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_libration_of_a_thin_rod(formulation):
    """sqrt(3) n in the plane, 2 n out of it, as a rigid body and as a beam of ten elements."""
    model = in_orbit()
    section = cs.Section(stiffness=1e3 * np.eye(6), mass=np.diag([1e-3] * 3 + [1e-12] * 3))
    across = 1e-3 * (2e-3) ** 2 / 12 + 1e-12
    slender = 1 - 1e-12 / across  # (I_roll - I_yaw)/I_pitch
    model.add(cs.Beam("rod", points=[(-1e-3, 0, 0), (1e-3, 0, 0)], section=section, elements=4))
    more = {} if formulation == "galilean" else {"formulation": cs.Floating(modes=3, boundary="free")}
    found = 2 * np.pi * cs.modes(model, 6, about="reference", **more).frequencies
    assert np.min(np.abs(found - np.sqrt(3 * slender))) < 1e-5
    assert np.min(np.abs(found - np.sqrt(1 + 3 * slender))) < 1e-5
    assert slender == pytest.approx(1.0, abs=4e-3)


def clamped(n, length, direction, at):
    """A stiff rod that begins at a distance from the centre of a field with mu = 1000; its balance."""
    model = cs.Model("rod", gravity=cs.CentralGravity(1000.0))
    section = cs.Section(stiffness=[1e11, 1e11, 1e11, 1e7, 1e7, 1e7], mass=[2.0] * 3 + [1e-8] * 3)
    start = np.array([at, 0.0, 0.0])
    rod = model.add(cs.Beam("rod", points=[start, start + length * direction], section=section, elements=n))
    model.add(cs.Fixed("root", cs.GROUND, rod.start))
    return cs.equilibrium(model)


def test_a_beam_in_a_central_field_against_integrals_along_it():
    # along the radius: mu m/(r (r + L)); across: forces mu r/(r^2 + y^2)^(3/2) bend a cantilever
    pulls = [np.abs(clamped(n, 0.5, np.eye(3)[0], 1.0).reaction("root")).max() / (1000 / 1.5) - 1 for n in (2, 4, 8)]
    assert abs(pulls[2]) < 1.4e-6
    assert pulls[0] / pulls[1] == pytest.approx(16, rel=0.1)
    y, weight = np.polynomial.legendre.leggauss(12)
    y, weight = 0.5 * (1 + y), 0.5 * weight
    tip = weight @ (2e4 / (100 + y**2) ** 1.5 * (y**2 * (3 - y) / 6e7 + y / 1e11))
    bent = [(10 - clamped(n, 1.0, np.eye(3)[1], 10.0).position("rod.end")[0]) / tip - 1 for n in (2, 4, 8)]
    assert abs(bent[2]) < 1.5e-7  # of it 5e-8, because the field grows where the rod moves
    assert bent[0] / bent[1] == pytest.approx(16, rel=0.1)


def test_oblateness_turns_the_orbit():
    """Mean rate of the node -3/2 n J2 (a/p)^2 cos i, to first order in J2."""
    j2, tilt = 1e-3, 0.8
    model = cs.Model("satellite", gravity=cs.CentralGravity(1.0, j2=j2, radius=0.8))
    velocity = (0.0, np.cos(tilt), np.sin(tilt))
    model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=1e-10 * np.eye(3), velocity=velocity))
    run = cs.simulate(model, 20 * np.pi, 2 * np.pi / 400)
    h = np.cross(run.position("body").values, run.velocity("body").values)
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    rate = (node[-1] - node[0]) / run.time[-1]
    assert float(rate) == pytest.approx(-1.5 * j2 * 0.8**2 * np.cos(tilt), rel=2e-2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mu": -1.0}, ["mu", "greater than 0"]),
        ({"mu": 1.0, "j2": 1e-3}, ["radius", "greater than 0"]),
        ({"mu": 1.0, "pole": (0, 0, 0)}, ["pole"]),
        ({"mu": 1.0, "centre": (0, 0)}, ["centre"]),
    ],
)
def test_bad_fields_are_located(arguments, words):
    with pytest.raises(cs.CosseratError) as error:
        cs.CentralGravity(**arguments)
    for word in ("CentralGravity", *words):
        assert word in str(error.value)


def test_buoyancy_in_a_central_field_is_refused():
    model = cs.Model("balloon", gravity=cs.CentralGravity(1.0), fluid=cs.Fluid(density=1.0))
    body = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(2, 0, 0)))
    model.add(cs.Buoyancy("lift", body))
    with pytest.raises(cs.CosseratError, match="uniform gravity"):
        cs.simulate(model, 1.0, 0.1)


def test_lines_that_float_in_a_central_field_are_refused():
    model = cs.Model("line", gravity=cs.CentralGravity(1.0), fluid=cs.Fluid(density=1.0))
    section = cs.Section(stiffness=1e3 * np.eye(6), mass=np.diag([1.0] * 3 + [1e-4] * 3))
    beam = model.add(cs.Beam("beam", points=[(1, 0, 0), (1, 0.1, 0)], section=section, elements=2))
    model.add(cs.Morison("water", beam, diameter=0.01))
    with pytest.raises(cs.CosseratError, match=r"'water': buoyancy takes uniform gravity.*buoyancy=False"):
        cs.simulate(model, 1.0, 0.1)
    model.remove("water")
    model.add(cs.Morison("water", beam, diameter=0.01, buoyancy=False))
    model.validate()


@pytest.mark.parametrize("orbit", [None, cs.Observer(origin=("0.5*t", 0, 0), turns=[((0, 0, 1), "0.7*t")])])
@pytest.mark.parametrize("options", [{}, {"formulation": "floating", "modes": 2}, {"integrator": "energy-momentum"}])
def test_fluid_in_a_pipe_falls_with_it(orbit, options):
    # all that is heavy falls alike: a pipe full of fluid that rests in it as the empty pipe

    def fall(mass):
        model = cs.Model("pipe", gravity=cs.CentralGravity(2.0, j2=0.02, radius=0.5), frame=orbit)
        section = cs.Section(stiffness=1e3 * np.eye(6), mass=np.diag([1.0] * 3 + [1e-7] * 3))
        pipe = model.add(cs.Beam("pipe", points=[(1, -0.01, 0), (1, 0.01, 0.01)], section=section, elements=4))
        if mass:
            model.add(cs.PipeFlow("water", pipe, mass=mass, speed=0.0))
        run = cs.simulate(model, 0.2, 0.01, **options)
        return run.position("pipe.at(0.5)").values[-1], np.ptp((run.energy.total - run.energy.work).values) / (1 + mass)

    (empty, _), (full, leak) = fall(0.0), fall(3.0)
    assert np.abs(empty - (1, 0, 0.005)).max() > 0.02
    np.testing.assert_allclose(full, empty, atol=2e-6)
    assert leak < 1e-6


def test_model_files_and_summaries_hold_fields(tmp_path):
    model = cs.Model("satellite", gravity=cs.CentralGravity.earth(oblate=True))
    model.add(cs.RigidBody("body", mass=1.0, com=(7e6, 0, 0), inertia=np.eye(3)))
    cs.save_model(model, tmp_path / "satellite.yaml")
    assert cs.load_model(tmp_path / "satellite.yaml") == model
    assert "mu = 3.986e+14" in model.summary()
    assert model != cs.Model("satellite")


@pytest.mark.parametrize(("length", "diameter"), [(10.0, 0.01), (0.3, 0.02)])
def test_vibrations_of_a_free_satellite_in_the_frame_of_its_orbit(length, diameter):
    """Booms vibrate as in empty space, up to seven orders of magnitude faster than it librates; nothing grows."""
    mu, radius = 3.986e14, 6.878e6
    rate = float(np.sqrt(mu / radius**3))
    angle = f"{rate!r}*t"
    orbit = cs.Observer(origin=(f"{radius!r}*cos({angle})", f"{radius!r}*sin({angle})", 0), turns=[((0, 0, 1), angle)])
    found = []
    for given in ({"gravity": cs.CentralGravity(mu), "frame": orbit}, {}):
        model = cs.Model("satellite", **given)
        bus = model.add(cs.RigidBody("bus", mass=500, com=(0, 0, 0), inertia=(200, 300, 350)))
        for side in (1, -1):
            ends = [(0, 0.5 * side, 0), (0, side * (length + 0.5), 0)]
            section, steel = cs.Tube(diameter, 0.9 * diameter), cs.materials.STEEL
            boom = cs.Beam(f"boom{side}", points=ends, section=section, material=steel, elements=8, up=(1, 0, 0))
            model.add(cs.Fixed(f"root{side}", bus.at(ends[0]), model.add(boom).start))
        found.append(cs.modes(model, 40, about="reference"))
    orbiting, alone = found
    assert len(orbiting.frequencies) == 41
    assert orbiting.rigid == 1  # along the orbit it may be anywhere
    assert orbiting.stable
    np.testing.assert_allclose(orbiting.frequencies[6:], alone.frequencies[6:41], rtol=1e-5)
    assert np.max(np.abs(orbiting.eigenvalues.real)) < 1e-9 * np.max(np.abs(orbiting.eigenvalues))
