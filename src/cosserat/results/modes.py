"""`Modes`: small free vibrations of a mechanism about a state, and their table."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.errors import SolveError
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.kinematics import rigid_motions
from cosserat.results.labels import aligned, titled
from cosserat.results.motion import Motion, motion_of, virtual_motion
from cosserat.results.nodal import strain_energies
from cosserat.results.quantities import KINDS, target_of
from cosserat.results.run import Run
from cosserat.results.status import Status
from cosserat.results.trajectory import OfTrajectory, Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from scipy.sparse import csc_matrix
    from xarray import Dataset


DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
HEADS = ("mode", "frequency (Hz)", "damping", "eigenvalue (1/s)", "where it moves", "")
_GROWING = 1e-7  # growth rate that counts as unstable, relative to |s|
_SHOWN = 0.1  # share of the energy from which a component is named
_MOST = 3  # components named per mode


@answering
class Modes(OfTrajectory):
    """Small free vibrations x(t) = Re(shape exp(s t)) about an equilibrium, a steady rotation or a moment of a run.

    Free motions (rigid-body motions, mechanisms) come first with frequency exactly 0, then the others by frequency.
    Where laws own states, motions that only decay (lags) come last.

    Attributes
    ----------
    eigenvalues : (k,) complex
        s (1/s), the one of each conjugate pair that has the positive imaginary part.
    shapes : (6 n_nodes, k)
        Increments of the nodes in their own frames, x^H M x = 1; real without damping and gyroscopic terms.
    damped : bool
        Whether terms with velocities were taken into account.
    kind : str
        "equilibrium", "steady rotation" or "moment of a run".

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> modes = cs.modes(model, 1)
    >>> len(modes), round(float(modes.frequencies[0]), 6)  # 2 rad/s
    (1, 0.31831)
    """

    def __init__(
        self,
        trajectory: Trajectory,
        eigenvalues: NDArray[np.complex128],
        shapes: NDArray[Any],
        mass: csc_matrix,
        kind: str,
        damped: bool,
    ) -> None:
        self.trajectory = trajectory
        self.motion: Motion = motion_of(trajectory)  # the state about which it vibrates, of the model as it is now
        self.eigenvalues = eigenvalues
        self.shapes = shapes
        self.coordinate_shapes: NDArray[Any] = np.zeros((0, shapes.shape[1]))  # increments of coordinates of trees
        self.kind = kind
        self.damped = damped
        self._mass = mass

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: the state about which it vibrates as its file; functions in the model are no obstacle."""
        from cosserat.io.netcdf import image

        mine = {k: v for k, v in self.__dict__.items() if k not in ("trajectory", "motion")}
        mine.update(components=self.components, participation=self.participation)  # which need the model
        return {**mine, "_image": image(Run.of_motion(self.trajectory, self.motion))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from cosserat.io.netcdf import run_from

        run = run_from(state.pop("_image"), "pickle of modes")
        self.__dict__.update(state, trajectory=run.trajectory, motion=run.motion)

    @property
    def status(self) -> Status:
        """How the solution ended."""
        return self.trajectory.status

    # numbers ----------------------------------------------------------------------------------------------------------

    @property
    def frequencies(self) -> Array:
        """Frequencies of oscillation (k,), Hz: Im s / 2 pi; 0 for free, unstable and overdamped motions."""
        return np.asarray(self.eigenvalues.imag / (2.0 * np.pi) + 0.0)

    @property
    def damping(self) -> Array:
        """Damping ratios (k,): -Re s / |s|; 1 for overdamped, -1 for diverging motions, 0 for free ones."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.where(size > 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0) + 0.0)

    @property
    def rigid(self) -> int:
        """How many free motions there are: modes number 0 to rigid - 1."""
        return int(np.sum(self.eigenvalues == 0.0))

    @property
    def unstable(self) -> NDArray[np.bool_]:
        """Which modes grow (k,)."""
        return np.asarray(self.eigenvalues.real > _GROWING * np.abs(self.eigenvalues))

    @property
    def stable(self) -> bool:
        """Whether no mode found grows."""
        return not bool(np.any(self.unstable))

    # shapes -----------------------------------------------------------------------------------------------------------

    def shape(self, i: int, place: Any) -> NDArray[Any]:
        """Displacement (3,) of a place in mode i, world components; complex for damped modes.

        Shapes are scaled so that twice the kinetic energy at unit rate is 1: x^H M x = 1.
        """
        return self.quantity(i, "position", place)

    def rotation(self, i: int, place: Any) -> NDArray[Any]:
        """Rotation (3,) of a place in mode i (rad), world components; same scale as `shape`."""
        return self.quantity(i, "rotation", place)

    def quantity(self, i: int, word: str, item: Any) -> NDArray[Any]:
        """Small change (k,) of a quantity in mode i: of a "position", a "rotation", or the "coordinate" of a joint."""
        target, _, pick = target_of(self.motion.mechanism, word, item)
        if not KINDS[word].rate:
            known = ", ".join(repr(w) for w, row in KINDS.items() if row.rate)
            raise SolveError(f"quantity: modes tell small changes of {known}, not of {word!r}; use linearize for it")
        # the rate of the quantity in a motion that has the shape for twists
        parts = [KINDS[KINDS[word].rate].values(virtual, target)[0] for virtual in self._parts(i)]
        change = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
        return change if pick is None else change[pick : pick + 1]

    def _parts(self, i: int) -> list[Motion]:
        """Virtual motions of the real and the imaginary part of a shape."""
        x = self.shapes[:, self.index(i)]
        parts = [x.real, x.imag] if np.iscomplexobj(x) else [x]
        return [virtual_motion(self.motion, part) for part in parts]

    def index(self, i: Any) -> int:
        """Number of a mode, counted from 0 (negative from the end); a located error for what does not exist."""
        try:
            k = operator.index(i)
        except TypeError:
            raise SolveError(f"mode {i!r} is not a whole number; modes are counted from 0") from None
        if not -len(self) <= k < len(self):
            raise SolveError(f"there is no mode {k}; {len(self)} were computed, counted from 0: ask for more with n=")
        return k % len(self)

    # where a mode lives -----------------------------------------------------------------------------------------------

    @cached_property
    def components(self) -> Dataset:
        """Shares (mode, component) of the kinetic and the elastic energy of each mode; each sums to 1, or is 0."""
        mechanism = self.motion.mechanism
        moving = np.real(self.shapes.conj() * (self._mass @ self.shapes))
        per_node = moving.reshape(mechanism.n_nodes, 6, len(self)).sum(axis=1)
        parts = {name: per_node[node] for name, node in mechanism.bodies.items()}
        parts |= {name: per_node[mesh.nodes].sum(axis=0) for name, mesh in mechanism.beams.items()}
        kinetic = [{name: float(share[i]) for name, share in parts.items()} for i in range(len(self))]
        springs = list(mechanism.springs)
        strain = [summed([strain_energies(part, springs) for part in self._parts(i)]) for i in range(len(self))]
        return energy_shares(kinetic, strain, self.rigid)

    def location(self, i: int) -> str:
        """Name of the body or beam that has most of the kinetic energy of mode i."""
        kinetic = self.components["kinetic"][self.index(i)]
        return str(kinetic["component"].values[int(np.argmax(kinetic.values))])

    @cached_property
    def participation(self) -> Dataset:
        """Participation of modes in translations along and rotations about the world axes, (mode, direction).

        `factor` is x^T M r for a unit rigid motion r, `effective_mass` its squared modulus (kg, kg m^2): over all modes
        of a mechanism that is held it sums to the mass (moment of inertia) that can move. Rotations are about axes
        through the centre of mass.
        """
        from xarray import Dataset

        r, total = self._rigid_motions()
        factor = self.shapes.T @ (self._mass @ r)
        data = {"factor": factor, "effective_mass": np.abs(factor) ** 2}
        return Dataset(
            {name: (("mode", "direction"), values) for name, values in data.items()},
            coords={"mode": np.arange(len(self)), "direction": list(DIRECTIONS), "total": ("direction", total)},
        )

    def _rigid_motions(self) -> tuple[Array, Array]:
        """Increments (6n, 6) of rigid motions along and about world axes through the centre of mass, and inertia."""
        frames = self.motion.frame[-1, :-1]
        r = rigid_motions(frames, np.zeros(3))
        inertia = r.T @ (self._mass @ r)
        r = rigid_motions(frames, centre_of(inertia))
        return r, np.diag(r.T @ (self._mass @ r))

    # text and pictures ------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """A table: number, frequency, damping ratio, where the mode lives, and what is special."""
        lines = aligned([HEADS, *mode_rows(self)], left=(4, 5))
        if not self.stable:
            lines.append(f"{int(self.unstable.sum())} of these motions grow: the state is unstable")
        return titled(f"Modes of {self.motion.mechanism.name!r} about its {self.kind}", lines)

    def plot(
        self, i: int | None = None, ax: Any = None, path: str | Path | None = None, amplitude: float | None = None
    ) -> Figure:
        """Draw the shape of mode i on the structure, at rest behind it; `path` saves the figure.

        Parameters
        ----------
        i : int, optional
            Default: the first mode that is not a free motion.
        amplitude : float, optional
            Largest displacement drawn (m); default a tenth of the extent of the mechanism.
        """
        from cosserat.view.modes import plot_mode

        return plot_mode(self, self.rigid if i is None else self.index(i), ax, path, amplitude)

    def animate(
        self, i: int | None = None, path: str | Path | None = None, open: bool | None = None,
        amplitude: float | None = None,
    ) -> Path:  # fmt: skip
        """Write a 3D animation of mode i as one HTML file, and open it in a browser if no path is given."""
        from cosserat.view.modes import animate_mode

        return animate_mode(self, self.rigid if i is None else self.index(i), path, open, amplitude)

    def __repr__(self) -> str:
        name = self.motion.mechanism.name
        elastic = self.frequencies[self.rigid :]
        span = f", {elastic[0]:.4g} to {elastic[-1]:.4g} Hz" if len(elastic) else ""
        free = f", {self.rigid} free motions" if self.rigid else ""
        state = "" if self.stable else f", UNSTABLE ({int(self.unstable.sum())} growing)"
        article = "an" if self.kind[0] in "aeiou" else "a"
        return f"<Modes of {name!r} about {article} {self.kind}: {len(elastic)} modes{span}{free}{state}>"


def summed(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Energies by component, of the real and the imaginary part of a shape together."""
    return {name: sum(part[name] for part in parts) for name in parts[0]}


def energy_shares(kinetic: list[dict[str, float]], strain: list[dict[str, float]], rigid: int) -> Dataset:
    """Energies of each mode by component as shares (mode, component); the first `rigid` modes are free motions."""
    from xarray import Dataset

    names = list(dict.fromkeys(name for row in (*kinetic[:1], *strain[:1]) for name in row))
    out: dict[str, Any] = {}
    for word, rows in (("kinetic", kinetic), ("strain", strain)):
        energy = np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))
        if word == "strain":
            energy[:rigid] = 0.0  # what rounding leaves of a free motion
        total = energy.sum(axis=1, keepdims=True)
        share = np.divide(energy, total, out=np.zeros_like(energy), where=total > 0.0)
        out[word] = (("mode", "component"), share)
    return Dataset(out, coords={"mode": np.arange(len(kinetic)), "component": names})


