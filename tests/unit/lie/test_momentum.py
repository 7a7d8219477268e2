"""Momenta and co-momenta of the affine group: invariance of the pairing, the Euclidean case, frames and co-frames."""

import numpy as np
import pytest

from cosserat.errors import GeometryError
from cosserat.lie import (
    GA,
    AffineFrame,
    CoMomentum,
    Frame,
    FrameChange,
    Momentum,
    Point,
    Twist,
    Wrench,
    so3,
)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("p", [None, 1, 3])
def test_pairing_is_invariant_under_the_affine_group(d, p):
    rng = np.random.default_rng(10 * d + (p or 0))
    lead = () if p is None else (p,)
    for _ in range(5):
        mu = Momentum(rng.standard_normal((*lead, d)), rng.standard_normal((*lead, d, d)))
        theta = CoMomentum(rng.standard_normal((*lead, d)), rng.standard_normal((*lead, d, d)))
        change = FrameChange(rng.standard_normal(d), np.eye(d) + 0.4 * rng.standard_normal((d, d)))
        new = mu.seen_from(change)
        assert new.pair(theta.seen_from(change)) == pytest.approx(mu.pair(theta), abs=1e-12, rel=1e-12)
        # the law of the source, from new components to old ones
        inverse = np.linalg.inv(change.P)
        L = change.P @ new.L @ inverse + change.C[:, None] * (new.Pi @ inverse)[..., None, :]
        assert np.allclose(L, mu.L, atol=1e-11)
        back = new.seen_from(change.inverse())
        assert np.allclose(back.L, mu.L, atol=1e-11)


def test_comomentum_is_the_adjoint_action():
    rng = np.random.default_rng(0)
    group = GA(2)
    theta = CoMomentum(rng.standard_normal(2), rng.standard_normal((2, 2)))
    change = FrameChange(rng.standard_normal(2), np.eye(2) + 0.3 * rng.standard_normal((2, 2)))
    g = np.block([[change.P, change.C[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]])
    x = np.r_[theta.upsilon, theta.K.ravel()]
    new = theta.seen_from(change)
    assert np.allclose(group.adjoint(np.linalg.inv(g)) @ x, np.r_[new.upsilon, new.K.ravel()])
    point = Point(rng.standard_normal(2))
    assert np.allclose(change.P @ new(point.seen_from(change)), theta(point))  # one velocity, seen twice


def test_euclidean_case_is_twist_and_wrench():
    rng = np.random.default_rng(1)
    twist, wrench = Twist(*rng.standard_normal((2, 3))), Wrench(*rng.standard_normal((2, 3)))
    frame = Frame(so3.exp(rng.standard_normal(3)), rng.standard_normal(3))
    theta, mu, change = CoMomentum.of(twist), Momentum.of(wrench), FrameChange.of(frame)
    assert mu.pair(theta) == pytest.approx(wrench.power(twist))
    assert mu.Pi @ theta.upsilon - 0.5 * np.trace(mu.euclidean @ theta.K) == pytest.approx(wrench.power(twist))  # (32)
    assert theta.seen_from(change).twist.isclose(twist.seen_from(frame))
    assert mu.seen_from(change).wrench.isclose(wrench.seen_from(frame))
    assert theta.is_euclidean
    # corrected (33): L = P L' P^-1 - (C Pi' P^-1 - transpose)
    new = mu.seen_from(change)
    R, x = frame.rotation, frame.origin
    orbital = np.outer(x, new.Pi @ R.T)
    assert np.allclose(R @ new.euclidean @ R.T - (orbital - orbital.T), mu.euclidean)


def test_frames_and_coframes():
    rng = np.random.default_rng(2)
    frame = AffineFrame(rng.standard_normal(3), np.eye(3) + 0.3 * rng.standard_normal((3, 3)))
    other = AffineFrame(rng.standard_normal(3), so3.exp(rng.standard_normal(3)))
    assert np.allclose(frame.coframe @ frame.matrix, np.eye(4))
    assert other.is_euclidean
    assert not frame.is_euclidean
    V = rng.standard_normal(3)
    point = frame.point(V)
    assert np.allclose(frame.components(point), V)
    assert np.allclose([frame.form(k)(point) for k in range(4)], [1, *V])
    change = frame.change_to(other)
    assert np.allclose(Point(V).seen_from(change).V, other.components(point))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Momentum((1, 2), np.eye(3)), r"Pi has shape \(2,\) and L \(3, 3\)"),
        (lambda: CoMomentum((1, np.inf), np.eye(2)), "not finite"),
        (lambda: Momentum((1, 2), np.eye(2)).pair(CoMomentum((1,), [[0]])), "differ"),
        (lambda: CoMomentum((1, 2, 3), np.eye(3)).twist, "skew K"),
        (lambda: Momentum((1, 2), np.eye(2)).wrench, "needs d = 3"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(GeometryError, match=message):
        make()
