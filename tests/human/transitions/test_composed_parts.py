"""How a walk is put together, on steps that join without being solved: order, figures, and where stands face."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError
from strut.human.anatomy import RIGHT
from strut.human.gait import work_j
from strut.human.transitions.composed_walk import ComposedWalk, WalkComposer, check_walk, compose_walk
from strut.human.transitions.quiet_stand import heading_of_foot
from strut.human.transitions.turning_problem import turned_configuration
from strut.human.transitions.walk_pieces import WalkPiece, mirrored_step
from tests.human.hand_made_gait import SOUND, even_step, gait_of

STEP_M = 0.7


@pytest.fixture(scope="module")
def even_gait(heiman, drawn_step, mirror):
    return gait_of(heiman, even_step(drawn_step, mirror, STEP_M))


@pytest.fixture(scope="module")
def image(even_gait, mirror):
    """The mirror image of the step as a movement of its own."""
    path = even_gait.trajectory
    return replace(path, q=mirror.image(path.q), v=mirror.image(path.v), u=even_gait.trajectory.u)


class Joined(WalkComposer):
    """A composer whose stand is the mirror image of a step, and whose starts and stops are the step itself."""

    stand = None

    def start(self, step):
        return step

    def stop(self, step):
        return step


def composer_of(gait, stand):
    made = Joined(gait, gait.options, 0.0, None)
    made.stand = stand
    return made


@pytest.mark.parametrize(
    ("steps", "from_stand", "to_stand", "order"),
    [
        (4, True, True, "stand left right left stand"),  # the last two steps are one piece
        (6, True, True, "stand left right left right left stand"),
        (4, False, True, "left right left stand"),
        (2, True, False, "stand left right"),
        (3, False, False, "left right left"),
    ],
)
def test_a_walk_is_a_stand_a_start_steps_in_turn_a_stop_and_a_stand(
    even_gait, image, steps, from_stand, to_stand, order
):
    walk = composer_of(even_gait, image).compose(steps, from_stand=from_stand, to_stand=to_stand)
    found = ["stand" if piece.path is image else ("left", "right")[piece.mirrored] for piece in walk.pieces]
    assert found == order.split()
    lasting_s = even_gait.trajectory.time_s[-1]
    assert walk.figures["steps"] == steps
    assert walk.figures["start_s"] == (lasting_s if from_stand else None)
    assert walk.figures["stop_s"] == (lasting_s if to_stand else None)
    assert (walk.figures["radius_m"], walk.figures["turn_per_stride_rad"]) == (None, 0.0)
    assert walk.figures["seam_position"] < 1e-9
    assert walk.solve_s == 1.75


def test_a_walk_that_stops_on_the_other_leg_stops_in_the_mirror(even_gait):
    stand = replace(even_gait.trajectory)
    walk = composer_of(even_gait, stand).compose(3, from_stand=False, to_stand=True)
    assert [(piece.path is stand, piece.mirrored) for piece in walk.pieces] == [
        (False, False),
        (False, True),
        (True, False),
    ]


def test_durations_of_start_and_stop_are_those_of_the_pieces_beside_the_stands(even_gait, image):
    class Slower(Joined):
        def start(self, step):
            return replace(step, time_s=2.0 * step.time_s)

        def stop(self, step):
            return WalkPiece(replace(step.path, time_s=3.0 * step.path.time_s), mirrored=step.mirrored)

    made = Slower(even_gait, even_gait.options, 0.0, None)
    lasting_s = even_gait.trajectory.time_s[-1]
    made.stand = image
    figures = made.compose(4, from_stand=True, to_stand=True).figures
    assert (figures["start_s"], figures["stop_s"]) == pytest.approx((2.0 * lasting_s, 3.0 * lasting_s))


def test_a_composer_knows_the_mesh_the_toes_and_how_legs_are_kept_apart(heiman, even_gait):
    path = even_gait.trajectory
    fine = replace(
        path.problem, phases=tuple(replace(one, intervals=4 * k + 8) for k, one in enumerate(path.problem.phases))
    )
    gait = gait_of(heiman, replace(path, problem=fine))
    straight, turning = (WalkComposer(gait, gait.options, turn_rad, None) for turn_rad in (0.0, -0.3))
    assert straight.mesh == (2, 3, 4, 5)  # exact movements are kept at four times as many nodes
    assert (straight.options.capsules, turning.options.capsules) == (False, True)
    apart = replace(gait.options, capsules=True)
    assert WalkComposer(gait, apart, 0.0, None).options.capsules
    assert straight.toe_in_rad == pytest.approx(heading_of_foot(heiman, path.q[0], RIGHT))
    assert (straight.soundness, turning.soundness) == ([gait.soundness], [])  # a turning walk has no straight step
    assert straight.natural is True
    assert straight.solve_s == 1.75


def test_a_turning_walk_has_the_radius_of_two_steps_over_their_turn(even_gait, image):
    made = composer_of(even_gait, image)
    made.step_pair = lambda: (WalkPiece(even_gait.trajectory), WalkPiece(even_gait.trajectory, mirrored=True))
    made.turn_rad = -0.4
    figures = made.compose(2, from_stand=False, to_stand=False).figures
    assert figures["radius_m"] == pytest.approx(2.0 * STEP_M / 0.4)
    assert figures["turn_per_stride_rad"] == -0.4


class Heard(WalkComposer):
    """A composer that only says where stands face."""

    def transition(self, step, heading_rad):
        self.heading_rad = heading_rad
        self.of = step
        return SimpleNamespace(start=lambda: ("start", "guess"), stop=lambda: ("stop", "guess"))

    def solve(self, what, problem, guess, warm=0.0):
        assert (what, guess, warm) == (f"a {problem}", "guess", 0.0)
        return self.of


@pytest.mark.parametrize("angle", [0.0, 0.35, -0.2])
def test_a_stand_faces_as_the_foot_that_stays_and_a_quarter_of_the_strides_turn_further_when_it_stops(
    heiman, even_gait, angle
):
    """The stand's own feet are turned in as those of the step: a step that is turned has a stand turned as much."""
    path = even_gait.trajectory
    still = replace(path, q=np.tile(path.q[0], (len(path.q), 1)))
    facing = replace(still, q=turned_configuration(still.q, np.full(len(still.q), angle)))
    made = Heard(gait_of(heiman, still), even_gait.options, 0.8, None)
    assert made.start(facing) is facing
    assert made.heading_rad == pytest.approx(angle, abs=1e-6)
    for mirrored, further in ((False, 0.2), (True, -0.2)):
        piece = made.stop(WalkPiece(facing, mirrored=mirrored))
        assert made.heading_rad == pytest.approx(angle + further, abs=1e-6)
        assert (piece.path, piece.mirrored) == (facing, mirrored)


