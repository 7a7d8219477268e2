"""Reduction of a linear model to some of its undamped modes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.results.state_space import OutputRows

if TYPE_CHECKING:
    from cosserat.results.linear import LinearModel


_ONE_FREQUENCY = 1e-13  # difference of frequencies squared, of the largest, that rounding makes
_EXCITED = 1e-8  # part of an input that moves a mode, from which it does


def reduced(model: LinearModel, n: Any, static: bool, controllable: bool) -> LinearModel:
    """As `LinearModel.reduce`."""
    size = len(model.mass)
    if model.rolling is not None:
        raise SolveError("reduce: a mechanism that rolls has no undamped modes to keep; use the whole model")
    if model.inner is not None:
        raise SolveError(
            f"reduce: laws own states, such as {model.inner.names[0]!r}, which modes do not describe; use the whole "
            "model, or reduce it with python-control (to_control)"
        )
    values, shapes, excited = _excited(model) if controllable else (*model.modes, np.ones(size, dtype=bool))
    known = np.nonzero(excited)[0]  # what the inputs do not move does not give way to them either
    if controllable:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= len(known):
            named = ", ".join(model.inputs) or "(none)"
            raise SolveError(
                f"reduce: {n!r} of the {len(known)} modes that the inputs {named} excite; "
                "pass a number of them"
            )
        chosen = known[:n].tolist()
    else:
        several = isinstance(n, (list, tuple, range, np.ndarray)) and all(isinstance(k, (int, np.integer)) for k in n)
        chosen = [int(k) for k in n] if several else list(range(n)) if isinstance(n, (int, np.integer)) else []
        if not chosen or len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= size:
            raise SolveError(f"reduce: {n!r} is not a choice among the {size} modes of the model, numbered from 0")
    others = [k for k in known.tolist() if k not in chosen] if static else []
    for k in others:
        if abs(values[k]) <= 1e-9 * np.max(np.abs(values)):
            raise SolveError(
                f"reduce: mode {k} is a free motion and cannot give way statically; keep it or pass static=False"
            )
    return _projected(model, shapes[:, chosen], shapes[:, others] if others else None, chosen)


def _excited(model: LinearModel) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Frequencies squared and shapes as `modes`, turned within groups of one frequency, and which inputs excite."""
    values, shapes = model.modes[0], model.modes[1].copy()
    push = np.hstack((model.force, model.drag))
    sizes = np.linalg.norm(shapes.T @ push, axis=0)
    push = push / np.where(sizes > 0.0, sizes, 1.0)
    excited = np.zeros(len(values), dtype=bool)
    ends = np.nonzero(np.diff(values) > _ONE_FREQUENCY * np.max(np.abs(values)) + 1e-7 * np.abs(values[1:]))[0] + 1
    for group in np.split(np.arange(len(values)), ends):
        left, strength, _ = np.linalg.svd(shapes[:, group].T @ push)
        shapes[:, group] = shapes[:, group] @ left
        excited[group[: len(strength)]] = strength > _EXCITED
    return values, shapes, excited


def _projected(model: LinearModel, V: Array, W: Array | None, chosen: list[int]) -> LinearModel:
    """q = V z + W w, with w that gives way to springs and dampers: K_ww w = F_w u - E_w u' - K_wz z - D_wz z'."""
    follow, give = np.zeros_like(V), np.zeros((len(V), len(model.inputs)))
    slow, lag = np.zeros_like(V), np.zeros_like(give)
    left = V.T
    if W is not None:
        K_ww = W.T @ model.stiffness @ W

        def answer(force: Array) -> Array:
            return np.asarray(W @ np.linalg.solve(K_ww, W.T @ force))

        follow, give = -answer(model.stiffness @ V), answer(model.force)
        slow = -answer(model.damping @ (V + follow))
    T = V + follow
    rows, moved = model.rows, give * np.array(model.driven, dtype=float)  # motions have rates, forces may jump
    if W is not None:
        lag = -answer(model.drag + model.damping @ moved)
    new = OutputRows(
        position=rows.position @ T,
        rate=rows.rate @ T + rows.position @ slow,
        acceleration=rows.acceleration @ T + rows.rate @ slow,
        u0=rows.u0 + rows.position @ give,
        u1=rows.u1 + rows.rate @ moved + rows.position @ lag,
        u2=rows.u2 + rows.acceleration @ moved + rows.rate @ lag,
    )
    return replace(
        model,
        mass=definite(left @ (model.mass @ V + model.damping @ slow), left @ model.mass @ V),
        damping=left @ (model.damping @ T + model.stiffness @ slow),
        stiffness=left @ model.stiffness @ T,
        force=left @ (model.force - model.stiffness @ give),
        drag=left @ (model.drag + model.damping @ moved + model.stiffness @ lag),
        rows=new,
        basis=model.basis @ T,
        drives=model.drives + model.basis @ give,
        dual=left @ model.mass @ model.dual,
        coordinates=tuple(f"mode {k + 1}" for k in chosen),
    )


def definite(mass: Array, otherwise: Array) -> Array:
    """A mass matrix, if it is one: what gives way to strong dampers is not slow, and has no inertia to offer."""
    values = eigh(0.5 * (mass + mass.T), 0.5 * (otherwise + otherwise.T), eigvals_only=True)
    return mass if values[0] > 0.5 else otherwise
