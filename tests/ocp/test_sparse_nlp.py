"""Elements: derivatives of the assembled program are those of the sum of its pieces."""

import casadi as ca
import numpy as np
from numpy.testing import assert_allclose

from strut.ocp.sparse_nlp import SparseNLP, element, symbols


def test_two_symbols_of_one_variable_give_the_whole_second_derivative():
    near, far, shared, again = (symbols(kind, 1) for kind in ("near", "far", "shared", "again"))
    index = {"near": np.array([0, 1]), "far": np.array([1, 2]), "shared": np.array([3, 3]), "again": np.array([3, 3])}
    piece = element(
        "product",
        ["first", "second"],
        lambda kind, _number: index[kind],
        rows=near * shared**2 * far * ca.exp(again),
        cost=(near * shared - far * again**2) ** 2,
    )
    x = np.array([0.3, -1.2, 0.7, 0.4])
    weight = np.array([0.9, -0.5])
    program = SparseNLP([piece], 4)
    ours = program.functions["hess_lag"](x, program.data, 1.3, weight).full()

    v = ca.SX.sym("x", 4)
    rows = [v[k] * v[3] ** 2 * v[k + 1] * ca.exp(v[3]) for k in (0, 1)]
    cost = sum((v[k] * v[3] - v[k + 1] * v[3] ** 2) ** 2 for k in (0, 1))
    lagrangian = 1.3 * cost + weight[0] * rows[0] + weight[1] * rows[1]
    theirs = ca.Function("hessian", [v], [ca.hessian(lagrangian, v)[0]])(x).full()
    assert_allclose(ours, np.triu(theirs), atol=1e-12)
