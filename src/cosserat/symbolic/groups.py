"""Lie groups for symbolic work: exact structure constants, Ad, ad, Maurer-Cartan forms, and a generic element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cosserat import lie
from cosserat.errors import GeometryError, shown
from cosserat.lie import bases
from cosserat.lie.matrix_group import MatrixGroup, verified_constants
from cosserat.model.algebra import sp


class Group:
    """A Lie group of matrices with exact entries.

    Parameters
    ----------
    basis : sequence of square matrices
        The basis e_1 ... e_n of the algebra, entries numbers or exact SymPy numbers. Independence and closure under
        the bracket are verified.
    name : str, optional
        For print and error messages.
    components : sequence of str, optional
        One name per basis vector, from which the names of velocities are made (``v1`` gives ``v1_t``). Default:
        ``e1``, ``e2``, ...
    numeric : cosserat.lie.Group, optional
        The same group for numbers; default: a `cosserat.lie.MatrixGroup` of the same basis.

    Examples
    --------
    >>> from cosserat import symbolic
    >>> symbolic.SO3.ad([1, 0, 0]) == symbolic.SO3.hat([1, 0, 0])
    True
    >>> symbolic.SL(2).structure_constants[0, 1, 2]  # [E12, E21] = E11 - E22
    1
    """

    def __init__(
        self, basis: Sequence[Any], name: str = "Group", components: Sequence[str] | None = None, numeric: Any = None
    ) -> None:
        self.name = name
        self.basis = [sp.ImmutableMatrix(sp.Matrix(e).applyfunc(sp.nsimplify)) for e in _matrices(basis, name)]
        self.dim, self.size = len(self.basis), self.basis[0].shape[0]
        names = tuple(components) if components is not None else tuple(f"e{k + 1}" for k in range(self.dim))
        if len(names) != self.dim or len(set(names)) != self.dim:
            raise GeometryError(f"{name}: got components {names}; pass {self.dim} different names, one per vector")
        self.components = names
        free = set().union(*(e.free_symbols for e in self.basis))
        if free:
            raise GeometryError(f"{name}: the basis contains free symbols {_listed(free)}; its entries must be numbers")
        self.numeric = numeric if numeric is not None else MatrixGroup(np.array(self.basis, dtype=float), name)
        self.factors: tuple[Group, ...] = (self,)
        flat = sp.Matrix.hstack(*(e.reshape(self.size**2, 1) for e in self.basis))
        self._left_inverse = (flat.T * flat).inv() * flat.T
        self.structure_constants = self._constants()

    @classmethod
    def from_structure_constants(
        cls, constants: Any, name: str = "Group", components: Sequence[str] | None = None
    ) -> Group:
        """Make the group of an algebra given by c[i, j, k]; skew symmetry and Jacobi's identity are verified."""
        c = verified_constants(constants, name)
        numeric = MatrixGroup.from_structure_constants(c, name)
        exact = [sp.Matrix(E.shape[0], E.shape[1], [sp.nsimplify(v, rational=True) for v in E.ravel()])
                 for E in numeric.basis]
        return cls(exact, name, components, numeric)

    @classmethod
    def of(cls, group: Any) -> Group:
        """Return ``group`` itself, or the symbolic twin of a group of `cosserat.lie`."""
        if isinstance(group, cls):
            return group
        for known in (SO2, SO3, SE2, SE3, Galilei):
            if group is known.numeric:
                return known
        if isinstance(group, lie.R):
            return R(group.n)
        if isinstance(group, lie.Product):
            return product(*(cls.of(factor) for factor in group.groups))
        if isinstance(group, MatrixGroup):
            return cls(list(group.basis), group.name, numeric=group)
        raise GeometryError(
            f"got {group!r} for a group; pass a group of cosserat.symbolic (SE3, R(n), GA(d), ...), one of "
            "cosserat.lie, or symbolic.Group(basis)"
        )

    def hat(self, x: Any) -> Any:
        """Return sum x_i e_i, a matrix of the algebra."""
        return sum((xi * e for xi, e in zip(self.vector(x), self.basis)), sp.zeros(self.size, self.size))

    def vee(self, X: Any) -> Any:
        """Return the components (dim, 1) of a matrix of the algebra."""
        return self._left_inverse * sp.Matrix(X).reshape(self.size**2, 1)

    def vector(self, x: Any) -> Any:
        """Return ``x`` as a column (dim, 1), or raise an error that names the group."""
        try:
            column = sp.Matrix(list(x))
        except (TypeError, ValueError, sp.SympifyError):
            raise GeometryError(f"{self.name}: got {shown(x)}; its vectors have {self.dim} components") from None
        if column.shape != (self.dim, 1):
            raise GeometryError(f"{self.name}: got {column.shape[0]} components; its vectors have {self.dim}")
        return column

    def square(self, g: Any) -> Any:
        """Return ``g`` as a matrix of the size of the elements, or raise an error that names the group."""
        try:
            matrix = sp.Matrix(g)
        except (TypeError, ValueError, sp.SympifyError):
            matrix = sp.zeros(0, 0)
        if matrix.shape != (self.size, self.size):
            raise GeometryError(f"{self.name}: got {shown(g)}; its elements are matrices ({self.size}, {self.size})")
        return matrix

    def ad(self, x: Any) -> Any:
        """Return ad(x), (dim, dim): ``hat(ad(x) y) = hat(x) hat(y) - hat(y) hat(x)``."""
        x = self.vector(x)
        M = sp.zeros(self.dim, self.dim)
        for (i, j, k), c in self._nonzero:
            M[k, j] += c * x[i]
        return M

    def bracket(self, x: Any, y: Any) -> Any:
        """Return [x, y] = ad(x) y, (dim, 1)."""
        return self.ad(x) * self.vector(y)

    def coad(self, x: Any) -> Any:
        """Return ad(x)^T, the ad* of [Boyer05] (38); that of [deSaxce26] (58) is its negative."""
        return self.ad(x).T

    def Ad(self, g: Any) -> Any:
        """Return Ad(g), (dim, dim): the components of g e_i g^-1."""
        g = self.square(g)
        inverse = self.inverse(g)
        return sp.Matrix.hstack(*(self.vee(g * e * inverse) for e in self.basis))

    def coAd(self, g: Any) -> Any:
        """Return Ad(g^-1)^T, (dim, dim): the law of momenta, Ad* of [deSaxce26] (34)."""
        return self.Ad(self.inverse(g)).T

    def inverse(self, g: Any) -> Any:
        """Return the inverse matrix of an element."""
        return sp.Matrix(g).inv()

    def left_form(self, g: Any, parameter: Any) -> Any:
        """Return the left Maurer-Cartan form g^-1 dg/dx of a field g(x), components (dim, 1): material velocity."""
        g = self.square(g)
        return self.vee(self.inverse(g) * g.diff(parameter))

    def right_form(self, g: Any, parameter: Any) -> Any:
        """Return the right Maurer-Cartan form dg/dx g^-1 of a field g(x), components (dim, 1): spatial velocity."""
        g = self.square(g)
        return self.vee(g.diff(parameter) * self.inverse(g))

    def element(self, name: str = "g") -> Any:
        """Return a generic element: a matrix of symbols, with 0 and 1 where every element has them."""
        reach = sum((e.applyfunc(abs) for e in self.basis), sp.zeros(self.size, self.size))
        paths, power = reach, reach
        for _ in range(self.size - 1):
            power = (power * reach).applyfunc(lambda v: min(v, 1))
            paths = paths + power
        entry = lambda i, j: self._entry(name, i, j) if paths[i, j] != 0 else sp.Integer(int(i == j))  # noqa: E731
        return sp.Matrix(self.size, self.size, entry)

    def present(self, g: Any) -> Any:
        """Return an element as a Lagrangian receives it: the matrix; for R^n the coordinates; for a product a tuple."""
        return g

    def is_commutative(self) -> bool:
        """Say whether all brackets vanish: the equations are then Lagrange's."""
        return not self._nonzero

    def _entry(self, name: str, i: int, j: int) -> Any:
        return sp.Symbol(f"{name}{i + 1}{j + 1}", real=True)

    def _constants(self) -> Any:
        self._nonzero: list[tuple[tuple[int, int, int], Any]] = []
        c = sp.MutableDenseNDimArray.zeros(self.dim, self.dim, self.dim)
        for i in range(self.dim):
            for j in range(i + 1, self.dim):
                X = self.basis[i] * self.basis[j] - self.basis[j] * self.basis[i]
                x = self.vee(X)
                for k in range(self.dim):
                    if x[k] != 0:
                        c[i, j, k], c[j, i, k] = x[k], -x[k]
                        self._nonzero += [((i, j, k), x[k]), ((j, i, k), -x[k])]
        return sp.ImmutableDenseNDimArray(c)

    def __repr__(self) -> str:
        return self.name


