"""The bicycle of Whipple with the parameters of the benchmark, wheels that roll without slip, hands off.

Source: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, "Linearized dynamics equations for the balance and
steer of a bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007), table 1 (parameters) and section 5 (matrices of
M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for lean and steer, to 14 digits). Differs: x forward, y left, z up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import cosserat as cs
from cosserat.errors import SolveError

W, TRAIL, TILT, G = 1.02, 0.08, np.pi / 10, 9.81
REAR, FRONT = 0.3, 0.35
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


def bicycle(speed: Any, lean_rate: float) -> cs.Model:
    """Upright, going along x, falling to its right at a small rate about the line on which it rolls."""
    model = cs.Model("bicycle", gravity=(0, 0, -G))

    def body(name: str, mass: float, com: tuple[float, float, float], inertia: object, spin: Any = 0.0) -> None:
        omega = (lean_rate, spin, 0.0)
        velocity = (speed, -lean_rate * com[2], lean_rate * com[1])
        model.add(cs.RigidBody(name, mass=mass, com=com, inertia=inertia, velocity=velocity, angular_velocity=omega))

    def tensor(xx: float, yy: float, zz: float, xz: float) -> list[list[float]]:
        return [[xx, 0, -xz], [0, yy, 0], [-xz, 0, zz]]  # z up

    body("rear frame", 85.0, (0.3, 0, 0.9), tensor(9.2, 11.0, 2.8, 2.4))
    body("front frame", 4.0, (0.9, 0, 0.7), tensor(0.05892, 0.06, 0.00708, -0.00756))
    body("rear wheel", 2.0, (0, 0, REAR), (0.0603, 0.12, 0.0603), speed / REAR)
    body("front wheel", 3.0, (W, 0, FRONT), (0.1405, 0.28, 0.1405), speed / FRONT)
    axis = np.array([np.sin(TILT), 0, -np.cos(TILT)])
    ground = np.array([W + TRAIL, 0, 0])  # where the steering axis meets it
    model.add(cs.Revolute("steer", "rear frame", "front frame", axis=axis, at=ground - 0.7 * axis))
    model.add(cs.Revolute("rear hub", "rear frame", "rear wheel", axis=(0, 1, 0), at=(0, 0, REAR)))
    model.add(cs.Revolute("front hub", "front frame", "front wheel", axis=(0, 1, 0), at=(W, 0, FRONT)))
    model.add(cs.RollingDisc("rear tyre", "rear wheel", radius=REAR, axis=(0, 1, 0)))
    model.add(cs.RollingDisc("front tyre", "front wheel", radius=FRONT, axis=(0, 1, 0)))
    return model


def state_matrix(speed: float) -> np.ndarray:
    """Of (lean, steer, their rates)."""
    stiffness, damping = G * K0 + speed**2 * K2, speed * C1
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, stiffness), -np.linalg.solve(M, damping)]])


def test_published_eigenvalues() -> None:
    """Table 2 at 5 m/s: capsize, castering and weave; that the matrices were copied without an error."""
    found = np.sort_complex(np.linalg.eigvals(state_matrix(5.0)))
    weave = -0.775341882195845 + 4.464867713788220j
    expected = np.sort_complex([-14.078389692798219, -0.322866429004087, weave, np.conj(weave)])
    assert np.allclose(found, expected, rtol=1e-12)


TABLE_2 = {  # eigenvalues at a speed: real ones, and one of the pair where there is one
    0.0: (3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393),
    1.0: (-3.13423125066578, -7.11008014637442, 3.52696170990070 + 0.80774027519930j),
    2.0: (-3.07158645641514, -8.67387984831735, 2.68234517512746 + 1.68066296590675j),
    3.0: (-2.63366137253667, -10.35101467245920, 1.70675605663975 + 2.31582447384325j),
    4.0: (-1.42944427361326, -12.15861426576447, 0.41325331521125 + 3.07910818603206j),
    5.0: (-0.32286642900409, -14.07838969279822, -0.77534188219585 + 4.46486771378823j),
    6.0: (-0.00406690076970, -16.08537123098026, -1.52644486584142 + 5.87673060598709j),
    7.0: (0.10268170574766, -18.15788466125262, -2.13875644258362 + 7.19525913329805j),
    8.0: (0.14327879765713, -20.27940894394569, -2.69348683581097 + 8.46037971396931j),
    9.0: (0.15790184030917, -22.43788559040858, -3.21675402252485 + 9.69377351531791j),
    10.0: (0.16105338653172, -24.62459635017404, -3.72016840437287 + 10.90681139476287j),
}


def both(values: tuple[complex, ...]) -> np.ndarray:
    """With the other one of each conjugate pair."""
    return np.sort_complex([*values, *(np.conj(v) for v in values if np.imag(v))])


def test_stability_along_the_speed() -> None:
    """Table 2: all eigenvalues at 0 to 10 m/s by `stability` about the described motion; the others are exact zeros."""
    model = bicycle(cs.Parameter("speed", 1.0), 0.0)
    found = cs.stability(model, "speed", list(TABLE_2), about="motion")
    for speed, values in zip(found.values, found.eigenvalues, strict=True):
        moving = values[values != 0.0]
        assert len(values) - len(moving) == 6  # x, y, heading, two wheels, and the speed itself
        assert np.allclose(np.sort_complex(moving), both(TABLE_2[float(speed)]), rtol=0, atol=1e-9)
    end, loss = found.critical
    assert (end.kind, end.loss, loss.kind, loss.loss) == ("flutter", False, "divergence", True)
    assert abs(end.value - 4.292382536341108) < 1e-8  # weave
    assert abs(loss.value - 6.024262015388371) < 1e-8  # capsize
    assert model.parameters["speed"] == 1.0


def test_linear_model_and_modes() -> None:
    """`modes` and `linearize` of the same motion, and the push of a hand on the handlebar in `frequency_response`."""
    model = bicycle(5.0, 0.0)
    modes = cs.modes(model, about="motion")
    assert modes.kind == "steady motion"
    assert np.allclose(both(tuple(modes.eigenvalues[modes.rigid :])), both(TABLE_2[5.0]), rtol=0, atol=1e-9)
    linear = cs.linearize(model, inputs="steer", outputs=["steer", "rear frame.rx"], about="motion")
    values = linear.eigenvalues
    # zeros come in chains, which rounding takes apart
    assert np.allclose(np.sort_complex(values[np.abs(values) > 1e-2]), both(TABLE_2[5.0]), rtol=0, atol=1e-6)
    f = np.array([0.2, 1.0, 3.0])
    response = cs.frequency_response(model, "steer", ["steer", "rear frame.rx"], f, about="motion")
    for k, s in enumerate(2j * np.pi * f):
        lean, steer = np.linalg.solve(s**2 * M + s * 5.0 * C1 + G * K0 + 25.0 * K2, (0.0, 1.0))
        # the angle of the paper's lean to the right is about x, its steer about the axis that points down
        assert np.allclose(np.abs(response.data.values[k, :, 0]), np.abs((steer, lean)), rtol=1e-9)
        assert np.allclose(linear.response(s)[:, 0], response.data.values[k, :, 0], rtol=1e-9)
        assert np.allclose(linear.transfer(s)[:, 0], response.data.values[k, :, 0], rtol=1e-9)


def test_not_steady() -> None:
    """A bicycle that falls has no steady motion."""
    with pytest.raises(SolveError, match=r"not steady: '.*' is accelerated by"):
        cs.modes(bicycle(5.0, 0.1), about="motion")


def errors(speed: float, rate: float, time: np.ndarray, lean: np.ndarray, steer: np.ndarray) -> np.ndarray:
    """Of lean and steer, as shares of their largest values."""
    exact = np.array([expm(state_matrix(speed) * t) @ (0, 0, rate, 0) for t in time])[:, :2]
    return np.abs(np.column_stack((lean, steer)) - exact).max(axis=0) / np.abs(exact).max(axis=0)


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
@pytest.mark.parametrize("speed", [3.0, 5.0])
def test_lean_and_steer(speed: float, integrator: str) -> None:
    """A small disturbance in the full equations of motion against the linear equations of the paper."""
    rate = 1e-4
    error = []
    for step in (0.004, 0.002):
        run = cs.simulate(bicycle(speed, rate), 2.0, step, integrator=integrator, rho=0.8)
        assert run.status.ok
        lean = np.arcsin(run.rotation("rear frame").values[:, 2, 1])
        error.append(errors(speed, rate, run.time, lean, run.coordinate("steer").values))
    assert error[1].max() < 1e-3
    assert np.allclose(error[0] / error[1], 4.0, rtol=0.1)
    assert run.constraint_violation.max() < 1e-10
    load = [run.reaction(tyre).values[0, 2] for tyre in ("rear tyre", "front tyre")]
    share = (85 * 0.3 + 4 * 0.9 + 3 * W) / W  # of the front wheel, by the balance of moments
    assert np.allclose(load, G * np.array([94.0 - share, share]), rtol=1e-5)


def test_in_floating_frames() -> None:
    """Rigid bodies in relative coordinates, explicit steps of fourth order: to the digits that so small a lean has."""
    speed, rate = 5.0, 1e-4
    run = cs.simulate(bicycle(speed, rate), 0.5, 0.01, formulation="floating", integrator="runge-kutta")
    lean = np.arcsin(run.rotation("rear frame").values[:, 2, 1])
    assert errors(speed, rate, run.time, lean, run.coordinate("steer").values).max() < 1e-6


def test_in_relative_coordinates() -> None:
    speed, rate = 5.0, 1e-5
    model = bicycle(speed, rate)
    first = {"rear hub": speed / REAR, "front hub": speed / FRONT}
    first |= {"rear frame.x": speed, "rear frame.y": -0.9 * rate, "rear frame.rx": rate}
    names = cs.Tree(model).coordinates
    v = np.array([first.get(name, 0.0) for name in names])
    motion = cs.constrained_motion(model, np.zeros(len(v)), v, 1.0, 0.01)
    assert np.allclose(motion.v[0], v, rtol=0, atol=1e-12)  # they roll
    lean = [np.arcsin(cs.forward_kinematics(model, q).rotation("rear frame")[2, 1]) for q in motion.q]
    error = errors(speed, rate, motion.t, np.array(lean), motion.q[:, names.index("steer")])
    assert error.max() < 1e-4
    assert motion.slip < 1e-12
