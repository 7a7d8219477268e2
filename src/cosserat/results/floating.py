"""What a run in floating frames knows besides the motion of nodes: coordinates, energies, momenta of its links."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cosserat.errors import ModelError, SolveError
from cosserat.lie.protocol import Array


class LinkLedger(NamedTuple):
    """Energies, and what moves the links of a tree, over the stored times."""

    powers: Array  # (nt, 5) kinetic, strain and potential energy (J), loss and supply (W)
    origin: Array  # (nt, nl, 3) of the links' frames, world
    momentum: Array  # (nt, nl, 6) of the links about these, world axes
    force: Array  # (nt, nl, 6) wrenches on the links about these, world axes


class FloatingRecord:
    """Coordinates of a tree over the stored times, and its `LinkLedger`, made when it is first asked for.

    Attributes
    ----------
    coordinates : tuple of str
    q, v, a : (nt, n)
    """

    def __init__(
        self, coordinates: tuple[str, ...], q: Array, v: Array, a: Array, ledger: LinkLedger | Callable[[], LinkLedger]
    ) -> None:  # fmt: skip
        self.coordinates, self.q, self.v, self.a = coordinates, q, v, a
        self._ledger = ledger

    @property
    def ledger(self) -> LinkLedger:
        """Energies and links."""
        if not isinstance(self._ledger, LinkLedger):
            self._ledger = self._ledger()
        return self._ledger

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        return {"q": self.q, "v": self.v, "a": self.a, **self.ledger._asdict()}

    def modal(self, name: str) -> tuple[list[int], list[str]]:
        """Columns and names of the modal coordinates of a body, or of one of them (``"arm.mode1"``)."""
        if name in self.coordinates and ".mode" in name:
            return [self.coordinates.index(name)], [name.rsplit(".", 1)[1]]
        if "." in name:
            owner, mode = name.split(".", 1)
            modes = self.modal(owner)[1]
            raise ModelError(f"body {owner!r} has no mode {mode!r}; its modes: {modes[0]!r} to {modes[-1]!r}")
        found = [k for k, other in enumerate(self.coordinates) if other.startswith(f"{name}.mode")]
        return found, [self.coordinates[k].rsplit(".", 1)[1] for k in found]

    @property
    def elastic(self) -> list[str]:
        """Names of the bodies with modal coordinates."""
        return list(dict.fromkeys(name.rsplit(".", 1)[0] for name in self.coordinates if ".mode" in name))


def record_of(record: FloatingRecord | None, call: str) -> FloatingRecord:
    """The record of a run that must have one."""
    if record is None:
        raise SolveError(f"{call}: modal coordinates belong to runs with formulation='floating'; this one has none")
    return record