class Translations(Group):
    """The commutative group R^n, whose elements are presented as columns q of coordinates."""

    def __init__(self, n: int, names: Sequence[str] | None = None) -> None:
        bases.demand_size("R(n)", n, 1)
        components = tuple(names) if names is not None else tuple(f"q{k + 1}" for k in range(n))
        super().__init__(list(bases.rn(n)), f"R({n})", components, lie.R(n))

    def present(self, g: Any) -> Any:
        """Return the coordinates (n, 1)."""
        return sp.Matrix(g)[: self.dim, self.dim]

    def _entry(self, name: str, i: int, j: int) -> Any:
        return sp.Symbol(self.components[i], real=True)


class Euclidean(Group):
    """SE(d): the entries of the rotation are R_ij, those of the translation x_i."""

    def __init__(self, d: int, components: Sequence[str], numeric: Any) -> None:
        super().__init__(list(bases.se(d)), f"SE{d}", components, numeric)

    def inverse(self, g: Any) -> Any:
        """Return [[R^T, -R^T x], [0, 1]]."""
        g, d = sp.Matrix(g), self.size - 1
        R = g[:d, :d].T
        return R.row_join(-R * g[:d, d]).col_join(g[d:, :])

    def _entry(self, name: str, i: int, j: int) -> Any:
        d = self.size - 1
        return sp.Symbol(f"x{i + 1}" if j == d else f"R{i + 1}{j + 1}", real=True)


