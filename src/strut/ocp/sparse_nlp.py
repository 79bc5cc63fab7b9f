"""Sparse NLP: cost, constraints, Jacobian and Lagrangian Hessian assembled from repeated CasADi elements.

An element is a few rows and a cost over few variables, written once and used at many places. Its first and second
derivatives are formed once, in scalar symbols, mapped over the places and scattered into the sparse matrices of the
solver. Letting CasADi differentiate the assembled program instead takes three times as long per iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from strut.arrays import Array, Index
from strut.ocp.symbolic_dynamics import Expression

DATA = "data"  # symbols of this kind are constants that differ from place to place


def symbols(kind: str, count: int) -> Expression:
    """Return a column of scalar symbols that an element recognises by name: kind and number. Shape (count,)."""
    return ca.vertcat(*(ca.SX.sym(f"{kind}.{number}") for number in range(count))) if count else ca.SX.zeros(0)


def column(*parts: Expression) -> Expression:
    """Return the parts below each other."""
    return ca.vertcat(*parts)


def square(values: Expression) -> Expression:
    """Return the sum of squares."""
    return ca.sumsqr(values)


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """Symbolic rows and cost with the places where they are used. Names and units are for messages.

    Args:
        name: Of the rows.
        rows: Expressions to keep within the bounds. Shape (m,).
        cost: An expression added to the cost, or 0.
        local: Symbols of its variables. Shape (n,).
        local_data: Symbols of the constants. Shape (n_data,).
        index: Program variable of each local variable, by place. Shape (places, n).
        data: Constants, by place. Shape (places, n_data).
        lower: Bounds of the rows, by place. Shape (places, m).
        upper: Shape (places, m).
        row_names: Length m.
        row_sizes: Value of 1 of each row in its unit. Shape (m,).
        row_units: Empty for rows that have none. Length m.
        place_names: Length places.
    """

    name: str
    rows: Expression
    cost: Expression
    local: Expression
    local_data: Expression
    index: Index
    data: Array
    lower: Array
    upper: Array
    row_names: tuple[str, ...]
    row_sizes: Array
    row_units: tuple[str, ...]
    place_names: tuple[str, ...]

    def words(self, row: int, place: int) -> str:
        """Return a description of a row: name, part and place."""
        name = f" of {self.row_names[row]}" if self.row_names[row] else ""
        return f"'{self.name}'{name} {self.place_names[place]}"


def element(
    name: str,
    places: Sequence[str],
    index_of: Callable[[str, int], Index],
    *,
    rows: Expression = None,
    cost: Expression = 0.0,
    bounds: tuple[npt.ArrayLike, npt.ArrayLike] = (0.0, 0.0),
    data: Array | None = None,
    row_names: Sequence[str] = (),
    row_sizes: npt.ArrayLike = 1.0,
    row_units: str | Sequence[str] = "",
) -> Element:
    """Return an element; its variables are the symbols of its expressions. See `Element`.

    Args:
        name: Of the rows.
        places: Names of the places where it is used.
        index_of: Returns the program variable of a symbol (kind and number) at every place. Shape (places,).
        rows: Expressions of `symbols`. Shape (m,).
        cost: Expression of `symbols`.
        bounds: Lower and upper bound of the rows, anything that broadcasts to (places, m).
        data: Values of the symbols of kind `data`. Shape (places, n_data).
        row_names: One per row; numbered if left out and there are several.
        row_sizes: Value of 1 of a row in its unit.
        row_units: Of all rows, or of each.
    """
    rows = ca.SX.zeros(0) if rows is None else ca.SX(rows)
    cost = ca.SX(cost)
    count = rows.numel()
    data = np.zeros((len(places), 0)) if data is None else np.asarray(data, dtype=float)
    variables, given = _symbols_of(ca.vertcat(rows, cost))
    index = np.array([index_of(kind, number) for kind, number, _ in variables], dtype=np.intp).T
    lower, upper = (np.broadcast_to(np.asarray(bound, dtype=float), (len(places), count)) for bound in bounds)
    return Element(
        name=name,
        rows=rows,
        cost=cost,
        local=ca.vertcat(*(symbol for _, _, symbol in variables)),
        local_data=ca.vertcat(*(given.get(number, ca.SX.sym("unused")) for number in range(data.shape[1]))),
        index=index.reshape(len(places), len(variables)),
        data=data,
        lower=lower,
        upper=upper,
        row_names=tuple(row_names) or _numbered(count),
        row_sizes=np.broadcast_to(np.asarray(row_sizes, dtype=float), (count,)),
        row_units=(row_units,) * count if isinstance(row_units, str) else tuple(row_units),
        place_names=tuple(places),
    )


def _symbols_of(expression: Expression) -> tuple[list[tuple[str, int, Expression]], dict[int, Expression]]:
    """Return the variables of an expression as kind, number and symbol, in order, and its data by number."""
    used = []
    for symbol in ca.symvar(expression):
        kind, _, number = symbol.name().rpartition(".")
        used.append((kind, int(number), symbol))
    used.sort(key=lambda entry: entry[:2])
    given = {number: symbol for kind, number, symbol in used if kind == DATA}
    return [entry for entry in used if entry[0] != DATA], given


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"row {row + 1}" for row in range(count)) if count > 1 else ("",) * count


class SparseNLP:
    """The functions of a sparse program made of elements: cost, rows, gradient, Jacobian, Hessian of the Lagrangian.

    Args:
        elements: The pieces.
        size: Number of variables of the program.
    """

    def __init__(self, elements: Sequence[Element], size: int) -> None:
        self.elements = tuple(elements)
        self.size = size
        self.row_start, self._data_start = (
            np.concatenate([[0], np.cumsum(counts)]).astype(int)
            for counts in ([piece.lower.size for piece in elements], [piece.data.size for piece in elements])
        )
        self.lower = np.concatenate([piece.lower.ravel() for piece in elements])
        self.upper = np.concatenate([piece.upper.ravel() for piece in elements])
        self.data = np.concatenate([piece.data.ravel() for piece in elements])
        self._x = ca.MX.sym("x", size)
        self._p = ca.MX.sym("p", len(self.data))
        self.functions = self._value()
        self.functions |= self._first() | self._second()

    @property
    def row_count(self) -> int:
        """Number of rows of the program."""
        return int(self.row_start[-1])

    def linear(self, x: Array) -> tuple[Array, csr_matrix]:
        """Return the rows (m,) and their derivatives (m, n) at the program's variables (n,)."""
        rows, jacobian = self.functions["jac_g"](x, self.data)
        return rows.full().ravel(), csr_matrix(jacobian.sparse())

    def cost_of(self, piece: Element, x: Array) -> float | None:
        """Return the cost of one element at the program's variables (n,); None if it has none."""
        if piece.cost.is_zero():
            return None
        value = ca.Function("cost", [piece.local, piece.local_data], [piece.cost])
        return float(ca.sum2(value.map(len(piece.index))(x[piece.index].T, piece.data.T)))

    def _mapped(self, number: int, values: list[Expression], weights: tuple[Any, ...] = (), given: Any = ()) -> Any:
        """Return values of an element at all its places, given also weights (symbols) by their values (columns)."""
        piece = self.elements[number]
        places, width = piece.index.shape
        local = ca.reshape(self._x[piece.index.ravel().tolist()], width, places)
        start, stop = (int(entry) for entry in self._data_start[number : number + 2])
        data = ca.reshape(self._p[start:stop], piece.data.shape[1], places)
        return ca.Function("values", [piece.local, piece.local_data, *weights], values).map(places)(local, data, *given)

    def _value(self) -> dict[str, Any]:
        cost = ca.MX(0.0)
        rows = []
        for number, piece in enumerate(self.elements):
            costs, values = self._mapped(number, [piece.cost, piece.rows])
            cost = cost + ca.sum2(costs)
            rows.append(ca.vec(values))
        inputs = {"x": self._x, "p": self._p}
        return {"nlp": ca.Function("nlp", inputs | {"f": cost, "g": ca.vertcat(*rows)}, ["x", "p"], ["f", "g"])}

    def _first(self) -> dict[str, Any]:
        gradient = _Scatter(self.size, 1)
        jacobian = _Scatter(self.row_count, self.size)
        for number, piece in enumerate(self.elements):
            slope = ca.gradient(piece.cost, piece.local)
            places = len(piece.index)
            if slope.nnz():
                at = piece.index[:, _triplet(slope)[0]]
                gradient.add(self._mapped(number, [_nonzeros(slope)]), at, np.zeros_like(at))
            if piece.rows.numel():
                slope = ca.jacobian(piece.rows, piece.local)
                row, entry = _triplet(slope)
                first_row = self.row_start[number] + np.arange(places) * piece.rows.numel()
                jacobian.add(self._mapped(number, [_nonzeros(slope)]), first_row[:, None] + row, piece.index[:, entry])
        cost, rows = self.functions["nlp"](self._x, self._p)
        inputs = [self._x, self._p]
        values = {"grad_f": (cost, ca.densify(gradient.matrix())), "jac_g": (rows, jacobian.matrix())}
        return {
            name: ca.Function(f"nlp_{name}", inputs, value, ["x", "p"], [name[-1], f"{name}_x"])
            for name, value in values.items()
        }

    def _second(self) -> dict[str, Any]:
        multiplier_f = ca.MX.sym("lam_f")
        multiplier_g = ca.MX.sym("lam_g", self.row_count)
        scatter = _Scatter(self.size, self.size)
        for number, piece in enumerate(self.elements):
            places = len(piece.index)
            count = piece.rows.numel()
            weights = ca.SX.sym("weight_f"), ca.SX.sym("weight_g", count)
            lagrangian = weights[0] * piece.cost + ca.dot(weights[1], piece.rows)
            hessian: Any = ca.triu(ca.hessian(lagrangian, piece.local)[0])
            if not hessian.nnz():
                continue
            start, stop = (int(row) for row in self.row_start[number : number + 2])
            given = ca.repmat(multiplier_f, 1, places), ca.reshape(multiplier_g[start:stop], count, places)
            entries = _triplet(hessian)
            one, other = (piece.index[:, entry] for entry in entries)
            # Two symbols may be one variable, say a parameter at both ends of an interval: then both triangles add up.
            twice = 1.0 + ((one == other) & (entries[0] != entries[1]))
            values = self._mapped(number, [_nonzeros(hessian)], weights, given) * twice.T
            scatter.add(values, np.minimum(one, other), np.maximum(one, other))
        names = ["x", "p", "lam_f", "lam_g"]
        inputs = [self._x, self._p, multiplier_f, multiplier_g]
        return {"hess_lag": ca.Function("nlp_hess_l", inputs, [scatter.matrix()], names, ["triu_hess_gamma_x_x"])}


