"""Random mechanisms, points on them, and differences of the nonlinear equations along motions through a point."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.kernels.arrays import History
from cosserat.kernels.residual import add_inertia, forces, track_angles
from cosserat.lie import se3
from cosserat.results.motion import Motion
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.point import OperatingPoint

STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))


def random_model(seed: int, steady: bool = False) -> cs.Model:
    """A closed loop of bodies and a soft beam, with springs, dampers, friction, follower loads and joint efforts.

    `steady`: loads that are fixed in space are along z, so that it can turn about z.
    """
    rng = np.random.default_rng(seed)
    some = lambda *shape: rng.uniform(-1, 1, shape)  # noqa: E731
    positive = lambda: rng.uniform(0.5, 1.5)  # noqa: E731
    fixed = (lambda: (0.0, 0.0, float(some(1)[0]))) if steady else (lambda: tuple(some(3)))
    gravity = (0, 0, -2.0) if steady else tuple(2 * some(3))
    model = cs.Model(f"random {seed}", gravity=gravity)

    def inertia():
        A = 0.3 * some(3, 3)
        return np.eye(3) + A @ A.T

    hinge, far = np.array([0.1, 0.2, 0.0]), np.array([1.4, 0.9, 0.3]) + 0.2 * some(3)
    a = model.add(cs.RigidBody("a", mass=1 + positive(), com=hinge + 0.3 * some(3), inertia=inertia()))
    b = model.add(cs.RigidBody("b", mass=1 + positive(), com=far + 0.3 * some(3), inertia=inertia()))
    soft = cs.Material(E=400.0, nu=0.3, rho=8.0, damping=0.05)
    points = [hinge + (0.5, 0.1, 0.0), far - (0.4, 0.0, 0.1)]
    rod = model.add(cs.Beam("rod", points=points, section=cs.Rectangle(0.3, 0.4), material=soft, elements=3))
    K = cs.Parameter("K", 30.0)
    axis = some(3)
    model.add(cs.Revolute("hinge", cs.GROUND, a.at(hinge), axis=axis, stiffness=K, damping=0.7, effort=0.4))
    model.add(cs.Fixed("root", a, rod.start, at=points[0]))
    model.add(
        cs.Universal(
            "cross", rod.end, b.at(points[1]), axes=((0, 0, 1), (1, 0, 0)), stiffness=(20.0, 25.0),
            friction=(cs.Friction(0.3, speed=0.5), None),
        )
    )  # fmt: skip
    model.add(cs.Spherical("ball", b.at(far), cs.GROUND, stiffness=(15.0,) * 3, damping=(0.5,) * 3))
    model.add(cs.Spring("spring", cs.GROUND.at(tuple(2 * some(3))), b.at(tuple(far + some(3))), stiffness=8.0,
                        length=0.5, damping=0.6))  # fmt: skip
    model.add(cs.Damper("damper", a.at(tuple(hinge + some(3))), rod.at(2 / 3), damping=0.8))
    model.add(cs.Force("dead", b.at(tuple(far + some(3))), fixed()))
    model.add(cs.Wrench("follower", rod.at(1 / 3), tuple(some(6)), follower=True))
    model.add(cs.DistributedLoad("weight", rod, force=fixed()))
    model.add(cs.DistributedLoad("pressure", rod, force=(0.1, 0.5, 0.3), moment=(0.0, 0.1, 0.2), follower=True))
    return model


def driven_model(seed: int) -> cs.Model:
    """A chain whose motions are prescribed: a turning arm of a body, a beam, and a ball that turns as prescribed."""
    rng = np.random.default_rng(seed)
    model = cs.Model(f"driven {seed}", gravity=tuple(rng.uniform(-2, 2, 3)))
    arm = model.add(cs.RigidBody("arm", mass=1.2, com=(0.4, 0.1, 0.0), inertia=np.diag([0.4, 0.6, 0.7])))
    soft = cs.Material(E=400.0, nu=0.3, rho=8.0, damping=0.05)
    line = [(1, 0, 0), (2, 0.2, 0.3)]
    rod = model.add(cs.Beam("rod", points=line, section=cs.Rectangle(0.3, 0.4), material=soft, elements=2))
    end = model.add(cs.RigidBody("end", mass=0.8, com=(2.3, 0.3, 0.1), inertia=np.diag([0.5, 0.3, 0.4])))
    model.add(cs.Revolute("turn", cs.GROUND, arm.at((0, 0, 0)), axis=(0.2, -0.4, 0.9), motion="0.3 + 0.5*t"))
    model.add(cs.Cylindrical("slide", arm.at((1, 0, 0)), rod.start, axis=(1, 0.3, 0), motion={"z": "0.1*t"},
                             stiffness={"rz": 12.0}, damping={"rz": 0.4}))  # fmt: skip
    model.add(cs.Universal("cross", rod.end, end.at(line[1]), axes=((0, 0, 1), (1, 0, 0)),
                           motion={"ry": "0.2 - 0.1*t"}, stiffness={"rx": 9.0}))  # fmt: skip
    model.add(cs.Force("dead", end, (0.5, -0.3, 0.8)))
    return model


def points(seed: int) -> dict[str, OperatingPoint]:
    """An equilibrium, a steady rotation and a moment of a run."""
    model = random_model(seed)
    run = cs.simulate(model, duration=0.3, step=0.001)  # its velocities satisfy the joints to second order only
    assert run.status.ok
    return {
        "equilibrium": point_at(model),
        "rotation": point_at(random_model(seed, steady=True), spin=(0, 0, 0.8), center=(0.3, -0.2, 0)),
        "moment": point_at(model, run),
    }


class Laboratory:
    """The nonlinear equations along curves H(t) exp(e y(t)) through a point."""

    def __init__(self, point: OperatingPoint) -> None:
        self.point = point
        self.n = point.compiled.n_nodes
        self.trial = point.memory.problem.trial
        self.base = {name: getattr(self.trial, name).copy() for name in ("frame", "twist", "rate", "force", "angle")}

    def state(self, x, x1=None, x2=None, multipliers=None):
        """Frames, twists, rates, multipliers of the motion displaced by y = x + t x1 + t^2/2 x2 at t = 0.

        The rate is a difference in time of the twist Ad(exp(-y)) v + T(y) y'; nothing of it is shared with `matrices`.
        """
        n, base = self.n, self.base
        x, x1, x2 = (np.zeros((n, 6)) if a is None else np.reshape(a, (n, 6)) for a in (x, x1, x2))
        out = {name: value.copy() for name, value in base.items()}
        for i in range(n):
            v, rate = base["twist"][i], base["rate"][i]

            def twist(t, i=i, v=v, rate=rate):
                y, dy = x[i] + t * x1[i] + t * t / 2 * x2[i], x1[i] + t * x2[i]
                return se3.adjoint(se3.exp(-y)) @ (v + t * rate) + se3.tangent(y) @ dy

            out["frame"][i] = frame_to_row(row_to_frame(base["frame"][i]) @ se3.exp(x[i]))
            out["twist"][i] = twist(0.0)
            out["rate"][i] = sum(w * twist(k * 1e-2) for k, w in STENCIL) / 1e-2
        if multipliers is not None:
            out["force"] = base["force"] + multipliers
        return out

    def equations(self, state):
        """Residual (6n,) and constraint values (nj, 6)."""
        try:
            self.put(state)
            address = self.point.memory.address
            track_angles(address)
            forces(address, 0)
            add_inertia(address)
            return self.trial.residual[: self.n].ravel().copy(), self.trial.phi.copy()
        finally:
            self.put(self.base)
            self.point.refresh()

    def put(self, state) -> None:
        for name, value in state.items():
            getattr(self.trial, name)[...] = value

    def motion(self, state, inputs=None):
        """A state as a motion of one moment, for results."""
        try:
            self.put(state)
            track_angles(self.point.memory.address)
            state = {**state, "angle": self.trial.angle.copy()}
        finally:
            self.put(self.base)
        history = History(*(state[k][None] for k in ("frame", "twist", "rate", "force", "angle")))
        inputs = self.point.memory.problem.inputs if inputs is None else inputs
        prescribed = {
            name: function.sample([self.point.time])
            for joint in self.point.compiled.sampler.driven
            for name, function in zip(joint.coordinates, joint.motion)
            if function is not None
        }
        return Motion(self.point.mechanism, np.array([self.point.time]), history, {}, lambda: (inputs, prescribed))

    def derivative(self, function, step: float = 1e-3):
        """d function(e)/de at e = 0 by differences of fourth order."""
        return sum(w * function(k * step) for k, w in STENCIL) / step


@pytest.fixture
def laboratory():
    """Builds a laboratory for a point."""
    return Laboratory


@pytest.fixture(scope="session", params=range(2))
def any_points(request):
    """Points of a random mechanism, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.CosseratWarning)
        return points(request.param)


@pytest.fixture(params=["equilibrium", "rotation", "moment"])
def point(request, any_points):
    """A point of one kind on a random mechanism."""
    return any_points[request.param]


@pytest.fixture(params=[0, 1])
def driven_point(request):
    """A point of a chain with prescribed motions: in equilibrium at a time, or in motion."""
    model = driven_model(request.param)
    if request.param == 0:
        return point_at(model, time=0.4)
    # steps so small that velocities obey the joints better than what rows are compared to
    return point_at(model, cs.simulate(model, duration=0.3, step=0.002))
