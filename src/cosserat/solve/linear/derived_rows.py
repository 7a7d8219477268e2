"""Rows of any quantity of a motion of nodes: its directional derivatives, by differences of eighth order.

A displaced node H exp(x) has the twist v + x' + ad(v) x and its rate v' + x" + ad(v) x' + ad(v') x, so that

    y = y_H x + y_v (x' + ad(v) x) + y_a (x" + ad(v) x' + ad(v') x) + y_lambda lambda
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.compile.series import bracket
from cosserat.errors import SolveError
from cosserat.kernels.arrays import History
from cosserat.kernels.residual import track_angles
from cosserat.lie import se3
from cosserat.results.motion import Motion, motion_of
from cosserat.results.trajectory import Trajectory
from cosserat.solve.linear.differences import EIGHTH, STEP
from cosserat.solve.linear.input_columns import Column
from cosserat.solve.linear.more_input import with_input
from cosserat.solve.linear.output_rows import Rows, values_of
from cosserat.solve.linear.point import EQUILIBRIUM, MOMENT, Point
from cosserat.solve.linear.quantities import Quantity

Array = NDArray[np.float64]

_TOGETHER = 512  # displaced states in one motion, to bound memory
_FELT = 1e-9  # part of a multiplier from which an output depends on reactions


def derived_rows(point: Point, quantity: Quantity) -> Rows:
    """Outputs of a point by the derivatives of their function."""
    if point.kind not in (EQUILIBRIUM, MOMENT):
        raise SolveError(
            f"output {quantity.names[0]!r}: an output of one's own is linearised about an equilibrium or a moment of a "
            f"run, not about a {point.kind}; use formulation='floating'"
        )
    here = point.trajectory()
    evaluate = quantity.values(motion_of(here))
    history, n = here.history, point.compiled.n_nodes
    base = evaluate(motion_of(here))[0]
    y_H = _slopes(point, evaluate, lambda k, i: _turned(point, history, k, i), 6 * n)
    y_v = _slopes(point, evaluate, lambda k, i: _added(history, "twist", k, i * STEP), 6 * n)
    y_a = _slopes(point, evaluate, lambda k, i: _added(history, "rate", k, i * STEP), 6 * n)
    units = [(j, row) for j, rows in enumerate(point.independent_rows) for row in rows]
    size = 1.0 + float(np.max(np.abs(history.force), initial=0.0))
    y_f = _slopes(point, evaluate, lambda k, i: _pushed(history, *units[k], i * STEP * size), len(units))
    unit = np.tile(np.repeat([point.compiled.length, 1.0], 3), n) * STEP
    y_H, y_v, y_a, y_f = y_H / unit, y_v / STEP, y_a / STEP, y_f / (STEP * size)
    trial = point.memory.problem.trial
    by_v, by_a = (_bracketed(y, x[:n]) for y, x in ((y_v, trial.twist), (y_a, trial.rate)))
    rows = Rows(
        quantity.names, quantity.kind, y_H + by_v + by_a, y_v + _bracketed(y_a, trial.twist[:n]), y_a, y_f, evaluate,
        at_once=lambda column: _at_once(point, column, evaluate, base, bool(np.any(np.abs(y_f) > _FELT))),
    )  # fmt: skip
    return rows if quantity.pick is None else rows.picked(quantity.pick)


def _slopes(
    point: Point, evaluate: Callable[[Motion], Array], displaced: Callable[[int, int], History], count: int
) -> Array:
    """Derivatives (p, count) along unit steps in `count` directions."""

    def states() -> Iterator[History]:
        for k in range(count):
            for i, _ in EIGHTH:
                yield displaced(k, i)

    found, batch = [], []
    for history in states():
        batch.append(history)
        if len(batch) == _TOGETHER:
            found.append(_evaluated(point, evaluate, batch))
            batch = []
    if batch:
        found.append(_evaluated(point, evaluate, batch))
    if not found:
        return np.zeros((evaluate(motion_of(point.trajectory())).shape[1], 0))
    weights = np.array([w for _, w in EIGHTH])
    return np.asarray(np.einsum("nkp,k->pn", np.concatenate(found).reshape(count, len(EIGHTH), -1), weights))


def _evaluated(point: Point, evaluate: Callable[[Motion], Array], batch: list[History]) -> Array:
    here = point.trajectory()
    history = History(*(np.concatenate(parts) for parts in zip(*batch, strict=True)))
    times = np.full(len(batch), point.time)
    efforts = None if here.efforts is None else np.repeat(here.efforts, len(batch), axis=0)
    return evaluate(motion_of(Trajectory(point.compiled, times, history, here.status, {}, {}, efforts)))


def _turned(point: Point, history: History, k: int, i: int) -> History:
    """Node k // 6 moved along one of its axes; coordinates whose turns are counted follow."""
    (node, axis), trial = divmod(k, 6), point.memory.problem.trial
    frame, step = history.frame.copy(), np.zeros(6)
    step[axis] = i * STEP * (point.compiled.length if axis < 3 else 1.0)
    frame[0, node] = frame_to_row(row_to_frame(frame[0, node]) @ se3.exp(step))
    trial.frame[:] = frame[0]
    track_angles(point.memory.address)
    angle = trial.angle[None].copy()
    trial.frame[:], trial.angle[:] = history.frame[0], history.angle[0]
    return history._replace(frame=frame, angle=angle)


def _added(history: History, field: str, k: int, change: float) -> History:
    values = getattr(history, field).copy()
    values[0].reshape(-1)[k] += change
    return history._replace(**{field: values})


def _pushed(history: History, joint: int, row: Array, change: float) -> History:
    force = history.force.copy()
    force[0, joint] += change * row
    return history._replace(force=force)


def _bracketed(rows: Array, twists: Array) -> Array:
    """rows ad(v), node by node."""
    if not np.any(twists):
        return np.zeros_like(rows)
    parts = rows.reshape(len(rows), -1, 6)
    return np.asarray(np.einsum("pni,nij->pnj", parts, bracket(twists)).reshape(rows.shape))


def _at_once(point: Point, column: Column, evaluate: Callable[[Motion], Array], base: Array, reactions: bool) -> Array:
    """What a unit of an input adds at the same motion and reactions (p,)."""
    if column.kind == "motion":
        if reactions:
            raise SolveError(
                f"input {column.name!r}: a prescribed motion is no input together with an output of one's own that "
                "depends on reactions; use formulation='floating'"
            )
        return np.zeros_like(base)
    step = STEP * (1.0 + float(np.max(np.abs(point.memory.problem.trial.force), initial=0.0)))
    out = np.zeros_like(base)
    for i, weight in EIGHTH:
        out += weight / step * values_of(point, evaluate, compile_model(with_input(point.model, column, i * step)))
    return out
