"""One step of a human without a recording: physics, periodicity, and what makes it a walk."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError, RefusedError, UnknownNameError
from strut.formats.motion_file import load_motion, save_motion
from strut.human.analysis.gait_comparison import criteria_values
from strut.human.analysis.gait_parameters import gait_parameters
from strut.human.anatomy import SHANKS
from strut.human.problem.criteria import Criteria, named_criteria, weighted_criteria
from strut.human.problem.effort_costs import joint_strengths
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.gait_problem import gait_problem, usual_torques
from strut.human.synthesis.initial_guess import GuessOptions, guessed_step
from strut.human.synthesis.synthesize import best_so_far, synthesize, usual_mesh
from strut.human.table import human_gait
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import angles_from_qpos
from strut.models.catalogue import robot_of
from strut.models.subject import EVEN_SIDES_NOTE, subject, with_even_sides
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import Iteration
from strut.ocp.layout import Layout
from strut.ocp.soundness import contact_drift, require_sound
from strut.ocp.torque_playback import playback_error

WEIGHT_N = 75.0 * 9.81
COARSE = (4, 4, 2, 2)


def rows_of(path, *words):
    """Columns of the row forces whose names hold all words."""
    return [i for i, name in enumerate(path.problem.contact.row_names) if all(word in name for word in words)]


def test_the_problem_has_34_coordinates_four_phases_two_impacts_and_at_least_25_intervals(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3)
    assert problem.tree.nv == 34
    assert len(problem.phases) == 4
    assert [phase.arrival for phase in problem.phases].count("impact") == 2
    assert sum(phase.intervals for phase in problem.phases) >= 25


def test_the_usual_gait_is_sound(gait):
    assert gait.solution.converged
    assert gait.solution.iterations < 150
    found = gait.soundness
    assert found.faults() == []
    assert found.residual <= 1e-6
    assert found.contact_drift_m < 0.003
    assert found.momentum_error_n_s < 0.2
    assert found.least_normal_force_n > -1e-6
    assert found.least_unloading_n_s > -1e-6
    assert found.least_normal_impulse_n_s > -0.1  # a point that stands may lose a little of its load in an impact
    assert found.broken_limits() == []
    assert found.impact_energy_j <= 0.0


def test_the_step_repeats_in_the_mirror(gait, heiman):
    path = gait.trajectory
    mirror = mirror_of(heiman, path.problem.tree.velocity_names)
    assert_allclose(path.q[0, 1:], mirror.image(path.q[-1])[1:], atol=1e-6)
    assert_allclose(path.v[0], mirror.image(path.v[-1]), atol=1e-5)
    assert_allclose(path.u[0], mirror_of(heiman, heiman.joint_names).image(path.u[-1]), atol=1e-4)
    assert path.parameter["step_length_m"] == pytest.approx(1.3 * path.time_s[-1], abs=1e-6)
    assert gait.step_length_m == pytest.approx(path.parameter["step_length_m"], abs=1e-6)
    told = gait_parameters(gait.robot, gait.motion(steps=4))
    assert_allclose(told.step_length_m, gait.step_length_m, atol=1e-4)
    assert told.speed_m_s == pytest.approx(1.3, rel=5e-3)


def test_the_ground_carries_the_weight_over_a_step(gait):
    path = gait.trajectory
    load = path.force_n[:, rows_of(path, " Z")].sum(axis=1)
    push = sum(np.trapezoid(load[path.nodes_of(p)], path.time_s[path.nodes_of(p)]) for p in range(4))
    for phase, impulse in path.impulse_n_s.items():
        push += sum(impulse[k] for k, row in enumerate(path.problem.phases[phase].contact.rows) if row.axis == 2)
    assert push == pytest.approx(WEIGHT_N * path.time_s[-1], abs=0.3)


def test_heel_and_toes_are_unloaded_when_they_leave_the_ground(gait):
    path = gait.trajectory
    heel = rows_of(path, "HeelRight Z")
    toes = rows_of(path, "Right", " Z")
    lift = int(path.nodes_of(0)[-1])
    off = int(path.nodes_of(3)[-1])
    assert_allclose(path.force_n[lift, heel], 0.0, atol=1e-6)
    assert path.force_n[lift - 2, heel].min() > 1.0
    assert_allclose(path.force_n[off, toes], 0.0, atol=1e-6)
    assert path.force_n[off - 2, toes].sum() > 1.0


def test_friction_suffices(gait, heiman):
    path = gait.trajectory
    for side in ("Right", "Left"):
        load = path.force_n[:, rows_of(path, side, " Z")].sum(axis=1)
        for axis in (" X", " Y"):
            assert (
                np.abs(path.force_n[:, rows_of(path, side, axis)].sum(axis=1)) <= heiman.friction * load + 1e-4
            ).all()


def test_it_is_a_walk_and_no_hop(gait):
    path = gait.trajectory
    names = list(gait.trajectory.problem.tree.velocity_names)
    load = path.force_n[:, rows_of(path, " Z")].sum(axis=1) / WEIGHT_N
    assert load.min() > 0.3
    assert load.max() < 2.0
    assert path.q[:, names.index("KneeLeft_RY")].max() > 0.7  # the swinging knee bends
    assert path.q[:, names.index("KneeRight_RY")][path.phase_of == 0].max() < 0.5  # the standing one hardly
    arm = path.q[:, names.index("ShoulderRight_RY")]
    assert arm[0] > arm.min()  # starts behind, with the right leg ahead
    assert 0.55 < gait.step_length_m < 0.85
    assert 0.05 < gait.cost_of_transport() < 0.6


def test_torques_alone_lead_another_engine_and_integrator_through_the_whole_step(gait, heiman):
    assert np.degrees(gait.soundness.playback_error_rad) < 0.01
    weaker = replace(gait.trajectory, u=1.001 * gait.trajectory.u)
    assert np.degrees(playback_error(heiman.model, weaker)) > 1.0


def test_an_exact_movement_costs_hardly_more_and_holds_its_feet(gait):
    assert abs(gait.soundness.refinement_change) < 0.03
    assert gait.soundness.residual < 1e-9
    assert gait.soundness.contact_drift_m < 1e-6
    assert gait.soundness.momentum_error_n_s < 0.02


def on_mesh(gait):
    """The nodes of the solver's mesh: the exact movement has more."""
    path = gait.trajectory
    finer = (len(path.nodes_of(0)) - 1) // usual_mesh(gait.robot, 1.3)[0]
    assert finer > 1
    nodes = np.concatenate([path.nodes_of(phase)[::finer] for phase in range(4)])
    parts = {name: getattr(path, name)[nodes] for name in ("time_s", "phase_of", "q", "v", "a", "u", "force_n")}
    return replace(path, **parts)


