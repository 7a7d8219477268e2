"""Media of beams that users describe: a kinetic and a potential energy per length, as formulas of twist and strain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError, CosseratError, ExpressionError, shown, warn
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.expressions import CONSTANTS, FUNCTIONS, Expression
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import Record, recorded
from cosserat.model.section import Section

if TYPE_CHECKING:
    from cosserat.model.medium_formulas import MediumFormulas

TWIST = ("v1", "v2", "v3", "w1", "w2", "w3")
STRAIN = ("e1", "e2", "e3", "k1", "k2", "k3")
_SMALL = 1e-14  # eigenvalue of a stiffness in its own units that counts as zero


class Medium(Record):
    """What a beam is made of, as a Lagrangian: kinetic energy less potential energy, per unit of reference length.

    Parameters
    ----------
    kinetic : SymPy expression or str
        In the twist of a section, ``v1 v2 v3 w1 w2 w3`` (m/s, rad/s, in the section's axes, the beam along the first):
        a quadratic form, whose matrix is the mass per length, see `Section`.
    potential : SymPy expression or str
        In the strain, ``e1 e2 e3 k1 k2 k3``: stretch, two shears (1), twist and two curvatures (1/m), all zero in the
        reference configuration. Any function; its slope at zero strain is a prestress. Warnings tell that it has kinks,
        or where it is not strictly convex at zero strain, as the potential of a rod that snaps.
    parameters : dict, optional
        Numbers, or `Parameter`s, for the other symbols, by name.
    damping : float, optional
        Kelvin-Voigt time (s): times the stiffness at zero strain it is the viscosity.

    Examples
    --------
    A rod that stiffens as it is stretched:

    >>> import cosserat as cs
    >>> from cosserat.symbolic import strain, twist
    >>> import sympy as sp
    >>> EA, b = sp.symbols("EA b")
    >>> v, e = twist, strain
    >>> kinetic = 2 * v[:3, :].dot(v[:3, :]) / 2 + 1e-4 * v[3:, :].dot(v[3:, :]) / 2
    >>> shear, bending = e[1] ** 2 + e[2] ** 2, e[3:, :].dot(e[3:, :])
    >>> potential = EA * (e[0] ** 2 / 2 + b * e[0] ** 4 / 4) + 1e3 * shear / 2 + 5 * bending / 2
    >>> rubber = cs.Medium(kinetic, potential, {"EA": 1e3, "b": cs.Parameter("b", 20.0)})
    >>> beam = cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], medium=rubber)
    >>> rubber.stiffness.diagonal().tolist()
    [1000.0, 1000.0, 1000.0, 5.0, 5.0, 5.0]
    """

    word = "medium"

    @recorded
    def __init__(
        self, kinetic: Any, potential: Any, parameters: Mapping[str, Number] | None = None, damping: Number = 0.0
    ) -> None:
        if not isinstance(parameters, Mapping | None):
            raise self._wrong("parameters", f"must be a dict of numbers by name, got {shown(parameters)}")
        self._parameters = dict(parameters or {})
        self._damping = damping
        self.kinetic = self._text("kinetic", kinetic)
        self.potential = self._text("potential", potential)
        self._keep(kinetic=self.kinetic, potential=self.potential)
        self._told: set[str] = set()  # kinds of warnings that were given

    def _text(self, argument: str, given: Any) -> str:
        """A formula as text."""
        if isinstance(given, str):
            return given.strip()
        from cosserat.model.algebra import sp, text_of

        if isinstance(given, int | float | sp.Expr) and not isinstance(given, bool):
            return text_of(sp.sympify(given))
        raise self._wrong(argument, f"must be a SymPy expression or a formula as text, got {shown(given)}")

    def check(self) -> None:
        checks.named(self.title, "parameters", self._parameters, (*TWIST, *STRAIN, *FUNCTIONS, *CONSTANTS))
        checks.number(self.title, "damping", self._damping, nonnegative=True)
        for argument, text, variables, others in (
            ("kinetic", self.kinetic, TWIST, STRAIN),
            ("potential", self.potential, STRAIN, TWIST),
        ):
            try:
                used = Expression(text, [*variables, *others, *self._parameters], f"{self.title}: {argument}").used
            except ExpressionError as error:
                hint = "; give numbers for other symbols with parameters={...}" if "unknown name" in str(error) else ""
                raise ExpressionError(f"{error}{hint}") from None
            wrong = sorted(used & set(others))
            if wrong:
                raise self._wrong(
                    argument, f"depends on {', '.join(wrong)}; the kinetic energy is a function of the "
                    f"twist ({', '.join(TWIST)}), the potential of the strain ({', '.join(STRAIN)})"
                )  # fmt: skip
        self.section  # noqa: B018  raises where the matrices cannot be those of a section
        rough = self.formulas.rough
        if rough:
            self._tell(
                f"potential is not smooth, it contains {', '.join(rough)}: forces and stiffnesses jump at their "
                "kinks, and iterations may not settle on one; a smooth function is safer, such as sqrt(x**2 + a**2) "
                "for abs(x)"
            )
        if not self.is_convex:
            lowest, along = _softest(self.stiffness)
            self._tell(
                f"potential is not strictly convex at zero strain (second derivative {lowest:.3g} along {along}): the "
                f"reference configuration may be unstable, and rods may snap; parameters: {_listed(self._parameters)}"
            )

    def _tell(self, text: str) -> None:
        """Warn, once of each kind."""
        kind = text.split(",")[0].split("(")[0]
        if kind not in self._told:
            self._told.add(kind)
            warn(f"{self.title}: {text}")

    @property
    def given(self) -> dict[str, Number]:
        """Its parameters as they were given."""
        return dict(self._parameters)

    @property
    def values(self) -> Array:
        """Present values of its parameters; at least one number."""
        return np.array([resolve(v) for v in self._parameters.values()] or [0.0])

    @property
    def damping(self) -> float:
        """Kelvin-Voigt time (s)."""
        return resolve(self._damping)

    @property
    def formulas(self) -> MediumFormulas:
        """Derivatives of both energies, the rest of the potential beyond the quadratic part of `section`."""
        from cosserat.model.medium_formulas import formulas_of

        return formulas_of(self.kinetic, self.potential, tuple(self._parameters), self.is_convex)

    def _at_zero(self, argument: str) -> Array:
        """Second derivatives (6, 6) of an energy at zero."""
        from cosserat.model.medium_formulas import formulas_of

        formulas = formulas_of(self.kinetic, self.potential, tuple(self._parameters))
        matrix = (formulas.stiffness if argument == "potential" else formulas.mass)(self.values)
        if not np.isfinite(matrix).all():
            raise self._wrong(
                argument, "has second derivatives at zero that are no numbers for the present "
                f"parameters: {_listed(self._parameters)}"
            )  # fmt: skip
        return matrix

    @property
    def is_convex(self) -> bool:
        """True if the second derivatives of the potential at zero strain are positive definite."""
        return bool(_spectrum(self.stiffness)[0].min() > _SMALL)

    @property
    def section(self) -> Section:
        """The section with the same mass and the stiffness at zero strain, or one like it that is positive."""
        found = {argument: self._at_zero(argument) for argument in ("potential", "kinetic")}
        try:
            return Section(stiffness=_positive(found["potential"]), mass=found["kinetic"])
        except ArgumentError as error:
            stiff = error.argument == "stiffness"
            of = "second derivatives at zero strain are a stiffness that" if stiff else "matrix is a mass that"
            raise self._wrong(
                "potential" if stiff else "kinetic", f"cannot be used: its {of} {error.problem}"
            ) from None

    @property
    def numbers(self) -> Array:
        """What the functions of `formulas` take: the parameters, and without convexity what `section` has beyond it."""
        if self.is_convex:
            return self.values
        raised = self.section.matrices()[0] - self.stiffness
        return np.concatenate((self.values[: len(self._parameters)], raised[np.tril_indices(6)]))

    @property
    def stiffness(self) -> Array:
        """Second derivatives (6, 6) of the potential at zero strain, per unit length."""
        return self._at_zero("potential")

    @property
    def mass(self) -> Array:
        """Mass matrix (6, 6) per unit length."""
        return self.section.matrices()[1]

    @property
    def prestress(self) -> Array:
        """Slope (6,) of the potential at zero strain: the section force in the reference configuration."""
        return self.formulas.prestress(self.values)

    @property
    def is_quadratic(self) -> bool:
        """True if the potential is a convex quadratic form, without prestress: the beam is that of `section`."""
        return self.formulas.first == ""

    def matrices(self, where: str) -> tuple[Array, Array]:
        """Stiffness and mass (6, 6); errors are located by `where`."""
        try:
            return self.section.matrices()
        except ArgumentError as error:
            raise ArgumentError(f"{where}: {error.item}", error.argument, error.problem) from None
        except CosseratError as error:
            raise type(error)(f"{where}: {error}") from None


def _units(K: Array) -> Array:
    """Square roots (6,) of typical stiffnesses: of the diagonal, or where that is zero, of its largest of that kind."""
    size = np.abs(np.diag(K))
    for kind in (slice(0, 3), slice(3, 6)):
        largest = size[kind].max()
        size[kind] = np.where(size[kind] > 1e-12 * largest, size[kind], largest)
    return np.asarray(np.sqrt(np.where(size > 0.0, size, 1.0)))


def _spectrum(K: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of a stiffness in its own units."""
    unit = _units(K)
    values, vectors = np.linalg.eigh(K / np.outer(unit, unit))
    return values, vectors


def _softest(K: Array) -> tuple[float, str]:
    """The lowest second derivative along a strain, and its name."""
    k = int(np.argmax(np.abs(_spectrum(K)[1][:, 0])))
    return float(K[k, k]), STRAIN[k]


def _positive(K: Array) -> Array:
    """A stiffness, or where it is not positive definite, one that is: negative eigenvalues turn their sign, and in
    directions without stiffness it becomes a typical one. Where all stretches and shears, or all curvatures, have none,
    nothing is typical and the matrix stays as it is.
    """
    values, vectors = _spectrum(K)
    size = np.abs(np.diag(K))
    if values.min() > _SMALL or not (size[:3].any() and size[3:].any()):
        return K
    more = np.where(values > _SMALL, 0.0, np.where(values < -1e-6, -2.0 * values, 1.0 - values))
    raised = (vectors * more) @ vectors.T * np.outer(_units(K), _units(K))
    return np.asarray(K + 0.5 * (raised + raised.T))


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {resolve(value):g}" for name, value in parameters.items()) or "none"
