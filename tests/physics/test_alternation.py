"""Reactions that alternate and grow where a body turns too far in a step: told of, and only then."""

import warnings

import pytest

import cosserat as cs


def rotor_run(rho: float, step: float, integrator: str = "generalized-alpha") -> tuple[cs.Run, list[str]]:
    """A rotor at 40 rad/s on an arm that swings under its weight, and what `simulate` warned of."""
    model = cs.Model("rotor", gravity=(0, 0, -9.81))
    arm = model.add(cs.RigidBody("arm", mass=5.0, com=(0, 0.1, 0), inertia=(0.1, 0.2, 0.3)))
    inertia = (0.01, 0.02, 0.01)
    model.add(cs.RigidBody("rotor", mass=1.0, com=(0, 0.3, 0), inertia=inertia, angular_velocity=(0, 40, 0)))
    model.add(cs.Revolute("axle", "arm", "rotor", axis=(0, 1, 0), at=(0, 0.3, 0)))
    model.add(cs.Spherical("pin", cs.GROUND, arm.at((0.5, 0, 0))))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = cs.simulate(model, 1.0, step, rho=rho, integrator=integrator)
    return run, [str(warning.message) for warning in told]


def largest(run: cs.Run) -> float:
    return float(abs(run.reaction("axle")[-20:, :3]).max())


@pytest.mark.parametrize(
    ("rho", "step", "outcome"),
    [(0.9, 0.006, "ALTERNATING"), (0.8, 0.012, "ALTERNATING"), (0.9, 0.008, "UNBALANCED"), (0.9, 0.016, "UNBALANCED")],
)
def test_growing_reactions_are_told(rho: float, step: float, outcome: str) -> None:
    """In the end they break the energy balance, too, which is worse."""
    run, told = rotor_run(rho, step)
    assert run.status.outcome.name == outcome
    assert "reactions alternate" in run.status.message
    assert len(told) == 1
    assert "joint 'axle': reactions alternate" in told[0]
    assert float(told[0].split("(here ")[1].split(" rad")[0]) == pytest.approx(40 * step, rel=0.05)


@pytest.mark.parametrize(("rho", "step"), [(0.9, 0.004), (0.8, 0.008)])
def test_steps_that_start_smoothly_leave_little_to_grow(rho: float, step: float) -> None:
    """At 0.16 and 0.32 rad in a step errors used to grow a thousandfold within a second."""
    run, told = rotor_run(rho, step)
    assert told == []
    assert largest(run) < 3 * largest(rotor_run(0.9, 0.002)[0])


def test_what_the_warning_proposes_mends_it() -> None:
    good, nothing = rotor_run(0.9, 0.002)
    assert nothing == []
    _, (told,) = rotor_run(0.9, 0.008)
    step = float(told.split("use steps of ")[1].split(" s")[0])
    rho = float(told.split("rho = ")[2].split(",")[0])
    for run, also in (rotor_run(0.9, step), rotor_run(rho, 0.008), rotor_run(0.9, 0.008, "energy-momentum")):
        assert also == []
        assert largest(run) < 3 * largest(good)