def mode_rows(modes: Modes) -> list[tuple[str, str, str, str, str, str]]:
    """One row of texts per mode, in the order of `HEADS`."""
    frequencies, damping = modes.frequencies, modes.damping
    return [
        (
            str(i), f"{frequencies[i]:.6g}", f"{_clean(damping[i]):.4g}", _complex(complex(s)), where(modes, i),
            remark(modes, i),
        )
        for i, s in enumerate(modes.eigenvalues)
    ]  # fmt: skip


def where(modes: Modes, i: int) -> str:
    """Components with most of the kinetic energy, with their shares."""
    kinetic = modes.components["kinetic"][i]
    names, shares = kinetic["component"].values, kinetic.values
    order = np.argsort(-shares, kind="stable")
    named = [k for k in order[:_MOST] if shares[k] >= _SHOWN] or list(order[:1])
    return ", ".join(f"{names[k]} {100 * shares[k]:.0f} %" for k in named)


def remark(modes: Modes, i: int) -> str:
    """What is special about a mode."""
    s = modes.eigenvalues[i]
    if i < modes.rigid:
        return "free motion"
    if modes.unstable[i]:
        return "UNSTABLE: flutter" if s.imag > 0.0 else "UNSTABLE: divergence"
    return "overdamped" if s.imag == 0.0 else ""


def _complex(s: complex) -> str:
    scale = abs(s)
    real = 0.0 if abs(s.real) < 1e-10 * scale else s.real
    if s.imag == 0.0:
        return f"{real:.5g}"
    return f"{real:.5g} ± {s.imag:.5g}i" if real else f"± {s.imag:.5g}i"


def _clean(ratio: float) -> float:
    return 0.0 if abs(ratio) < 1e-10 else ratio


def centre_of(inertia: Array) -> Array:
    """Centre of mass (3,) of an inertia (6, 6) about the origin."""
    # of a mass m at c the part that couples turns with translations is m hat(c)^T
    spread = inertia[:3, 3:] / inertia[0, 0] if inertia[0, 0] > 0.0 else np.zeros((3, 3))
    return so3.vee(0.5 * (spread.T - spread))
