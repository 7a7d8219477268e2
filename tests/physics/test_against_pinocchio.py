"""The recursive algorithms against Pinocchio's on an arm, chains up to 100 links, and a tree on a free base."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import cosserat as cs

_SPEC = importlib.util.spec_from_file_location(
    "pinocchio_models", Path(__file__).parents[2] / "bench" / "pinocchio_models.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
robots = importlib.util.module_from_spec(_SPEC)
sys.modules["pinocchio_models"] = robots
_SPEC.loader.exec_module(robots)

TOLERANCE = 1e-10
MODELS = {
    "arm": robots.arm,
    "chain of 30": lambda: robots.chain(30),
    "chain of 100": lambda: robots.chain(100, aligned=False),
    "walker": robots.walker,
}


class Pair:
    """A model, the same robot of Pinocchio, and a state of both."""

    def __init__(self, model: cs.Model) -> None:
        rng = np.random.default_rng(5)
        self.model, self.robot = model, robots.pinocchio_model(model)
        self.data = self.robot.createData()
        self.q, self.v, self.a = rng.normal(size=(3, self.robot.nv)) * 0.8
        self.p = robots.pinocchio_coordinates(model, self.robot, self.q)


@pytest.fixture(scope="module", params=list(MODELS))
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(MODELS[request.param]())


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() <= TOLERANCE * np.abs(b).max())


def test_dynamics(pair: Pair) -> None:
    model, q, v, a = pair.model, pair.q, pair.v, pair.a
    assert close(cs.inverse_dynamics(model, q, v, a), pin.rnea(pair.robot, pair.data, pair.p, v, a))
    assert close(cs.forward_dynamics(model, q, v, a), pin.aba(pair.robot, pair.data, pair.p, v, a))
    assert close(cs.bias(model, q, v), pin.nonLinearEffects(pair.robot, pair.data, pair.p, v))
    assert close(cs.gravity_forces(model, q), pin.computeGeneralizedGravity(pair.robot, pair.data, pair.p))
    M = pin.crba(pair.robot, pair.data, pair.p)
    assert close(cs.mass_matrix(model, q), np.triu(M) + np.triu(M, 1).T)


def test_derivatives(pair: Pair) -> None:
    model, q, v, a = pair.model, pair.q, pair.v, pair.a
    dq, dv, da = pin.computeRNEADerivatives(pair.robot, pair.data, pair.p, v, a)
    got = cs.inverse_dynamics_derivatives(model, q, v, a)
    assert close(got.dq, dq)
    assert close(got.dv, dv)
    assert close(got.da, np.triu(da) + np.triu(da, 1).T)
    dq, dv, dtau = pin.computeABADerivatives(pair.robot, pair.data, pair.p, v, a)
    forward = cs.forward_dynamics_derivatives(model, q, v, a)
    assert close(forward.dq, dq)
    assert close(forward.dv, dv)
    assert close(forward.dtau, np.triu(dtau) + np.triu(dtau, 1).T)


def test_kinematics_momentum_and_energy(pair: Pair) -> None:
    model, robot, data, q, v, p = pair.model, pair.robot, pair.data, pair.q, pair.v, pair.p
    joint = model.joints[-1]
    place = joint.child.owner.at(joint.position())
    pin.computeJointJacobiansTimeVariation(robot, data, p, v)
    index = robot.getJointId(joint.name)
    for frame, reference in (("world", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
        assert close(cs.jacobian(model, place, q, frame), pin.getJointJacobian(robot, data, index, reference))
        rate = pin.getJointJacobianTimeVariation(robot, data, index, reference)
        assert close(cs.jacobian_rate(model, place, q, v, frame), rate)
    assert close(cs.forward_kinematics(model, q).frame(place), data.oMi[index].homogeneous)
    A = pin.computeCentroidalMap(robot, data, p)
    assert close(cs.centroidal_matrix(model, q), A)
    assert close(cs.centroidal_momentum(model, q, v), A @ v)
    energy = cs.energy(model, q, v)
    assert energy.kinetic == pytest.approx(pin.computeKineticEnergy(robot, data, p, v), rel=TOLERANCE)
    assert energy.potential == pytest.approx(pin.computePotentialEnergy(robot, data, p), rel=TOLERANCE)


def test_batches(pair: Pair) -> None:
    rng = np.random.default_rng(6)
    q, v, a = rng.normal(size=(3, 9, len(pair.q)))
    for k in range(0, 9, 4):
        p = robots.pinocchio_coordinates(pair.model, pair.robot, q[k])
        assert close(cs.inverse_dynamics(pair.model, q, v, a)[k], pin.rnea(pair.robot, pair.data, p, v[k], a[k]))
        assert close(cs.forward_dynamics(pair.model, q, v, a)[k], pin.aba(pair.robot, pair.data, p, v[k], a[k]))
