"""Parameters of rotations: axis and angle, Euler angles, yaw-pitch-roll, quaternions.

``R`` is always the matrix whose columns are the body axes: it maps body components to spatial ones.
Angles are in radians. For each set of angles ``..._rates_spatial`` and ``..._rates_body`` are the matrices
that map the rates of the angles to the angular velocity in spatial and body components;
``..._rates_inv_spatial`` and ``..._rates_inv_body`` go back, and raise `SingularRotationError` where the
angles are singular (sin(theta) = 0 for Euler angles, cos(theta) = 0 for yaw-pitch-roll).
"""

import math
from typing import Any

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie import checks, so3
from cosserat.lie.protocol import Array

_SINGULAR = 1e-12  # sine of the distance to a singular attitude below which the choice of angles is fixed


class SingularRotationError(GeometryError):
    """These angles have no rates at this attitude."""


# ---------------------------------------------------------------------------- elementary rotations


def about_x(angle: float) -> Array:
    """Return M1(angle) of [Lerbet17] section 1.8.1."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def about_y(angle: float) -> Array:
    """Return M2(angle) of [Lerbet17] section 1.8.1."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def about_z(angle: float) -> Array:
    """Return M3(angle) of [Lerbet17] section 1.8.1."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


# ---------------------------------------------------------------------------- axis and angle


def from_axis_angle(axis: Any, angle: float) -> Array:
    """Return the rotation by ``angle`` about ``axis`` (any length but zero): [Lerbet17] (8).

    Examples
    --------
    >>> from cosserat.lie import rotations
    >>> np.allclose(rotations.from_axis_angle((0, 0, 2), np.pi / 2) @ [1, 0, 0], [0, 1, 0])
    True
    """
    return so3.exp(angle * checks.unit(axis, "axis of a rotation"))


def to_axis_angle(R: Any) -> tuple[Array, float]:
    """Return (unit axis, angle in [0, pi]).

    The identity has axis (0, 0, 1); a half turn has the sign of `so3.log`.
    """
    w = so3.log(checks.rotation(R, "R"))
    angle = math.sqrt(float(w @ w))
    if angle == 0.0:
        return np.array([0.0, 0.0, 1.0]), 0.0
    return w / angle, angle


# ---------------------------------------------------------------------------- Euler angles


def from_euler(psi: float, theta: float, phi: float) -> Array:
    """Return M3(psi) M1(theta) M3(phi): precession, nutation, own rotation [Lerbet17] 1.8.2.

    Examples
    --------
    >>> from cosserat.lie import rotations
    >>> R = rotations.from_euler(0.1, 0.2, 0.3)
    >>> np.allclose(rotations.to_euler(R), (0.1, 0.2, 0.3))
    True
    """
    return about_z(psi) @ about_x(theta) @ about_z(phi)


def to_euler(R: Any) -> tuple[float, float, float]:
    """Return (psi, theta, phi), theta in [0, pi]; where sin(theta) = 0, phi = 0 and psi is the whole turn."""
    psi, theta, phi = euler_angles(checks.rotation(R, "R")).tolist()
    return psi, theta, phi


def euler_angles(R: Array) -> Array:
    """Return the angles (..., 3) of `to_euler` for matrices (..., 3, 3) that are known to be rotations."""
    s = np.hypot(R[..., 2, 0], R[..., 2, 1])
    lost = s < _SINGULAR
    psi = np.where(lost, np.arctan2(R[..., 1, 0], R[..., 0, 0]), np.arctan2(R[..., 0, 2], -R[..., 1, 2]))
    phi = np.where(lost, 0.0, np.arctan2(R[..., 2, 0], R[..., 2, 1]))
    return np.stack((psi, np.arctan2(s, R[..., 2, 2]), phi), axis=-1)


def euler_rates_spatial(psi: float, theta: float, phi: float) -> Array:
    """Return E, (3, 3): omega = E (psi_dot, theta_dot, phi_dot), spatial components [Lerbet17] (9)."""
    s, c = math.sin(psi), math.cos(psi)
    st, ct = math.sin(theta), math.cos(theta)
    return np.array([[0.0, c, st * s], [0.0, s, -st * c], [1.0, 0.0, ct]])


def euler_rates_body(psi: float, theta: float, phi: float) -> Array:
    """Return E, (3, 3): omega = E (psi_dot, theta_dot, phi_dot), body components."""
    s, c = math.sin(phi), math.cos(phi)
    st, ct = math.sin(theta), math.cos(theta)
    return np.array([[st * s, c, 0.0], [st * c, -s, 0.0], [ct, 0.0, 1.0]])


def euler_rates_inv_spatial(psi: float, theta: float, phi: float) -> Array:
    """Return the inverse of `euler_rates_spatial`; raises where sin(theta) = 0."""
    s, c = math.sin(psi), math.cos(psi)
    st, ct = _regular(math.sin(theta), "Euler angles", "sin(theta)", theta), math.cos(theta)
    return np.array([[-s * ct / st, c * ct / st, 1.0], [c, s, 0.0], [s / st, -c / st, 0.0]])


def euler_rates_inv_body(psi: float, theta: float, phi: float) -> Array:
    """Return the inverse of `euler_rates_body`; raises where sin(theta) = 0."""
    s, c = math.sin(phi), math.cos(phi)
    st, ct = _regular(math.sin(theta), "Euler angles", "sin(theta)", theta), math.cos(theta)
    return np.array([[s / st, c / st, 0.0], [c, -s, 0.0], [-s * ct / st, -c * ct / st, 1.0]])


# ---------------------------------------------------------------------------- yaw, pitch, roll


def from_yaw_pitch_roll(psi: float, theta: float, phi: float) -> Array:
    """Return M3(psi) M2(theta) M1(phi): yaw, then pitch, then roll [Lerbet17] 1.8.3.

    Examples
    --------
    >>> from cosserat.lie import rotations
    >>> R = rotations.from_yaw_pitch_roll(0.1, 0.2, 0.3)
    >>> np.allclose(rotations.to_yaw_pitch_roll(R), (0.1, 0.2, 0.3))
    True
    """
    return about_z(psi) @ about_y(theta) @ about_x(phi)


def to_yaw_pitch_roll(R: Any) -> tuple[float, float, float]:
    """Return (psi, theta, phi), theta in [-pi/2, pi/2].

    Where cos(theta) = 0 only psi - phi or psi + phi is defined: phi = 0 and psi is the whole turn.
    """
    psi, theta, phi = yaw_pitch_roll_angles(checks.rotation(R, "R")).tolist()
    return psi, theta, phi


def yaw_pitch_roll_angles(R: Array) -> Array:
    """Return the angles (..., 3) of `to_yaw_pitch_roll` for matrices (..., 3, 3) that are known to be rotations."""
    c = np.hypot(R[..., 2, 1], R[..., 2, 2])
    lost = c < _SINGULAR
    psi = np.where(lost, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    phi = np.where(lost, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
    return np.stack((psi, np.arctan2(-R[..., 2, 0], c), phi), axis=-1)


def yaw_pitch_roll_rates_spatial(psi: float, theta: float, phi: float) -> Array:
    """Return E, (3, 3): omega = E (psi_dot, theta_dot, phi_dot), spatial components."""
    s, c = math.sin(psi), math.cos(psi)
    st, ct = math.sin(theta), math.cos(theta)
    return np.array([[0.0, -s, c * ct], [0.0, c, s * ct], [1.0, 0.0, -st]])


def yaw_pitch_roll_rates_body(psi: float, theta: float, phi: float) -> Array:
    """Return E, (3, 3): omega = E (psi_dot, theta_dot, phi_dot), body components."""
    s, c = math.sin(phi), math.cos(phi)
    st, ct = math.sin(theta), math.cos(theta)
    return np.array([[-st, 0.0, 1.0], [ct * s, c, 0.0], [ct * c, -s, 0.0]])


def yaw_pitch_roll_rates_inv_spatial(psi: float, theta: float, phi: float) -> Array:
    """Return the inverse of `yaw_pitch_roll_rates_spatial`; raises where cos(theta) = 0."""
    s, c = math.sin(psi), math.cos(psi)
    st, ct = math.sin(theta), _regular(math.cos(theta), "yaw-pitch-roll angles", "cos(theta)", theta)
    return np.array([[c * st / ct, s * st / ct, 1.0], [-s, c, 0.0], [c / ct, s / ct, 0.0]])


def yaw_pitch_roll_rates_inv_body(psi: float, theta: float, phi: float) -> Array:
    """Return the inverse of `yaw_pitch_roll_rates_body`; raises where cos(theta) = 0."""
    s, c = math.sin(phi), math.cos(phi)
    st, ct = math.sin(theta), _regular(math.cos(theta), "yaw-pitch-roll angles", "cos(theta)", theta)
    return np.array([[0.0, s / ct, c / ct], [0.0, c, -s], [1.0, s * st / ct, c * st / ct]])


# ---------------------------------------------------------------------------- quaternions


def from_quaternion(q: Any) -> Array:
    """Return the rotation of a quaternion (w, x, y, z) of any length but zero."""
    q = checks.vector(q, "quaternion (w, x, y, z)", 4)
    scale = float(np.max(np.abs(q)))
    if scale == 0.0:
        raise GeometryError("quaternion: has norm 0; the identity is (1, 0, 0, 0)")
    return so3.from_quaternion(q / scale)


def to_quaternion(R: Any) -> Array:
    """Return the unit quaternion (w, x, y, z), w >= 0; if w = 0, the first nonzero component is positive."""
    return so3.to_quaternion(checks.rotation(R, "R"))


def _regular(value: float, angles: str, what: str, theta: float) -> float:
    if abs(value) < _SINGULAR:
        raise SingularRotationError(
            f"{angles}: {what} = {value:.1e} at theta = {theta:.6g}, where the rates are not defined; "
            "use the other set of angles, a quaternion or a rotation vector there"
        )
    return value