class Rotations(Group):
    """SO(d): the entries of an element are R_ij."""

    def inverse(self, g: Any) -> Any:
        """Return the transpose."""
        return sp.Matrix(g).T

    def _entry(self, name: str, i: int, j: int) -> Any:
        return sp.Symbol(f"R{i + 1}{j + 1}", real=True)


class _SymbolicProduct(Group):
    """A direct product: elements are block diagonal matrices, presented as tuples."""

    def __init__(self, groups: tuple[Group, ...]) -> None:
        parts = [factor for group in groups for factor in group.factors]
        names = [name for factor in parts for name in factor.components]
        if len(set(names)) < len(names):
            names = [f"{name}_{chr(97 + i)}" for i, factor in enumerate(parts) for name in factor.components]
        entries = [s.name for factor in parts for s in factor.element().free_symbols]
        self._suffixed = names[0] != parts[0].components[0] or len(set(entries)) < len(entries)
        blocks = bases.product(*(np.array(factor.basis, dtype=float) for factor in parts))
        numeric = lie.Product(*(factor.numeric for factor in parts))
        super().__init__(list(blocks), " x ".join(factor.name for factor in parts), names, numeric)
        self.factors = tuple(parts)

    def element(self, name: str = "g") -> Any:
        """Return a block diagonal generic element."""
        blocks = []
        for i, factor in enumerate(self.factors):
            block = factor.element(name)
            if self._suffixed:
                block = block.subs({s: sp.Symbol(f"{s.name}_{chr(97 + i)}", real=True) for s in block.free_symbols})
            blocks.append(block)
        return sp.diag(*blocks)

    def inverse(self, g: Any) -> Any:
        """Return the inverses of the blocks."""
        return sp.diag(*(factor.inverse(block) for factor, block in zip(self.factors, self.blocks(g))))

    def blocks(self, g: Any) -> list[Any]:
        """Return the diagonal blocks, one per factor."""
        out, i = [], 0
        for factor in self.factors:
            out.append(sp.Matrix(g)[i : i + factor.size, i : i + factor.size])
            i += factor.size
        return out

    def present(self, g: Any) -> Any:
        """Return the tuple of the factors' presentations."""
        return tuple(factor.present(block) for factor, block in zip(self.factors, self.blocks(g)))