def test_published_criteria_are_per_step_and_natural_ones_per_metre(gait):
    path = on_mesh(gait)
    costs = gait.solution.costs
    values = criteria_values(path)
    assert values.momentum == pytest.approx(costs["momentum"] * gait.step_length_m, rel=1e-6)
    assert 3.0 * values.head == pytest.approx(costs["head"] * gait.step_length_m, rel=1e-6)
    torque = path.u / joint_strengths(gait.robot)
    speed = path.v[:, 6:]
    rate = (torque**2 * (1.0 + (speed / human_gait(gait.robot).natural_criteria.fast_rad_s) ** 2)).sum(axis=1)
    pieces = [path.nodes_of(phase) for phase in range(4)]
    effort = sum(np.trapezoid(rate[nodes], path.time_s[nodes]) for nodes in pieces) / (28 * gait.step_length_m)
    assert effort == pytest.approx(costs["effort"], rel=1e-6)


def test_landings_cost_their_impulses(gait):
    weight = human_gait(gait.robot).natural_criteria.landing
    impulses = np.concatenate(list(gait.trajectory.impulse_n_s.values()))
    assert gait.solution.costs["landing"] == pytest.approx(weight * np.sum((impulses / 10.0) ** 2), rel=1e-6)


def test_published_criteria_keep_what_they_measure(heiman):
    published, natural = (
        gait_problem(heiman, named_criteria(heiman, name), speed_m_s=1.3) for name in ("multi", "natural")
    )
    effort = next(cost for cost in published.costs if cost.name == "effort").rate(published.node())
    symbols = ca.symvar(effort)  # torques over the usual ones, and the length of the step
    assert float(ca.Function("effort", symbols, [effort])(*np.ones(len(symbols)))) == pytest.approx(1.0)
    assert len(symbols) == 28 + 1
    assert usual_torques(heiman)[0] == pytest.approx(15.5)  # Table 6.3
    assert "landing" not in [cost.name for cost in published.costs]
    assert "landing" in [cost.name for cost in natural.costs]
    assert [phase.duration_s for phase in published.phases] != [phase.duration_s for phase in natural.phases]
    turn = published.tree.velocity_names.index("Pelvis_RZ")
    assert published.bounds.q[:, turn] == pytest.approx([-0.32, 0.27])  # Table 5.3
    assert np.ptp(natural.bounds.q[:, turn]) <= human_gait(heiman).natural["pelvis_turn_rad"].range[1]


