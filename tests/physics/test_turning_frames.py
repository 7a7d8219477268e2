"""Models described in a frame that turns: published figures, and the same motion computed in a Galilean frame."""

import numpy as np
import pytest

import cosserat as cs


def test_turntable():
    # Omega = 2 rad/s, released at rest on the table at (1, 0): position on it after 1.5 s
    model = cs.Model("puck", frame=cs.Observer(turns=[((0, 0, 1), "2*t")]))
    model.add(cs.RigidBody("puck", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1), velocity=(0, 0, 0)))
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(model, duration=1.5, step=step)
        errors.append(np.abs(run.position("puck").values[-1] - (-0.5666324724, -3.1110974979, 0)).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.5)


def test_eastward_deflection():
    # Fall of 100 m at 45 degrees: 15.5 mm to the east
    fall = np.sqrt(2 * 100 / 9.81)
    model = cs.Model("stone", gravity=(0, 0, -9.81), frame=cs.Observer.earth(np.radians(45)))
    model.add(cs.RigidBody("stone", mass=1.0, com=(0, 0, 100), inertia=(1, 1, 1)))
    run = cs.simulate(model, duration=fall, step=fall / 500)
    assert run.position("stone").values[-1, 0] == pytest.approx(0.0155212896, rel=1e-5)


def test_foucault():
    # Paris, 67 m: the plane of swing turns by 11.325766 degrees an hour
    latitude, length, g = np.radians(48.85), 67.0, 9.81
    model = cs.Model("pendulum", gravity=(0, 0, -g), frame=cs.Observer.earth(latitude))
    # pushed from the lowest point, the bob passes through it at every swing: amplitude 8 mm
    velocity, inertia = (3e-3, 0, 0), [1e-3] * 3
    bob = model.add(cs.RigidBody("bob", mass=28.0, com=(0, 0, -length), inertia=inertia, velocity=velocity,
                                 angular_velocity=(0, -velocity[0] / length, 0)))  # fmt: skip
    model.add(cs.Spherical("hook", cs.GROUND, bob.at((0, 0, 0))))
    period = 2 * np.pi * np.sqrt(length / g)
    run = cs.simulate(model, duration=40 * period, step=period / 200, rho=0.99)
    x, y = run.position("bob").values[:, :2].T
    angles, middles = [], []
    for part in (run.time <= period, run.time >= run.time[-1] - period):
        vectors = np.linalg.eigh(np.cov(x[part], y[part]))[1]
        angles.append(np.arctan(vectors[1, 1] / vectors[0, 1]))
        middles.append(run.time[part].mean())
    rate = -(angles[1] - angles[0]) / (middles[1] - middles[0])
    assert np.degrees(rate) * 3600 == pytest.approx(11.325766, rel=1e-3)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_the_same_motion_in_both_frames(formulation):
    # A tumbling body on a rod: simulated on the table, and in space seen from the table.
    def mechanism(frame):
        model = cs.Model("top", frame=frame)
        omega = np.array([0.4, -0.2, 1.5])
        at, turn = np.array([0.8, 0.1, 0.3]), np.array([1.0, 2.0, -0.5])
        drive = np.zeros(3) if frame is not None else omega
        inertia = [[0.2, 0.02, 0], [0.02, 0.3, 0.01], [0, 0.01, 0.4]]
        body = model.add(cs.RigidBody("body", mass=2.0, com=at, inertia=inertia,
                                      velocity=np.cross(turn + drive, at), angular_velocity=turn + drive))  # fmt: skip
        model.add(cs.Spherical("pin", cs.GROUND, body.at((0, 0, 0))))
        return model

    rate = float(np.linalg.norm([0.4, -0.2, 1.5]))
    table = cs.Observer(turns=[((0.4, -0.2, 1.5), f"{rate!r}*t")])
    relative = cs.simulate(mechanism(table), duration=2.0, step=5e-4, formulation=formulation)
    seen = cs.simulate(mechanism(None), duration=2.0, step=5e-4).seen_from(table)
    assert np.allclose(relative.position("body").values, seen.position("body").values, atol=5e-6)
    assert np.allclose(relative.angular_velocity("body").values, seen.angular_velocity("body").values, atol=5e-5)


@pytest.mark.parametrize(
    "table",
    [
        cs.Observer(turns=[((1, 0, 0), 0.5), ((0, 0, 1), "2*t")]),
        cs.Observer(turns=[((0, 0, 1), "2*t + 1"), ((1, 0, 0), 0.5)]),
        cs.Observer(origin=(0.3, -0.2, 0.1), turns=[((0, 0, 1), "2*t")]),
    ],
    ids=["tilted axis", "tilted table", "origin"],
)
def test_frames_may_be_tilted_and_have_an_origin(table):
    # Positions are from the origin of the frame in its axes, as run.seen_from gives them.
    inertia = np.diag([0.1, 0.2, 0.3])
    space = cs.Model("space")
    space.add(cs.RigidBody("body", mass=2, com=(1, 0.2, 0.1), inertia=inertia, velocity=(0.3, 2, 0.5),
                           angular_velocity=(0.3, -0.4, 1.0)))  # fmt: skip
    seen = cs.simulate(space, duration=0.5, step=5e-3).seen_from(table)
    start = {"velocity": seen.velocity("body").values[0], "angular_velocity": seen.angular_velocity("body").values[0]}
    com, rotation = seen.position("body").values, seen.rotation("body").values
    model = cs.Model("table", frame=table)
    model.add(cs.RigidBody("body", mass=2, com=com[0], rotation=rotation[0], inertia=inertia, **start))
    run = cs.simulate(model, duration=0.5, step=5e-3)
    assert np.allclose(run.position("body").values, com, atol=2e-5)
    assert np.allclose(run.rotation("body").values, rotation, atol=2e-5)


def test_parameters_of_a_frame_are_those_of_the_model():
    rate = cs.Parameter("rate", 2.0)
    model = cs.Model("puck", frame=cs.Observer(turns=[((0, 0, 1), lambda t: rate * t)]))
    model.add(cs.RigidBody("puck", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    other = model.copy()
    other.set(rate=3.0)
    for m, outwards in ((model, 4.0), (other, 9.0)):
        assert cs.simulate(m, duration=0.1, step=0.1).acceleration("puck").values[0, 0] == pytest.approx(outwards)


def test_files_and_errors(tmp_path):
    model = cs.Model("stone", gravity=(0, 0, -9.81), frame=cs.Observer.earth(0.7))
    model.add(cs.RigidBody("stone", mass=1.0, com=(0, 0, 100), inertia=(1, 1, 1)))
    cs.save_model(model, tmp_path / "stone.yaml")
    again = cs.load_model(tmp_path / "stone.yaml")
    assert again == model
    assert again != cs.Model("stone", gravity=(0, 0, -9.81))
    one, other = (cs.simulate(m, duration=1.0, step=0.1).position("stone").values for m in (model, again))
    assert np.array_equal(one, other)
    with pytest.raises(cs.CosseratError, match="pass an Observer"):
        cs.Model("m", frame="earth")