def product(*groups: Any) -> Group:
    """Return the direct product of groups, for instance ``product(SE3, R(2))`` [Boyer05] (59)."""
    if not groups:
        raise GeometryError("product: no groups; pass at least one")
    members = tuple(Group.of(group) for group in groups)
    return members[0] if len(members) == 1 else _SymbolicProduct(members)


def semidirect(group: Any, action: Any, name: str = "", components: Sequence[str] | None = None) -> Group:
    """Return V x| G, V first; ``action`` holds the matrix by which each basis vector of G acts on V = R^d."""
    base = Group.of(group)
    try:
        matrices = np.array([np.array(sp.Matrix(a), dtype=float) for a in action])
    except (TypeError, ValueError):
        raise GeometryError(f"semidirect: the action is {action!r}; pass one square matrix per basis vector") from None
    twin = MatrixGroup(np.array(base.basis, dtype=float), base.name)
    numeric = lie.Semidirect(twin, matrices, name)
    return Group(list(numeric.basis), numeric.name, components, numeric)


def R(n: int, names: Sequence[str] | None = None) -> Group:
    """Return the commutative group R^n with coordinates q1 ... qn or the given names."""
    return Translations(n, names)


def GA(d: int) -> Group:
    """Return the affine group of R^d: translations first, then GL(d) row by row."""
    bases.demand_size("GA(d)", d, 1)
    names = [f"c{i + 1}" for i in range(d)] + [f"p{i + 1}{j + 1}" for i in range(d) for j in range(d)]
    return Group(list(bases.ga(d)), f"GA({d})", names)


def SL(d: int) -> Group:
    """Return the group of matrices of determinant 1."""
    return Group(list(bases.sl(d)), f"SL({d})")


def Heisenberg(n: int = 1) -> Group:
    """Return the Heisenberg group of dimension 2n + 1."""
    return Group(list(bases.heisenberg(n)), f"Heisenberg({n})")


def _matrices(basis: Sequence[Any], name: str) -> list[Any]:
    try:
        matrices = [sp.Matrix(e) for e in basis]
    except (TypeError, ValueError):
        raise GeometryError(f"{name}: the basis is not a list of matrices") from None
    shapes = {m.shape for m in matrices}
    if len(shapes) != 1 or len(set(next(iter(shapes)))) != 1:
        raise GeometryError(f"{name}: the basis has shapes {sorted(shapes)}; pass square matrices of one size")
    return matrices


def _listed(symbols: Any) -> str:
    return ", ".join(sorted(str(s) for s in symbols))


SO2 = Rotations(list(bases.so(2)), "SO2", ("w",), lie.SO2)
SO3 = Rotations(list(bases.so(3)), "SO3", ("w1", "w2", "w3"), lie.SO3)
SE2 = Euclidean(2, ("v1", "v2", "w"), lie.SE2)
SE3 = Euclidean(3, ("v1", "v2", "v3", "w1", "w2", "w3"), lie.SE3)
Galilei = Group(
    list(bases.galilei()),
    "Galilei",
    ("x1", "x2", "x3", "u1", "u2", "u3", "w1", "w2", "w3", "tau"),
    lie.Galilei,
)