def test_quick_steps_of_a_slow_walk_may_have_short_phases(heiman):
    options = named_gait_options(heiman, [HUMAN])
    natural = named_criteria(heiman, "natural")
    calm, hasty, slow = (
        gait_problem(
            heiman, natural, speed_m_s=0.65, options=replace(options, style=replace(options.style, tempo=tempo))
        )
        for tempo in (1.0, 1.25, 0.8)
    )
    shortest = [[phase.duration_s[0] for phase in problem.phases] for problem in (calm, hasty, slow)]
    assert_allclose(shortest[1], np.array(shortest[0]) / 1.25)
    assert shortest[2] == shortest[0]
    assert [phase.duration_s[1] for phase in hasty.phases] == [phase.duration_s[1] for phase in calm.phases]


def test_strength_grows_with_mass_and_height(heiman):
    assert joint_strengths(subject(1.86, 150.0)) == pytest.approx(2.0 * joint_strengths(heiman))


def test_many_steps_make_a_continuous_motion_that_survives_a_file(gait, heiman, tmp_path):
    motion = gait.motion(steps=4)
    assert robot_of(motion).fingerprint == heiman.fingerprint
    q = angles_from_qpos(motion.qpos)
    step = float(np.median(np.diff(motion.time_s)))
    assert np.abs(np.diff(q, axis=0)).max() < 16.0 * step  # no jump faster than the bound on velocities
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.speed_m_s == pytest.approx(1.3, abs=1e-6)
    assert np.isfinite(motion.cop_in_world).all()
    save_motion(motion, tmp_path / "gait.npz")
    again = load_motion(tmp_path / "gait.npz")
    assert_allclose(again.qpos, motion.qpos)
    assert again.receipt.soundness["contact_drift_m"] == gait.soundness.contact_drift_m


def test_a_result_that_slides_is_refused(gait, heiman):
    guess = guessed_step(heiman, gait.trajectory.problem, 1.3)
    drift, who, _ = contact_drift(heiman, guess)
    assert drift > 0.003
    assert "in phase" in who
    with pytest.raises(RefusedError, match=r"slides \d+\.\d mm"):
        require_sound(replace(gait.soundness, contact_drift_m=drift, drifting=who))
    with pytest.raises(RefusedError, match="momentum come from nowhere"):
        require_sound(replace(gait.soundness, momentum_error_n_s=0.3))
    with pytest.raises(RefusedError, match="torques alone lead 2 degrees"):
        require_sound(replace(gait.soundness, playback_error_rad=np.radians(2.0)))
    with pytest.raises(RefusedError, match="finer mesh changes the cost"):
        require_sound(replace(gait.soundness, mesh_change=0.05))
    with pytest.raises(RefusedError, match=r"ShankRight and ShankLeft overlap by 2\.0 mm"):
        require_sound(replace(gait.soundness, capsule_distance_m=-0.002, capsules=SHANKS))
    with pytest.raises(RefusedError, match=r"a foot is 4\.0 mm in the ground"):
        require_sound(replace(gait.soundness, penetration_m=0.004))
    with pytest.raises(RefusedError, match="the ground pulls on a foot"):
        require_sound(replace(gait.soundness, least_unloading_n_s=-0.01))