def _nonzeros(matrix: Expression) -> Expression:
    """Return the nonzeros as a column."""
    return matrix.nz[:] if matrix.nnz() else ca.SX.zeros(0)


def _triplet(matrix: Expression) -> tuple[Index, Index]:
    """Return rows and columns of the nonzeros, in their order."""
    row, entry = matrix.sparsity().get_triplet()
    return np.array(row, dtype=np.intp), np.array(entry, dtype=np.intp)


class _Scatter:
    """Collects entries of elements and sums them into a sparse matrix."""

    def __init__(self, height: int, width: int) -> None:
        self._shape = (height, width)
        self._values = list[Any]()
        self._places = list[Index]()

    def add(self, values: Any, row: Index, column_: Index) -> None:
        """Add values of an element (n, places) at rows and columns. Shapes (places, n)."""
        self._values.append(ca.vec(values))
        self._places.append((column_ * self._shape[0] + row).ravel())

    def matrix(self) -> Any:
        """Return the matrix of sums; positions are numbered column by column."""
        if not self._values:
            return ca.MX(*self._shape)
        place, entry_at = np.unique(np.concatenate(self._places), return_inverse=True)
        rows = (place % self._shape[0]).tolist()
        columns = (place // self._shape[0]).tolist()
        sparsity = ca.Sparsity.triplet(*self._shape, rows, columns)
        entries = ca.vertcat(*self._values)
        if len(place) == len(entry_at):
            return ca.MX(sparsity, entries[np.argsort(entry_at).tolist()])
        gather = ca.Sparsity.triplet(len(place), len(entry_at), entry_at.tolist(), list(range(len(entry_at))))
        return ca.MX(sparsity, ca.DM(gather, 1.0) @ entries)
