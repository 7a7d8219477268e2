"""Meshes that are too coarse for what a beam does.

An element bends inside like a cubic. A beam in tension bends sharply where it is held, over a length sqrt(EI / N).
Where elements are much longer than that, they are too stiff there: with a mean tilt g of their ends against the chord
they store about N h g^2 instead of sqrt(N EI) g^2 (0.4 of it in the S, the rest in the bow beside it).
Compared with what the tension stores in the deflection of the beam from its reference, that is about the relative
error of the deflection.

An element that was curved from the start, by an angle a, straightens under tension between its nodes and gets longer,
by N h^2/EI a^2 h/720 as long as its own bend resists alone. Beyond N h^2/EI of 40 or so the tension resists far more,
which an element does not see: a rope that is drawn as a curve sags too far. Compared with how much longer the beam is
than the straight line between its ends, that is about twice the relative error of its sag.

With more tension the ends of elements may draw apart although the beam hardly stretches, or there is no balance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.kernels.alpha import move
from cosserat.kernels.beams import relative_vectors
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.modes import Modes

_DRAWN = 0.1  # elongation of an element's chord beyond the strain of the beam that is taken as wrong
_SHARP = 40.0  # N h^2/EI beyond which an element does not resolve the bend of a beam in tension
_TILTED = 1e-6  # tilt of an element that is taken as none
_WRONG = 0.01  # error of deflections or frequencies that is told
_STRAIN = 0.05  # the largest tensile strain of a beam that is reckoned with
_LOOKS = 8  # states of a run that are looked at
_TOLD_APART = 3  # elements of a beam from which on a bend where it is held is not the shape of the whole mode
_SMALL = 1e-3  # size of a vibration, turns and shares of the model's length
_TAUT = 15.0  # length of an element in bends sqrt(EI / N) beyond which it may be why there is no balance

_BENT = (
    "the beam bends over {bend:.2g} m where it is held or pushed, and {wrong}, moments there more; "
    "use elements of {short:.2g} m, or a pinned end"
)
_STRAIGHTENED = "it was curved from the start and straightens too far, and {wrong}; use {elements:.0f} elements or more"


def warn_coarse(found: Equilibrium) -> None:
    """Warn of the worst element of each beam that is too long for its tension.

    Its ends are farther apart than the strain of the beam can explain, or it is too stiff where the beam is held.
    """
    compiled, frame = found.trajectory.compiled, found.trajectory.history.frame[-1]
    elements = compiled.system.elements
    if len(elements.node) == 0:
        return
    warn_of_deflections("equilibrium", compiled, frame[None])
    a, b = elements.node.T
    drawn = np.linalg.norm(frame[b, 9:] - frame[a, 9:], axis=1) / np.linalg.norm(elements.d0[:, :3], axis=1) - 1.0
    for name, mesh in compiled.beams.items():
        own = drawn[mesh.elements]
        worst = int(np.argmax(own))
        if own[worst] <= _DRAWN:
            continue
        middle = float(np.mean(mesh.s[mesh.pairs[worst] - mesh.first_node]))
        if own[worst] > _DRAWN + 2.0 * np.linalg.norm(found.strain(name, middle)[:3]):
            warn(
                f"equilibrium: beam {name!r}: element {worst + 1} of {len(own)} is too long for the force across it, "
                f"drawn apart by {100 * own[worst]:.0f} %, so the result is wrong; use more elements",
            )


def warn_of_deflections(caller: str, compiled: CompiledModel, frames: Array, bent: bool = True) -> None:
    """Warn of beams whose deflections from the reference, in states with these frames, are wrong: (nt, n + 1, 12).

    Not `bent`: only of those that straighten too far.
    """
    if not compiled.beams or not (slender := _slender(compiled)).any():
        return
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, _LOOKS).round().astype(int))]
    force = np.maximum(np.mean([_tension(compiled, frame) for frame in frames], axis=0), 0.0)
    stored, sharpness, deflected = (np.sum(x, axis=0) for x in _stored(compiled, compiled.frames, frames, force))
    bowed = force * _straightened(compiled, sharpness)
    for name, mesh in compiled.beams.items():
        own = mesh.elements
        error = bent * float(np.sum(stored[own]) / max(float(np.sum(deflected[own])), 1e-300))
        sag = 0.5 * float(np.sum(bowed[own]) / max(_slack(compiled, frames, force, own), 1e-300))
        if not slender[own].any() or max(error, sag) <= _WRONG:
            continue
        if error > sag:
            _tell(caller, compiled, name, stored, sharpness, _BENT, f"deflections are wrong {_by(error)}")
        else:
            enough = np.ceil(1.2 * len(mesh.pairs) * (sag / _WRONG) ** 0.25)  # order 4, and some more
            words = f"the sag of the beam is wrong {_by(sag)}"
            _tell(caller, compiled, name, bowed, sharpness, _STRAIGHTENED, words, enough)


def warn_of_frequencies(found: Modes) -> None:
    """Warn if elements too long for their tension make the lowest mode wrong that lives by tension."""
    compiled, before = found.trajectory.compiled, found.trajectory.history.frame[-1]
    if not _slender(compiled).any():
        return
    force = np.maximum(_tension(compiled, before), 0.0)
    for k, value in enumerate(found.eigenvalues):
        if abs(value) == 0.0:
            continue
        shape = found.shapes[:, k].reshape(-1, 6)
        small = _SMALL / float(np.max(np.abs(shape) / ((compiled.length,) * 3 + (1.0,) * 3)))
        frames, increments = np.empty((2, *before.shape)), np.zeros((len(before), 6))
        for part, moved in zip((shape.real, shape.imag), frames, strict=True):
            increments[:-1], moved[-1] = small * part, before[-1]
            move(before, increments, 1.0, moved)
        stored, sharpness, deflected = (np.sum(x, axis=0) for x in _stored(compiled, before, frames, force))
        square = (small * abs(value)) ** 2  # twice the energy of the mode
        if np.sum(deflected) < 0.25 * square:
            continue
        if (error := float(np.sum(stored)) / square) > _WRONG:  # of the frequency: half of that of its square
            worst = int(np.argmax(stored))
            name = next(n for n, m in compiled.beams.items() if 0 <= worst - m.first_element < len(m.pairs))
            if len(compiled.beams[name].pairs) >= _TOLD_APART:
                words = f"the frequency of mode {k} is wrong {_by(error)}"
                _tell("modes", compiled, name, stored, sharpness, _BENT, words)
        return


def _tell(
    caller: str,
    compiled: CompiledModel,
    name: str,
    weight: Array,
    sharpness: Array,
    why: str,
    wrong: str,
    enough: float = 0,
) -> None:
    """Warn of the element of a beam that has the largest weight: why it is too long, what is wrong, and the remedy."""
    mesh = compiled.beams[name]
    worst = mesh.first_element + int(np.argmax(weight[mesh.elements]))
    bend = np.linalg.norm(compiled.system.elements.d0[worst, :3]) / np.sqrt(sharpness[worst])
    why = why.format(wrong=wrong, bend=bend, short=2.0 * bend, elements=enough)
    warn(
        f"{caller}: beam {name!r}: element {worst - mesh.first_element + 1} of {len(mesh.pairs)} is too long for its "
        f"tension (N h^2/EI is {sharpness[worst]:.0f}): {why}"
    )


def _straightened(compiled: CompiledModel, sharpness: Array) -> Array:
    """Lengths (ne,) by which curved elements straighten too far."""
    d0 = compiled.system.elements.d0
    length = np.linalg.norm(d0[:, :3], axis=1)
    angle = np.linalg.norm(np.cross(_unit(d0[:, :3]), d0[:, 3:]), axis=1)
    return np.asarray(length * angle**2 * sharpness**2 / (720.0 * (_SHARP + sharpness)))


def _slack(compiled: CompiledModel, frames: Array, force: Array, own: slice) -> float:
    """How much longer than straight a beam is in the mean of some states, each element times its tension."""
    a, b = compiled.system.elements.node[own].T
    chord = frames[:, b, 9:] - frames[:, a, 9:]
    along = _unit(np.sum(chord, axis=1, keepdims=True))
    longer = np.linalg.norm(chord, axis=2) - np.sum(chord * along, axis=2)
    return float(np.sum(force[own] * np.mean(longer, axis=0)))


def _by(error: float) -> str:
    return f"by about {100 * error:.0f} %" if error < 0.5 else "by far"


def _slender(compiled: CompiledModel) -> NDArray[np.bool_]:
    """Elements so slender that a strain of `_STRAIN` makes their tension sharp."""
    elements = compiled.system.elements
    along, _, stiffness = _shape(elements.d0, elements.stiffness)
    axial = np.einsum("ei,eij,ej->e", along, elements.stiffness[:, :3, :3], along)
    return np.asarray(12.0 * _STRAIN * axial > _SHARP * stiffness)


def _tension(compiled: CompiledModel, frame: Array) -> Array:
    """Axial forces (ne,) in a state."""
    elements, e = compiled.system.elements, _strain(compiled, frame)
    v = e + 0.5 * np.einsum("nkij,nk,nj->ni", elements.second.reshape(-1, 6, 6, 6), e, e, optimize=True)
    force = np.einsum("nij,nj->ni", elements.stiffness[:, :3], v)
    return np.asarray(np.sum(_unit(elements.d0[:, :3]) * force, axis=1))


def _strain(compiled: CompiledModel, frame: Array) -> Array:
    elements = compiled.system.elements
    d = np.empty_like(elements.d0)
    relative_vectors(np.ascontiguousarray(frame), elements.node, d)
    return d - elements.d0


def _stored(compiled: CompiledModel, before: Array, frames: Array, force: Array) -> tuple[Array, Array, Array]:
    """Energies (nt, ne) that sharp elements store in excess when they come from `before`; N h^2/EI (1, ne); and the
    energies that tension has in the turns of chords.
    """
    elements = compiled.system.elements
    along, length, stiffness = _shape(elements.d0, elements.stiffness)
    across = np.array([_strain(compiled, frame) for frame in frames])[..., :3] - _strain(compiled, before)[:, :3]
    tilt = np.linalg.norm(across - along * np.sum(along * across, axis=2)[..., None], axis=2) / length
    sharpness = 12.0 * force / (length * stiffness)
    a, b = elements.node.T
    after, first = (_unit(x[..., b, 9:] - x[..., a, 9:]) for x in (frames, before))
    stored = np.where((sharpness > _SHARP) & (tilt > _TILTED), force * length * tilt**2, 0.0)
    return stored, sharpness[None], 0.5 * force * length * np.sum((after - first) ** 2, axis=2)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1), 1e-300)[..., None])


def _shape(d0: Array, K: Array) -> tuple[Array, Array, Array]:
    """Directions (ne, 3) and lengths of elements, and their lower transverse stiffness, 12 EI / h^3."""
    length = np.linalg.norm(d0[:, :3], axis=1)
    along = d0[:, :3] / length[:, None]
    across = np.eye(3) - along[:, :, None] * along[:, None]
    return along, length, np.linalg.eigvalsh(across @ K[:, :3, :3] @ across)[:, 1]


def taut_element(compiled: CompiledModel, stress: Array) -> str:
    """The element that is longest in units of sqrt(EI / N), in words; nothing if it is short. stress is (ne, 6)."""
    elements = compiled.system.elements
    along, length, stiffness = _shape(elements.d0, elements.stiffness)
    ratio = np.sqrt(np.maximum(12.0 * np.sum(along * stress[:, :3], axis=1), 0.0) / (length * stiffness))
    for name, mesh in compiled.beams.items():
        own = ratio[mesh.elements]
        worst = int(np.argmax(own))
        if own[worst] > _TAUT and own[worst] == np.max(ratio):
            return (
                f"beam {name!r}: element {worst + 1} of {len(own)} is too long for its tension, {own[worst]:.0f} times "
                "the bend sqrt(EI/N); use more elements"
            )
    return ""
