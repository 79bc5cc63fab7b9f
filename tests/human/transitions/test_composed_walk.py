"""Walks of many steps, out of a stand and into one, and turning: problems, guesses, stands, joins and verdicts.

A solved start, stop or turn takes most of a minute each: benchmarks/bench_human_transitions.py solves and judges them.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import body_poses
from strut.errors import OutOfRangeError, RefusedError
from strut.human.anatomy import LEFT, RIGHT
from strut.human.gait import centre_of_pressure
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.swing_clearance import swing_constraints
from strut.human.transitions.composed_walk import PART_S, WalkComposer, check_walk, compose_walk
from strut.human.transitions.quiet_stand import either_side_bounds, heading_of_foot, stand_at_rest
from strut.human.transitions.transition_problem import Transition
from strut.human.transitions.turning_problem import Turning, turned_configuration
from strut.human.transitions.walk_pieces import WalkPiece, mirrored_step, placements, sample_walk, worst_seam
from strut.maths.rotation import qpos_from_angles
from strut.ocp.collocation import DirectCollocation
from strut.ocp.continuity_constraints import state_at
from strut.ocp.soundness import combine_soundness, verify_trajectory
from strut.ocp.torque_playback import playback_error

COARSE = (4, 4, 2, 2)


@pytest.fixture(scope="module")
def options(heiman):
    return named_gait_options(heiman, [HUMAN])


@pytest.fixture(scope="module")
def stand(heiman, gait):
    toe_in = heading_of_foot(heiman, gait.trajectory.q[0], RIGHT)
    return stand_at_rest(heiman, gait.trajectory.problem, toe_in)


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
    found = verify_trajectory(heiman, stand, part_s=PART_S)
    assert [*found.faults(), *found.broken_limits()] == []


def test_steps_of_a_gait_join_to_the_last_digits(heiman, gait):
    pair = [WalkPiece(gait.trajectory), WalkPiece(gait.trajectory, mirrored=True)]
    seam = worst_seam(heiman, [*pair, *pair])
    assert seam.position < 1e-6
    assert seam.velocity < 1e-4
    assert seam.torque_nm < 1e-3
    late = replace(gait.trajectory, q=gait.trajectory.q + 1e-3 * np.eye(34)[8])
    missed = worst_seam(heiman, [pair[0], WalkPiece(late, mirrored=True)])
    assert missed.position > 9e-4
    (gap,) = missed.faults()
    assert str(gap) == "pieces of the walk are 1.0e-03 m or rad apart where they join"


def test_pieces_that_do_not_join_are_refused(gait):
    path = gait.trajectory
    quicker = replace(path, v=path.v * np.linspace(1.0, 1.01, len(path.v))[:, None])
    with pytest.raises(RefusedError, match=r"pieces of the walk differ by .* m/s or rad/s where they join"):
        compose_walk(replace(gait, solution=replace(gait.solution, trajectory=quicker)), steps=2)


def test_a_walk_that_faces_backwards_joins_as_well_and_its_quaternions_do_not_jump(heiman, gait):
    path = gait.trajectory
    ahead = [WalkPiece(path), WalkPiece(path, mirrored=True)] * 2
    behind = [WalkPiece(replace(path, q=turned_configuration(path.q, np.full(len(path.q), np.pi)))), *ahead[1:]]
    assert worst_seam(heiman, behind).position < 1e-6
    time_s, qpos, *_ = sample_walk(heiman, behind, 100.0)
    qpos = qpos[time_s > path.time_s[-1]]  # angles of the first piece wrap at its nodes
    assert qpos[-1, 0] < -1.0
    assert np.abs(qpos[:, 3]).max() < 0.1
    assert np.abs(np.diff(qpos[:, 3:7], axis=0)).max() < 0.05


def test_a_seam_counts_the_whole_angle_by_which_the_pelvis_misses(heiman, gait):
    path = gait.trajectory
    rolled = path.q.copy()
    rolled[:, 4] += 0.01
    missed = worst_seam(heiman, [WalkPiece(path), WalkPiece(replace(path, q=rolled), mirrored=True)])
    assert missed.position == pytest.approx(0.01, rel=1e-3)


def test_a_walk_without_a_stand_is_that_of_its_gait(heiman, gait):
    walk = compose_walk(gait, steps=4)
    assert [piece.mirrored for piece in walk.pieces] == [False, True, False, True]
    motion = walk.motion()
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.walk["steps"] == 4
    assert motion.receipt.walk["seam_position"] < 1e-6
    assert motion.receipt.distance_m == pytest.approx(4 * gait.step_length_m)
    assert motion.receipt.speed_m_s == pytest.approx(gait.speed_m_s)
    assert motion.receipt.cost_of_transport == pytest.approx(gait.cost_of_transport())
    assert motion.meta["straight_step"]["phase_durations_s"] == gait.trajectory.duration_s.tolist()
    assert "costs" not in motion.meta
    put = placements(heiman, walk.pieces)
    assert_allclose([one.move_m[0] for one in put], gait.step_length_m * np.arange(4), atol=1e-9)
    assert_allclose([one.turn_rad for one in put], 0.0, atol=1e-9)
    speed = np.abs(np.diff(motion.qpos, axis=0)).max() / np.diff(motion.time_s).max()
    assert speed < 16.0  # no jump faster than the bound on velocities


def test_a_piece_goes_on_where_the_one_before_it_stopped_whichever_way_that_faced(heiman, gait):
    path = gait.trajectory
    turned = replace(path, q=turned_configuration(path.q, np.full(len(path.q), 0.3)))
    put = placements(heiman, [WalkPiece(turned), WalkPiece(path, mirrored=True)])
    assert put[1].turn_rad == pytest.approx(0.3, abs=1e-9)
    _, qpos, _, force, _ = sample_walk(heiman, [WalkPiece(path), WalkPiece(path, mirrored=True)], 100.0)
    pressure = centre_of_pressure(heiman, qpos, force)
    assert np.abs(pressure[:, 1]).max() < 0.15  # under the feet


def test_the_mirror_image_of_a_mirror_image_is_the_step(heiman, gait):
    path = gait.trajectory
    turning = Turning(heiman, named_gait_options(heiman, [HUMAN]), path, 0.2, COARSE).problem()
    second = turning.on_phases(turning.phases[4:])
    image = mirrored_step(heiman, path, second)
    again = mirrored_step(heiman, image, path.problem)
    for name in ("q", "v", "a", "u", "force_n"):
        assert_allclose(getattr(again, name), getattr(path, name))


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_a_step_that_faces_away_is_within_the_bounds_of_its_start_and_stop(heiman, gait, stand, options, kind):
    path = gait.trajectory
    rest = state_at(stand.trajectory, 0)
    turned = replace(path, q=turned_configuration(path.q, np.full(len(path.q), -0.4)))
    problem, _ = getattr(Transition(heiman, options, turned, rest, COARSE), kind)()
    assert problem.bounds.q[0, 5] < turned.q[:, 5].min() - 0.1
    assert problem.bounds.q[1, 5] > rest.q[5] + 0.1


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_ends_of_a_start_and_a_stop_are_the_walks_and_the_stands(heiman, gait, stand, options, kind):
    path = gait.trajectory
    rest = state_at(stand.trajectory, 0)
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


def test_the_guess_of_a_turning_stride_ends_turned(heiman, gait, options):
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


def test_a_walk_that_bounces_does_so_when_it_turns(heiman, gait, options):
    lively = replace(options, style=replace(options.style, bounce=1.5))
    phases = Turning(heiman, lively, gait.trajectory, 0.4, COARSE).problem().phases
    names = [{one.name for one in phase.constraints} for phase in phases]
    assert ["rise of the centre of mass" in one for one in names] == [True, False, False, False] * 2
    assert ["low centre of mass" in one for one in names] == [False, False, False, True] * 2


@pytest.mark.parametrize("natural", [True, False])
def test_only_natural_criteria_ask_a_clearance_of_the_heel_in_turns_starts_and_stops(
    heiman, gait, stand, options, natural
):
    path = gait.trajectory
    turning = Turning(heiman, options, path, 0.4, COARSE, natural).problem()
    started, _ = Transition(heiman, options, path, state_at(stand.trajectory, 0), COARSE, natural).start()
    for phase in (turning.phases[0], started.phases[2]):
        assert ("clearance of the left heel" in {one.name for one in phase.constraints}) is natural


def test_heights_of_feet_are_reported_in_words(heiman, options):
    *_, toes = swing_constraints(heiman, 0, options, natural=False, mirrored=True)
    assert toes.name == "clearance of the right toes"
    assert toes.row_names == ("the right big toe", "the right little toe")


def test_only_synthesized_gaits_are_composed(gait):
    with pytest.raises(OutOfRangeError, match=r"Only a gait made by `strut\.synthesize` can start, turn and stop"):
        compose_walk(replace(gait, options=None))


def test_a_walk_is_as_sound_as_its_worst_piece(gait):
    sliding = replace(
        gait.soundness, contact_drift_m=0.004, drifting="HeelLeft in phase Shift", playback_error_rad=None
    )
    pulled = replace(gait.soundness, least_normal_force_n=-1.0, joint_limit_margin_rad=-0.2, tightest="KneeRight_RY")
    worst = combine_soundness([gait.soundness, sliding, pulled])
    assert [str(reason) for reason in worst.faults()] == [
        "HeelLeft in phase Shift slides 4.0 mm while it should hold still",
        "the ground pulls on a foot",
    ]
    assert [str(reason) for reason in worst.broken_limits()] == [
        "joint limit: KneeRight_RY is 0.200 rad beyond its range"
    ]
    assert worst.playback_error_rad == gait.soundness.playback_error_rad
    changed = replace(gait.soundness, mesh_change=-0.02, refinement_change=0.5, allowed_pull_n=1e-4)
    loose = replace(gait.soundness, mesh_change=0.01, allowed_pull_n=1.0, capsule_distance_m=-1.0, refinement_change=0)
    worst = combine_soundness([loose, changed, gait.soundness])
    assert (worst.mesh_change, worst.refinement_change, worst.allowed_pull_n) == (-0.02, 0.5, 1e-4)


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
def test_speeds_that_cannot_be_walked_are_refused(asked, words):
    with pytest.raises(OutOfRangeError, match=words):
        check_walk(**asked)


def test_a_stand_holds_its_weight_ahead_of_its_ankles_on_knees_that_are_not_locked(heiman, gait, stand):
    path = stand.trajectory
    names = stand.trajectory.problem.tree.velocity_names
    knees = [path.q[0, names.index(f"Knee{side}_RY")] for side in (RIGHT, LEFT)]
    assert min(knees) >= 0.06 - 1e-7
    qpos = qpos_from_angles(path.q[:1])
    mass = centre_of_mass_path(heiman.model, qpos)[0]
    ankles = body_poses(heiman.model, ["FootRight", "FootLeft"], qpos)[0][0]
    assert mass[0] - ankles[:, 0].mean() == pytest.approx(0.045, abs=1e-6)
    problem = path.problem
    step = gait.trajectory.problem
    assert path.time_s[-1] == pytest.approx(0.5)
    assert {cost.name for cost in problem.costs} == {"effort", "posture", "arms"}
    assert [(one.lower, one.upper) for one in problem.parameters] == [(one.guess, one.guess) for one in step.parameters]
    wide = either_side_bounds(heiman, step)
    hip = names.index("HipLeft_RY")
    assert_allclose(problem.bounds.q[:, hip], wide.q[:, hip] + [0.02, -0.02])  # it may leave it either way
    assert_allclose(problem.bounds.q[:, 2], wide.q[:, 2] + [0.02, -0.02])
    assert_allclose(problem.bounds.q[:, :2], 0.0)
    assert problem.bounds.q[0, names.index("KneeLeft_RY")] == 0.06
    assert_allclose(problem.bounds.v, 0.0)
    assert (problem.lifted_variables, problem.bounded_between_nodes, problem.boundary_constraints) == ((), (), ())


def test_the_stand_of_a_walk_is_looked_at_and_its_time_is_counted(gait):
    composer = WalkComposer(gait, gait.options, 0.0, None)
    stand = composer.stand
    assert stand is composer.stand
    assert len(stand.q) == 2
    assert [found.faults() for found in composer.soundness] == [[], []]
    assert composer.soundness[1].playback_error_rad < 1e-3
    took_s = composer.solve_s - gait.solution.setup_s - gait.solution.solve_s
    assert 0.0 < took_s < 60.0


def test_a_stand_beyond_the_range_of_a_joint_is_refused(gait, stand):
    composer = WalkComposer(gait, gait.options, 0.0, None)
    knee = gait.robot.joint_names.index("KneeLeft_RY")
    upper = np.array(gait.robot.joint_upper_rad)
    upper[knee] = stand.trajectory.q[0, 6 + knee] - 0.05
    composer.robot = replace(gait.robot, joint_upper_rad=upper)
    with pytest.raises(RefusedError, match=r"joint limit: KneeLeft_RY is .* beyond its range"):
        composer.verify(stand)