def test_limits_of_the_body_refuse_a_gait_but_not_what_a_recording_shows(gait):
    fast = replace(gait.soundness, joint_speed_use=1.02, fastest="AnkleLeft_RY")
    bent = replace(gait.soundness, joint_limit_margin_rad=-0.03, tightest="KneeLeft_RY")
    for broken, words in ((fast, "AnkleLeft_RY reaches 102.0 %"), (bent, "KneeLeft_RY is 0.030 rad beyond its range")):
        assert not broken.faults()
        with pytest.raises(RefusedError, match=words):
            require_sound(broken)
        receipt = replace(gait, soundness=broken).receipt()
        assert receipt.verdict == "refused"
        assert words in str(receipt.reasons[0])


def test_drawn_steps_bring_the_feet_near_the_ground_in_stance(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3)
    guess = guessed_step(heiman, problem, 1.3, GuessOptions(0.0, 0.3, seed=4))
    assert contact_drift(heiman, guess)[0] < 0.12
    layout = Layout(problem)
    assert guess.q.shape == (layout.node_count, 34)
    assert guess.duration_s.sum() != pytest.approx(guessed_step(heiman, problem, 1.3).duration_s.sum())


def test_slow_and_fast_walks_get_more_intervals(heiman):
    assert sum(usual_mesh(heiman, 0.6)) > sum(usual_mesh(heiman, 1.3)) == 32
    assert sum(usual_mesh(heiman, 2.0)) > 32


def test_a_person_with_two_feet_of_their_own_walks_on_the_mean_of_them(heiman):
    lengths_m = {"FootLeftLength": 0.29, "FootRightLength": 0.28}
    person = with_even_sides(subject(1.8, 75.0, lengths_m=lengths_m))
    left_m, right_m = (person.subject.lengths_m[f"Foot{side}Length"] for side in ("Left", "Right"))
    assert left_m == right_m == pytest.approx(0.285)
    assert person.mass_kg == pytest.approx(75.0)
    assert with_even_sides(heiman) is heiman


def test_a_movement_on_another_mesh_keeps_the_rows_of_that_mesh(gait):
    path = gait.trajectory
    problem = gait_problem(gait.robot, Criteria(), speed_m_s=1.3, intervals=(7, 9, 4, 3))
    other = path.on_mesh(problem)
    step = np.diff(other.time_s)[:, None]
    inside = np.diff(other.phase_of) == 0
    speed = other.v[:-1] + step * (other.a[:-1] + other.a[1:]) / 2.0
    assert_allclose(speed[inside], other.v[1:][inside], atol=1e-9)
    assert_allclose(other.q, path.at(np.minimum(other.time_s, path.time_s[-1]))[0], atol=1e-6)


def test_wishes_without_sense_are_refused_in_words(heiman):
    with pytest.raises(OutOfRangeError, match="impossible"):
        synthesize(heiman, speed_m_s=9.0)
    with pytest.raises(UnknownNameError, match="effort"):
        synthesize(heiman, objective="efort")
    with pytest.raises(OutOfRangeError, match="four are needed"):
        weighted_criteria(heiman, [1.0, 2.0])
    with pytest.raises(OutOfRangeError, match="at least 0"):
        weighted_criteria(heiman, [1.0, 2.0, -1.0, 0.0])


def test_published_mixtures_have_their_weights(heiman):
    multi = named_criteria(heiman, "multi")
    head = named_criteria(heiman, "head")
    assert (multi.effort, multi.momentum, multi.head, multi.time) == (1.0, 1.0, 3.0, 0.0)
    assert (head.effort, head.momentum, head.head, head.time) == (0.01, 0.0, 10.0, 0.0)


