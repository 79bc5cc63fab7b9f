"""Walks of many steps, out of a stand and into one, and turning: pieces that join, and physics in between."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError
from strut.human.anatomy import LEFT, RIGHT
from strut.human.gait import centre_of_pressure
from strut.human.gait_options import HUMAN, named_gait_options
from strut.human.standing import heading_of_foot, standing
from strut.human.transition_problem import Transition
from strut.human.turning_problem import Turning, turned_configuration
from strut.human.walk import check_walk, compose_walk
from strut.human.walk_pieces import Piece, mirror_image, placements, samples, worst_seam
from strut.optimal.collocation import DirectCollocation
from strut.optimal.joined_ends import state_at
from strut.optimal.soundness import worst_of
from strut.optimal.torque_playback import playback_error
from strut.rotation import qpos_from_angles

COARSE = (4, 4, 2, 2)


@pytest.fixture(scope="module")
def options(heiman):
    return named_gait_options(heiman, [HUMAN])


@pytest.fixture(scope="module")
def stand(heiman, gait):
    toe_in = heading_of_foot(heiman, gait.trajectory.q[0], RIGHT)
    return standing(heiman, gait.trajectory.problem, toe_in)


def test_a_stand_is_still_symmetric_and_carried_by_both_soles(heiman, gait, stand, mirror):
    path = stand.trajectory
    assert_allclose(path.v, 0.0)
    assert_allclose(path.a, 0.0, atol=1e-9)
    assert_allclose(mirror.image(path.q), path.q, atol=1e-6)
    load = path.force_n[0, [row.axis == 2 for row in path.problem.contact.rows]]
    assert load.min() > 30.0
    assert load.sum() == pytest.approx(75.0 * 9.81, rel=1e-6)
    headings = [heading_of_foot(heiman, path.q[0], side) for side in (RIGHT, LEFT)]
    assert_allclose(headings, np.array([1.0, -1.0]) * heading_of_foot(heiman, gait.trajectory.q[0], RIGHT), atol=1e-9)


def test_steps_of_a_gait_join_to_the_last_digits(heiman, gait):
    pair = [Piece(gait.trajectory), Piece(gait.trajectory, mirrored=True)]
    seam = worst_seam(heiman, [*pair, *pair])
    assert seam.place < 1e-6
    assert seam.velocity < 1e-4
    assert seam.torque_nm < 1e-3
    late = replace(gait.trajectory, q=gait.trajectory.q + 1e-3 * np.eye(34)[8])
    assert worst_seam(heiman, [pair[0], Piece(late, mirrored=True)]).place > 9e-4


def test_a_walk_without_a_stand_is_that_of_its_gait(heiman, gait):
    walk = compose_walk(gait, steps=4)
    assert [piece.mirrored for piece in walk.pieces] == [False, True, False, True]
    motion = walk.motion()
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.walk["steps"] == 4
    assert motion.receipt.walk["seam_place"] < 1e-6
    put = placements(heiman, walk.pieces)
    assert_allclose([one.move_m[0] for one in put], gait.step_length_m * np.arange(4), atol=1e-9)
    assert_allclose([one.turn_rad for one in put], 0.0, atol=1e-9)
    speed = np.abs(np.diff(motion.qpos, axis=0)).max() / np.diff(motion.time_s).max()
    assert speed < 16.0  # no jump faster than the bound on velocities


def test_a_piece_goes_on_where_the_one_before_it_stopped_whichever_way_that_faced(heiman, gait):
    path = gait.trajectory
    turned = replace(path, q=turned_configuration(path.q, np.full(len(path.q), 0.3)))
    put = placements(heiman, [Piece(turned), Piece(path, mirrored=True)])
    assert put[1].turn_rad == pytest.approx(0.3, abs=1e-9)
    _, qpos, _, force, _ = samples(heiman, [Piece(path), Piece(path, mirrored=True)], 100.0)
    pressure = centre_of_pressure(heiman, qpos, force)
    assert np.abs(pressure[:, 1]).max() < 0.15  # under the feet


def test_the_mirror_image_of_a_mirror_image_is_the_step(heiman, gait):
    path = gait.trajectory
    turning = Turning(heiman, named_gait_options(heiman, [HUMAN]), path, 0.2, COARSE).problem()
    second = turning.on_phases(turning.phases[4:])
    image = mirror_image(heiman, path, second)
    again = mirror_image(heiman, image, path.problem)
    for name in ("q", "v", "a", "u", "force_n"):
        assert_allclose(getattr(again, name), getattr(path, name))


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_ends_of_a_start_and_a_stop_are_the_walks_and_the_stands(heiman, gait, stand, options, kind):
    path, rest = gait.trajectory, state_at(stand.trajectory, 0)
    problem, guess = getattr(Transition(heiman, options, path, rest, COARSE), kind)()
    program = DirectCollocation(problem)
    first, last = (rest, state_at(path, -1)) if kind == "start" else (state_at(path, 0), rest)
    exact = replace(
        guess,
        **{
            name: np.vstack([getattr(first, name), getattr(guess, name)[1:-1], getattr(last, name)])
            for name in ("q", "v", "u")
        },
    )

    def missing(trajectory):
        rows, _ = program.assembly.linear(program.variables(trajectory))
        ends = np.zeros(len(rows), dtype=bool)
        for where in ("first", "last"):
            for what in ("coordinates", "velocities", "torques"):
                ends |= program.rows_of(f"{what} of the {where} node")
        return np.abs(rows[ends]).max()

    assert missing(exact) < 1e-9
    moved = exact.q.copy()
    moved[-1, :2] += 0.3  # anywhere on the ground
    assert missing(replace(exact, q=moved)) < 1e-9
    moved[-1, 20] += 0.01
    assert missing(replace(exact, q=moved)) > 1e-3


def test_a_stride_that_turns_ends_turned(heiman, gait, options):
    turning = Turning(heiman, options, gait.trajectory, 0.4, COARSE)
    problem = turning.problem()
    guess = turning.guess(problem)
    first, last = qpos_from_angles(guess.q[[0, -1]])
    assert last[1] == pytest.approx(first[1], abs=0.02)  # its chord is the x axis
    assert 0.97 < (last[0] - first[0]) / (2.0 * gait.step_length_m) < 1.0
    assert [phase.contact.name for phase in problem.phases[4:]] == [
        "LeftFlat",
        "LeftForefoot",
        "LeftForefootRightHeel",
        "LeftForefootRightFlat",
    ]
    program = DirectCollocation(problem)
    rows, _ = program.assembly.linear(program.variables(guess))
    assert np.abs(rows[program.rows_of("turned coordinate")]).max() < 1e-6
    assert np.abs(rows[program.rows_of("turned torque")]).max() < 1e-4


def test_a_walk_is_as_sound_as_its_worst_piece(gait):
    sliding = replace(
        gait.soundness, contact_drift_m=0.004, drifting="HeelLeft in phase Shift", playback_error_rad=None
    )
    pulled = replace(gait.soundness, least_normal_force_n=-1.0, joint_limit_margin_rad=-0.2, tightest="KneeRight_RY")
    worst = worst_of([gait.soundness, sliding, pulled])
    assert worst.complaints() == [
        "HeelLeft in phase Shift slides 4.0 mm while it should hold still",
        "the ground pulls on a foot",
    ]
    assert worst.limits_broken() == ["joint limit: KneeRight_RY is 0.200 rad beyond its range"]
    assert worst.playback_error_rad == gait.soundness.playback_error_rad


def test_a_long_movement_is_played_in_parts_of_whole_phases(gait, heiman):
    path = gait.trajectory
    weaker = replace(path, u=1.001 * path.u)
    whole, parts = (playback_error(heiman.model, weaker, part_s) for part_s in (np.inf, 0.25))
    assert 0.0 < parts < 0.5 * whole  # errors grow for a shorter time
    assert playback_error(heiman.model, path, 0.25) < 1e-6


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"steps": 2, "from_stand": True, "to_stand": True, "turn_rad": 0.0}, "at least 3 steps"),
        ({"steps": 0, "from_stand": False, "to_stand": False, "turn_rad": 0.0}, "at least 1"),
        ({"steps": 6, "from_stand": False, "to_stand": False, "turn_rad": np.nan}, "at most 45°"),
    ],
)
def test_what_nobody_walks_is_refused(asked, words):
    with pytest.raises(OutOfRangeError, match=words):
        check_walk(**asked)
