"""Convex polygons: margins, insets and nearest points, against geometry done the slow way."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from strut.balance.polygon import Polygon, convex_hull

TRIANGLE = Polygon(np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]))


@st.composite
def polygons(draw):
    """Corners on an ellipse, at angles spread so evenly that the centre is inside."""
    count = draw(st.integers(3, 6))
    spread = draw(arrays(float, count, elements=st.floats(-0.2, 0.2)))
    angles = 2.0 * np.pi * (np.arange(count) + spread) / count + draw(st.floats(0.0, 6.0))
    stretch = draw(st.floats(0.1, 2.0))
    offset = draw(arrays(float, 2, elements=st.floats(-1.0, 1.0)))
    return Polygon(np.stack([np.cos(angles), stretch * np.sin(angles)], axis=1) + offset)


points = arrays(float, 2, elements=st.floats(-3.0, 3.0))


def distance_to_boundary(polygon, point):
    """Return the distance to the nearest edge, segment by segment."""
    nearest = np.inf
    for start, stop in zip(polygon.corners, np.roll(polygon.corners, -1, axis=0), strict=True):
        share = np.clip((point - start) @ (stop - start) / ((stop - start) @ (stop - start)), 0.0, 1.0)
        nearest = min(nearest, np.linalg.norm(start + share * (stop - start) - point))
    return nearest


def is_inside(polygon, point):
    """Return whether a point is to the left of every edge."""
    along = np.roll(polygon.corners, -1, axis=0) - polygon.corners
    to_point = point - polygon.corners
    return bool((along[:, 0] * to_point[:, 1] - along[:, 1] * to_point[:, 0] >= 0.0).all())


@given(polygon=polygons(), point=points)
def test_margin_is_the_distance_to_the_boundary_inside_and_negative_outside(polygon, point):
    margin = float(polygon.margin(point))
    assert (margin >= 0.0) == is_inside(polygon, point) or abs(margin) < 1e-12
    if margin > 0.0:
        assert margin == pytest.approx(distance_to_boundary(polygon, point), abs=1e-12)
    else:
        assert -margin <= distance_to_boundary(polygon, point) + 1e-12  # never farther out than it really is


def test_margin_takes_any_leading_shape():
    assert TRIANGLE.margin(np.ones((2, 5, 2))).shape == (2, 5)
    assert TRIANGLE.margin(np.array([1.0, 1.0])) == pytest.approx(1.0)  # the in-circle of the 3-4-5 triangle


@given(polygon=polygons(), share=st.floats(0.01, 0.9))
def test_corners_of_an_inset_are_exactly_the_distance_from_the_edges(polygon, share):
    distance_m = share * float(polygon.margin(polygon.centre))
    inset = polygon.inset(distance_m)
    assume(inset is not None)
    assert_allclose(polygon.margin(inset.corners), np.full(len(polygon.corners), distance_m), atol=1e-9)
    assert_allclose(inset.edges[0], polygon.edges[0], atol=1e-6 / share)  # edges stay parallel


@given(polygon=polygons(), share=st.floats(0.0, 0.5), point=points)
def test_a_point_is_in_the_inset_just_when_its_margin_is_enough(polygon, share, point):
    distance_m = share * float(polygon.margin(polygon.centre))
    inset = polygon.inset(distance_m)
    assume(inset is not None)
    assume(abs(float(polygon.margin(point)) - distance_m) > 1e-9)
    assert (inset.margin(point) > 0.0) == (polygon.margin(point) > distance_m)


def test_a_stack_of_polygons_answers_as_each_of_them_does():
    rng = np.random.default_rng(3)
    triangles = [convex_hull(rng.normal(size=(3, 2))) for _ in range(20)]
    stack = Polygon(np.stack([triangle.corners for triangle in triangles]))
    points_in = rng.normal(size=(20, 2))
    for method in ("margin", "nearest", "nearest_at_same_x"):
        one_by_one = [getattr(triangle, method)(at) for triangle, at in zip(triangles, points_in, strict=True)]
        assert_allclose(getattr(stack, method)(points_in), one_by_one, atol=1e-12)
    assert_allclose(stack.shrink(0.2).corners, [triangle.shrink(0.2).corners for triangle in triangles], atol=1e-12)


def test_hull_of_a_triangle_runs_counter_clockwise_whatever_the_order():
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        assert convex_hull(corners[order]).margin(np.array([1.0, 1.0])) == pytest.approx(1.0)


def test_an_inset_wider_than_the_in_circle_does_not_exist():
    assert TRIANGLE.inset(0.999) is not None
    assert TRIANGLE.inset(1.001) is None
    assert TRIANGLE.inset(5.0) is None


@given(polygon=polygons(), point=points)
def test_nearest_is_a_projection(polygon, point):
    nearest = polygon.nearest(point[None])[0]
    assert polygon.margin(nearest) >= -1e-12
    if polygon.margin(point) >= 0.0:
        assert_allclose(nearest, point, atol=0)
    else:
        assert np.linalg.norm(nearest - point) == pytest.approx(distance_to_boundary(polygon, point), abs=1e-12)
    assert_allclose(polygon.nearest(nearest[None])[0], nearest, atol=1e-12)


@given(polygon=polygons(), point=points)
def test_nearest_across_keeps_x_where_the_polygon_has_it(polygon, point):
    nearest = polygon.nearest_at_same_x(point[None])[0]
    low = polygon.corners[:, 0].min()
    high = polygon.corners[:, 0].max()
    assert polygon.margin(nearest) >= -1e-9
    if low <= point[0] <= high:
        assert nearest[0] == point[0]
        if abs(nearest[1] - point[1]) > 1e-9:  # moved no farther than to the edge
            assert polygon.margin(nearest) == pytest.approx(0.0, abs=1e-9)
    else:
        assert nearest[0] in (low, high)
    if polygon.margin(point) >= 0.0:
        assert_allclose(nearest, point, atol=1e-9)


def test_published_buffer_moves_the_diagonal_of_the_neutral_stance_by_15_mm():
    """Three feet of the neutral stance, the right hind one in the air, shrunk by a fifth about the centroid."""
    triangle = convex_hull(np.array([[0.15, 0.2], [-0.13, 0.2], [0.15, -0.2]]))
    diagonal_margin = triangle.margin(triangle.shrink(0.2).corners)
    assert sorted(diagonal_margin * 1e3)[0] == pytest.approx(15.3, abs=0.05)


@given(polygon=polygons())
def test_hull_of_shuffled_corners_and_inner_points_is_the_polygon(polygon):
    rng = np.random.default_rng(1)
    inner = polygon.centre + 0.3 * (polygon.corners - polygon.centre)
    hull = convex_hull(rng.permutation(np.concatenate([polygon.corners, inner])))
    assert len(hull.corners) == len(polygon.corners)
    assert_allclose(np.sort(hull.corners, axis=0), np.sort(polygon.corners, axis=0), atol=0)
    assert hull.margin(polygon.centre) > 0.0  # counter-clockwise


@pytest.mark.parametrize("turn", range(4))
def test_an_inset_in_which_the_shortest_edge_vanishes_is_none(turn):
    corners = np.array([[-2.0, 0.0], [2.0, 0.0], [0.1, 1.9], [-0.1, 1.9]])  # a triangle without its tip
    quarter = np.linalg.matrix_power(np.array([[0.0, -1.0], [1.0, 0.0]]), turn)
    polygon = Polygon(corners @ quarter.T)
    assert polygon.inset(0.1) is not None
    assert polygon.inset(0.3) is None  # slanted edges now meet below the moved top


@pytest.mark.parametrize(("width_m", "spans"), [(1.8e-6, True), (1e-6, False)])
def test_points_nearer_to_a_line_than_a_micrometre_span_nothing_wherever_they_are(width_m, spans):
    """Of (0, 0), (1, 0), (0.5, w) the second singular value is w sqrt(2 / 3)."""
    points_m = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, width_m]]) + np.array([3.0, 7.0])
    assert (convex_hull(points_m) is not None) is spans
    assert convex_hull(points_m[:2]) is None


def test_the_centre_is_the_mean_of_the_corners_and_edges_point_inwards():
    assert_allclose(TRIANGLE.centre, [4.0 / 3.0, 1.0])
    normal, offset = TRIANGLE.edges
    assert_allclose(normal, [[0.0, 1.0], [-0.6, -0.8], [1.0, 0.0]], atol=1e-12)
    assert_allclose(offset, [0.0, -2.4, 0.0], atol=1e-12)
    assert_allclose(TRIANGLE.shrink(0.25).corners, [4.0 / 3.0, 1.0] + 0.75 * (TRIANGLE.corners - [4.0 / 3.0, 1.0]))


def test_across_keeps_x_between_the_lower_and_the_upper_edge():
    inside = [[1.0, 5.0], [1.0, -1.0], [9.0, 2.0], [-3.0, 2.0], [2.0, 0.5]]
    nearest = [[1.0, 2.25], [1.0, 0.0], [4.0, 0.0], [0.0, 2.0], [2.0, 0.5]]
    assert_allclose(TRIANGLE.nearest_at_same_x(np.array(inside)), nearest, atol=1e-12)