def test_starts_look_at_the_foot_where_the_step_ends_and_stops_where_it_begins(heiman, even_gait):
    path = even_gait.trajectory
    twisted = replace(
        path, q=turned_configuration(np.tile(path.q[0], (len(path.q), 1)), np.linspace(0.1, 0.5, len(path.q)))
    )
    made = Heard(gait_of(heiman, path), even_gait.options, 0.0, None)
    made.start(twisted)
    assert made.heading_rad == pytest.approx(0.5, abs=1e-6)
    made.stop(WalkPiece(twisted))
    assert made.heading_rad == pytest.approx(0.1, abs=1e-6)


def test_what_leads_to_a_step_begins_in_the_stand_turned_and_at_rest(heiman, even_gait, image):
    made = composer_of(even_gait, image)
    found = made.transition(even_gait.trajectory, 0.3)
    assert_allclose(found.stand.q, turned_configuration(image.q[:1], np.array([0.3]))[0])
    assert_allclose(found.stand.v, np.zeros(34))
    assert_allclose(found.stand.u, image.u[0])
    assert (found.robot, found.step, found.mesh) == (heiman, even_gait.trajectory, made.mesh)


def test_a_turning_stride_is_cut_into_a_step_of_each_leg(heiman, drawn_step):
    guesses = []

    class Drawn(WalkComposer):
        def solve(self, what, _problem, guess, warm=0.0):
            assert (what, warm > 0.0) == ("a turning stride", True)
            guesses.append(guess)
            return guess

    made = Drawn(gait_of(heiman, drawn_step), gait_of(heiman, drawn_step).options, 0.4, None)
    made.mesh = (4, 4, 2, 2)
    left, right = made.step_pair()
    (guess,) = guesses
    half = len(drawn_step.q)
    assert (left.mirrored, right.mirrored) == (False, True)
    assert_allclose(left.path.q, guess.q[:half])
    time_s = 0.9 * drawn_step.time_s[1:-1]
    whole = WalkPiece(guess).sampled(heiman, drawn_step.time_s[-1] + time_s)
    for own, expected in zip(right.sampled(heiman, time_s), whole, strict=True):
        assert_allclose(own, expected, atol=1e-9)
    assert left.path.problem is drawn_step.problem
    again = mirrored_step(heiman, right.path, guess.problem)
    assert_allclose(again.q, guess.q[half:])