def test_a_solver_that_is_stopped_keeps_its_best_iterate_and_names_what_is_worst(heiman):
    seen = []

    def tell(iteration):
        seen.append(iteration)
        return iteration.number >= 4

    with pytest.raises(NotSolvedError, match=r"stopped by the caller.*worst is .* in phase \w+, node \d+") as stopped:
        synthesize(heiman, speed_m_s=1.3, intervals=(4, 4, 2, 2), on_iteration=tell)
    best = stopped.value.best
    assert best.violation == pytest.approx(min(iteration.violation for iteration in seen), rel=1e-6)
    receipt = best_so_far(heiman, best).motion().receipt
    assert receipt.verdict == "refused"
    assert str(receipt.reasons[0]) == "the solver was stopped before it had ended"
    assert "equation of motion is off" in receipt.reasons[1].text


@pytest.fixture
def solves(monkeypatch):
    """Label and initial guess of every solve, by a solver that never converges."""
    recorded = []

    class FailingProgram:
        def __init__(self, problem):
            self.problem = problem

        def solve(self, start, *, on_iteration, **_):
            on_iteration(Iteration(0, 1.0, 1.0))
            recorded[-1] = (*recorded[-1], start)
            raise NotSolvedError("infeasible problem detected", "'impact'", None)

    monkeypatch.setattr("strut.human.synthesis.synthesize.DirectCollocation", FailingProgram)
    return recorded


def test_every_kind_of_initial_guess_is_tried_until_one_succeeds(heiman, solves):
    def record(iteration):
        solves.append((iteration.solve,))

    with pytest.raises(NotSolvedError):
        synthesize(heiman, intervals=COARSE, on_iteration=record)
    labels = [label for label, _ in solves]
    halfway = "from a guessed step"  # an easier gait is first solved itself
    assert labels == ["from solved gaits", "from a guessed step", halfway, "from a guessed step with noise"]
    solves.clear()
    with pytest.raises(NotSolvedError):
        synthesize(heiman, intervals=COARSE, guess=GuessOptions(), tries=1, on_iteration=record)
    assert [label for label, _ in solves] == ["from a guessed step"]


def test_starts_after_the_first_have_noise_of_their_own(gait, heiman, solves):
    def record(iteration):
        solves.append((iteration.solve,))

    with pytest.raises(NotSolvedError):
        synthesize(heiman, intervals=COARSE, starts=3, tries=1, initial_motion=gait.motion(), on_iteration=record)
    assert [label for label, _ in solves] == ["start 1 of 3", "start 2 of 3", "start 3 of 3"]
    motion, second, third = (guess for _, guess in solves)
    plain = guessed_step(heiman, second.problem, 1.3, GuessOptions(style=heiman.expression.neutral_style()))
    assert_allclose(motion.duration_s, gait.trajectory.duration_s, atol=0.02)
    for noisy in (second, third):
        assert 0.01 < np.std(noisy.q[:, 6:] - plain.q[:, 6:]) < 0.1
    assert np.abs(second.q[:, 6:] - third.q[:, 6:]).max() > 0.03


def test_a_subject_with_different_sides_gets_a_note_that_they_were_made_even(gait, heiman, monkeypatch):
    """The solver returns a step of another body, so the gait is refused; the attempts begin with the note."""

    class SolvedProgram:
        def __init__(self, problem):
            self.problem = problem

        def solve(self, *_, **__):
            return gait.solution

    monkeypatch.setattr("strut.human.synthesis.synthesize.DirectCollocation", SolvedProgram)
    monkeypatch.setattr("strut.human.synthesis.synthesize.refine_by_shooting", lambda _, solution: solution)
    uneven = subject(1.6, 75.0, lengths_m={"FootLeftLength": 0.29, "FootRightLength": 0.28})
    with pytest.raises(RefusedError) as refusal:
        synthesize(uneven, tries=1)
    assert str(refusal.value.reasons[0]) == EVEN_SIDES_NOTE
    with pytest.raises(RefusedError) as refusal:
        synthesize(subject(1.6, 75.0), tries=1)
    assert EVEN_SIDES_NOTE not in map(str, refusal.value.reasons)