def test_figures_of_a_walk_are_over_all_its_pieces(heiman, even_gait):
    path = even_gait.trajectory
    still = replace(path, q=0.0 * path.q, v=0.0 * path.v, u=3.0 * path.u)
    figures = {"radius_m": None, "turn_per_stride_rad": 0.0}
    walk = ComposedWalk(even_gait, (WalkPiece(still), WalkPiece(path)), SOUND, 7.0, figures)
    receipt = walk.motion(rate_hz=50.0).receipt
    assert receipt.distance_m == pytest.approx(STEP_M)
    assert receipt.speed_m_s == pytest.approx(STEP_M / (2.0 * path.time_s[-1]))
    assert receipt.torque_use == pytest.approx(3.0 * np.max(np.abs(path.u[0]) / heiman.torque_limit_nm))
    assert receipt.cost_of_transport == pytest.approx(work_j(path) / (heiman.mass_kg * 9.81 * STEP_M))


def test_a_composed_walk_reports_its_turn_and_compares_no_turn_with_a_straight_step(heiman, even_gait):
    turned = replace(even_gait.trajectory, q=even_gait.trajectory.q.copy())
    turned.q[:, 5] += np.linspace(0.0, 0.4, len(turned.q))
    pieces = (WalkPiece(turned),)
    natural = replace(even_gait, naturalness=SimpleNamespace(as_dict=lambda: {"step_s": 0.5}))
    for figures, told in (
        ({"radius_m": 2.0, "turn_per_stride_rad": 0.4}, True),
        ({"radius_m": None, "turn_per_stride_rad": 0.0}, False),
    ):
        receipt = ComposedWalk(natural, pieces, SOUND, 7.0, figures).motion(rate_hz=50.0).receipt
        assert (receipt.turned_rad is not None) is told
        assert receipt.naturalness == (None if told else {"step_s": 0.5})
        assert (receipt.solve_s, receipt.walk) == (7.0, figures)
        assert receipt.walking_speed_m_s == pytest.approx(even_gait.speed_m_s)
    whole = ComposedWalk(natural, pieces, SOUND, 7.0, {"radius_m": 2.0, "turn_per_stride_rad": 0.4}).motion(
        rate_hz=500.0
    )
    heading = np.unwrap(2.0 * np.arctan2(whole.qpos[:, 6], whole.qpos[:, 3]))
    assert whole.receipt.turned_rad == pytest.approx(heading[-1] - heading[0], abs=0.02)
    assert whole.receipt.duration_s == whole.time_s[-1]
    assert set(whole.meta["straight_step"]) == {"costs", "parameters", "phase_names", "phase_durations_s"}


def test_walks_as_short_as_they_can_be_and_turns_up_to_an_eighth_of_a_circle_are_walked(even_gait):
    for steps, from_stand, to_stand in ((1, False, False), (1, True, False), (2, False, True), (3, True, True)):
        check_walk(steps, from_stand=from_stand, to_stand=to_stand, turn_rad=0.0)
        with pytest.raises(OutOfRangeError, match=f"choose at least {steps} steps"):
            check_walk(steps - 1, from_stand=from_stand, to_stand=to_stand, turn_rad=0.0)
    for turn_rad in (np.pi / 4.0, -np.pi / 4.0):
        check_walk(6, from_stand=False, to_stand=False, turn_rad=turn_rad)
        with pytest.raises(OutOfRangeError, match="at most 45°"):
            check_walk(6, from_stand=False, to_stand=False, turn_rad=1.001 * turn_rad)
    walk = compose_walk(even_gait)
    assert [piece.mirrored for piece in walk.pieces] == [False, True] * 3
