"""From a recorded walk to forces: physics on a walker that we made, and real people on force plates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.body_wrench import Movement, torques_under_wrenches
from strut.engines.rigid_body import foot_contact_points
from strut.errors import BadRecordingError
from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import capture, fit_figures
from strut.mocap.events.heel_strikes import heel_deceleration_m_s2
from strut.mocap.forces.dynamic_smoothing import linearise_wrench, required_wrench
from strut.mocap.forces.footprints import Footprint, find_footprints
from strut.mocap.forces.ground_forces import baseline_prior, ground_forces
from strut.mocap.forces.landing_transient import DECELERATION_M_S2, add_landing_transients, landing_shape
from strut.mocap.forces.load_sharing import FootLoads
from strut.mocap.forces.moment_comparison import compare_ankle_torques, laboratory_moment
from strut.mocap.forces.plate_assignment import plate_forces
from strut.mocap.forces.plate_comparison import PlateForces, agreement
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.marker_fit.fit import fit
from strut.mocap.marker_fit.subject_model import robot_of_subject
from strut.mocap.markers.marker_checks import filter_cutoff_hz
from strut.models.subject import person_of, subject
from tests.mocap.conftest import walker_angles

WEIGHT = 9.81


@pytest.fixture(scope="module", params=["captured_qcmas", "captured_sydney"])
def on_plates(request):
    """Of each laboratory one; benchmarks/bench_ground_forces.py judges all walks."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def followed(data):
    """A walk of QCMAS whose forces follow its plates."""
    return capture(read_recording(data / "qcmas_walk.c3d"), use_plates=True)


def test_loads_that_follow_plates_are_the_measured_wrenches(followed, captured_qcmas):
    """Force and all three moments, free twist included, wherever a plate measured the whole foot."""
    forces = followed.forces
    is_measured = np.isfinite(forces.plates.wrench).all(axis=2) & (forces.plates.wrench[..., 2] > 50.0)
    assert is_measured.sum() > 50
    ours = forces.loads.wrenches()[is_measured]
    np.testing.assert_allclose(ours[:, :3], forces.plates.wrench[is_measured][:, :3], atol=1e-6)
    np.testing.assert_allclose(ours[:, 3:], forces.plates.wrench[is_measured][:, 3:], atol=0.5)
    twist_nm = np.abs(forces.loads.twist_nm[is_measured])
    assert twist_nm.max() < 30.0  # of the friction of a foot, not of its place in the room


def test_the_difference_from_the_laboratorys_ankle_is_over_body_mass(captured_qcmas):
    walk = captured_qcmas
    rows = compare_ankle_torques(walk.fit, walk.robot, walk.forces)
    assert rows
    for row in rows:
        side = row.joint.split()[0].title()
        theirs = laboratory_moment(walk.fit, walk.forces, side, "Ankle")
        ours = walk.forces.torque_nm[:, walk.robot.joint_names.index(f"Ankle{side}_RY")] / walk.robot.mass_kg
        known = np.isfinite(theirs)
        assert row.frames <= known.sum()
        assert row.rms_nm_kg == pytest.approx(np.sqrt(np.mean((ours - theirs)[known] ** 2)), rel=0.25)
        assert row.rms_range == pytest.approx(row.rms_nm_kg / np.ptp(theirs[known]), rel=0.1)


def test_a_body_at_rest_needs_its_weight_at_its_centre_of_mass():
    robot = subject()
    still = np.zeros((3, 34))
    wrench = required_wrench(robot, Movement(still, still, still))
    np.testing.assert_allclose(wrench[:, :3], np.tile([0.0, 0.0, 75.0 * WEIGHT], (3, 1)), atol=1e-9)
    np.testing.assert_allclose(
        wrench[:, 4], -0.0013 * 75.0 * WEIGHT, atol=0.1
    )  # behaviour 11: 1.3 mm before the pelvis


def test_derivatives_of_the_wrench_are_those_of_larger_steps():
    robot = subject()
    rng = np.random.default_rng(0)
    here = Movement(walker_angles(4), rng.normal(size=(4, 34)), rng.normal(size=(4, 34)))
    derivatives = linearise_wrench(robot, here).derivatives
    way = rng.normal(size=34)
    for index, part in enumerate(derivatives):
        moved = [
            required_wrench(
                robot,
                Movement(
                    *(
                        value + sign * 1e-3 * way * (k == index)
                        for k, value in enumerate((here.q, here.rate, here.acceleration))
                    )
                ),
            )
            for sign in (1.0, -1.0)
        ]
        np.testing.assert_allclose(part @ way, (moved[0] - moved[1]) / 2e-3, rtol=2e-3, atol=0.5)


def test_on_one_leg_the_hip_of_that_side_holds_the_weight():
    """On one leg the hip of that side holds the weight beside it; the other hip holds its own leg only."""
    robot = subject()
    still = np.zeros((1, 34))
    movement = Movement(still, still, still)
    wrench = np.zeros((1, 2, 6))
    wrench[:, 0] = required_wrench(robot, movement)
    torque = torques_under_wrenches(robot.model, movement.for_engine(), ["FootRight", "FootLeft"], wrench)
    names = list(robot.joint_names)
    hip = 75.0 * WEIGHT * 0.08  # the weight acts half of a pelvis beside the hip
    assert abs(torque[0, names.index("HipRight_RX")]) > 0.5 * hip
    assert abs(torque[0, names.index("HipLeft_RX")]) < abs(torque[0, names.index("HipRight_RX")])


def test_landing_transients_load_the_landing_foot_and_hardly_change_the_momentum():
    time_s = np.arange(100) / 100.0
    rest = {"forward": np.array([1.0, 0.0]), "length_m": 0.26, "belt_m_s": np.zeros(2)}
    lands = Footprint("Left", 0.4, 1.0, np.array([0.6, 0.1]), **rest)
    stands = np.column_stack([time_s < 0.5, time_s >= 0.4])
    before = FootLoads(np.full((100, 2, 3), 300.0), np.zeros((100, 2, 2)), np.zeros((100, 2)), stands)

    def shape(speed_m_s, heel_deceleration_m_s2=None):
        return landing_shape(None, 100.0, speed_m_s, heel_deceleration_m_s2)

    def vertical_change(landing):
        return add_landing_transients(before, [lands], time_s, 700.0, landing).force_n[..., 2] - 300.0

    change = vertical_change(shape(1.2))
    assert change[41:43, 1].min() > 50.0
    assert not change[45:, 0].any()
    assert abs(change.sum() / 100.0) < 0.01 * 700.0  # less than 1 % of the weight for a second
    slow = vertical_change(shape(0.6))
    np.testing.assert_allclose(slow, change * 0.5**1.5, atol=1e-9)  # slow walks land softly
    seen = (
        add_landing_transients(before, [lands], time_s, 700.0, shape(1.2, heel_deceleration_m_s2=25.0)).force_n[..., 2]
        - 300.0
    )
    np.testing.assert_allclose(seen, 0.25 * change, atol=1e-9)  # most of it is in the movement of the legs already


def test_forces_at_the_contact_points_of_a_flat_foot_keep_its_centre_of_pressure(captured_author):
    motion = captured_author.motion
    loads = captured_author.forces.loads
    kept = np.isin(captured_author.forces.time_s, motion.time_s)
    points = foot_contact_points(captured_author.robot, motion.qpos)
    for foot, columns in enumerate((slice(0, 3), slice(3, 6))):
        force_n = motion.ground_force_n[:, columns, 2]
        rows = motion.contact[:, columns].all(axis=1) & (force_n > 1.0).all(axis=1)
        assert rows.sum() > 20
        moment = np.einsum("tp,tpi->ti", force_n[rows], points[rows, columns, :2])
        cop_m = moment / force_n[rows].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(cop_m, loads.cop_m[kept][rows, foot], atol=1e-6)


def test_the_authors_step_is_sound_without_plates(captured_author):
    assert captured_author.motion.receipt.verdict == "ok"
    assert captured_author.plates is None
    assert captured_author.forces.plates is None
    mean = captured_author.forces.wrench[captured_author.forces.between_events, 2].mean()
    assert mean == pytest.approx(75.0 * WEIGHT, rel=0.03)
    both = captured_author.motion.ground_force_n.sum(axis=1)
    kept = np.isin(captured_author.forces.time_s, captured_author.motion.time_s)
    inside = captured_author.forces.reported[kept]
    needed = captured_author.forces.wrench[kept, :3]
    np.testing.assert_allclose(both[inside], needed[inside], atol=0.05 * 75.0 * WEIGHT)
    assert person_of(captured_author.motion).mass_kg == pytest.approx(75.0)
    figures = captured_author.as_dict()
    assert figures["marker_error_mean_mm"] < 5.0
    assert figures["steps"] >= 2
    assert figures["plates"] is None


def test_forces_agree_with_plates_better_than_the_centre_of_mass_estimate(on_plates):
    """Totals within 6 and 4 % of the weight, single feet within 8 %, centre of pressure within 25 mm."""
    rows = {(one.what, one.axis): one for one in on_plates.plates.rows}
    up = rows["total", "up"]
    forwards = rows["total", "forwards"]
    assert up.rms_weight < 0.06
    assert up.correlation > 0.95
    assert forwards.rms_weight < 0.04
    assert all(rows[foot, "up"].rms_weight < 0.08 for foot in ("right", "left") if (foot, "up") in rows)
    assert all(
        rows["total", axis].rms_weight <= rows["baseline", axis].rms_weight for axis in ("forwards", "left", "up")
    )
    assert on_plates.plates.cop_distance_mm < 25.0
    assert on_plates.forces.plate_share == pytest.approx(1.0, abs=0.025)  # of masses that were weighed
    assert on_plates.moments  # of the laboratory's own inverse dynamics
    assert all(one.rms_range < 0.15 for one in on_plates.moments)
    assert np.mean([row.covered for row in rows.values() if row.covered is not None]) > 0.85
    assert on_plates.motion.receipt.verdict == "ok"


def test_heel_strikes_are_within_8_ms_of_plates(data):
    """Without the QCMAS walk: its plates were filtered, so 20 N come too early there."""
    for name in ("sydney_walk03", "sydney_walk04", "sydney_walk05", "c3d_samples/newwalk"):
        trial = prepare_trial(read_recording(data / f"{name}.c3d"))
        strikes = trial.events
        for felt in (event for event in trial.plate_events if event.kind == "heel_strike"):
            own = [event.time_s for event in strikes if (event.kind, event.side) == (felt.kind, felt.side)]
            assert min(abs(time_s - felt.time_s) for time_s in own) < 0.008


def test_following_plates_gives_their_forces(followed):
    walk = followed
    measured = followed.forces.plates.wrench[..., :3]
    loaded = np.isfinite(measured).all(axis=2) & (measured[..., 2] > 20.0)
    np.testing.assert_allclose(walk.forces.loads.force_n[loaded], measured[loaded], atol=1e-6)
    total = walk.forces.plates.total
    known = np.isfinite(total).all(axis=1) & walk.forces.reported
    assert np.sqrt(np.mean((walk.forces.wrench[known, 2] - total[known, 2]) ** 2)) < 0.02 * 70.23 * WEIGHT
    assert any("followed" in note for note in walk.notes)
    assert walk.forces.plate_share == pytest.approx(1.0, abs=0.025)  # followed plates confirm the mass, too
    light = replace(walk.forces, plates=PlateForces(0.9 * walk.forces.plates.wrench, walk.forces.plates.rate_hz))
    assert any("is the mass 0.9" in note for note in light.notes)


def test_the_foot_beside_the_plates_carries_what_the_measured_one_does_not(data, captured_sydney):
    """One plate only: while both feet stand, forces still add up to what the movement needs, without jumps."""
    recording = read_recording(data / "sydney_walk04.c3d")
    on_one = replace(recording, plates=recording.plates[:1], moments_nm_kg={})
    walk = capture(on_one, subject=captured_sydney.fit.subject, use_plates=True)
    loads = walk.forces.loads
    is_measured = np.isfinite(walk.forces.plates.wrench[..., 2]) & (walk.forces.plates.wrench[..., 2] > 0.0)
    rows = loads.in_contact.all(axis=1) & (is_measured.sum(axis=1) == 1) & walk.forces.reported
    assert rows.sum() > 10
    total_n = loads.force_n[..., 2].sum(axis=1)
    rest_n = np.where(is_measured, 0.0, loads.force_n[..., 2]).max(axis=1)
    adds_up = rows & (rest_n > 0.0)  # elsewhere the plate alone measured more than the movement needs
    np.testing.assert_allclose(total_n[adds_up], walk.forces.wrench[adds_up, 2], atol=0.01 * 53.5 * WEIGHT)
    assert np.abs(total_n - walk.forces.wrench[:, 2])[rows].max() < 0.1 * 53.5 * WEIGHT
    assert total_n[walk.forces.reported].max() < 1.7 * 53.5 * WEIGHT
    assert total_n[walk.forces.reported].min() > 0.5 * 53.5 * WEIGHT


def test_plates_that_jump_are_refused_with_the_instant(data, captured_sydney):
    """A channel of a plate fails for 80 ms in mid-stance; those forces are not followed, and the notes say when."""
    recording = read_recording(data / "sydney_walk04.c3d")
    stance = next(one for one in captured_sydney.fit.trial.stances if one.lands and one.leaves)
    broken = []
    for plate in recording.plates:
        force_n = plate.force_n.copy()
        if plate.name == stance.plate:
            middle = round(0.5 * (stance.start_s + stance.stop_s) * plate.rate_hz)
            half = round(0.04 * plate.rate_hz)
            force_n[middle - half : middle] *= 2.2
            force_n[middle : middle + half] *= 0.3
        broken.append(replace(plate, force_n=force_n))
    walk = capture(
        replace(recording, plates=tuple(broken), moments_nm_kg={}), subject=captured_sydney.fit.subject, use_plates=True
    )
    assert any("body weights more or less than the movement requires" in note for note in walk.notes)
    total_n = walk.forces.loads.force_n[walk.forces.reported, :, 2].sum(axis=1)
    assert total_n.min() / (53.5 * WEIGHT) > 0.5
    assert total_n.max() / (53.5 * WEIGHT) < 1.7


def test_filtered_markers_are_recognised(data):
    """Raw markers show how hard the ground stops a heel, filtered ones do not."""
    filtered, raw = (read_recording(data / f"{name}.c3d") for name in ("sydney_walk03", "qcmas_walk"))
    assert 5.0 < filter_cutoff_hz(filtered) < 7.0
    assert filter_cutoff_hz(raw) is None
    soft, hard = (heel_deceleration_m_s2(trial.events, trial.paths) for trial in map(prepare_trial, (filtered, raw)))
    assert soft < DECELERATION_M_S2[0]
    assert hard > DECELERATION_M_S2[1]


def test_the_centre_of_mass_estimate_is_no_prior_near_unseen_markers(on_plates):
    """Angles jump there. Filtered markers have no noise that the estimate would reduce, so they get no prior at all."""
    found = on_plates.fit
    plain_n = on_plates.forces.baseline_n
    recording = found.trial.recording
    places = recording.markers_m.copy()
    places[60:70, : len(recording.marker_names) // 2] = np.nan
    lost = replace(found, trial=replace(found.trial, recording=replace(recording, markers_m=places)))
    known = np.isfinite(baseline_prior(lost, plain_n, is_filtered=False).wrench)
    assert known[:45, [0, 2]].any()
    assert not known[50:80].any()
    assert not known[:, [1, 3, 4, 5]].any()
    assert not np.isfinite(baseline_prior(found, plain_n, is_filtered=True).wrench).any()


def test_forces_are_filtered_like_the_plates_they_are_compared_with(data, followed):
    """The plates of the QCMAS walk have nothing above 7 Hz; those of the Sydney walks do."""
    forces = ground_forces(followed.fit, followed.robot, samples=0)
    assert 5.0 < forces.plates.bandwidth_hz < 9.0
    assert any("filtered at about" in note for note in forces.notes)
    assert prepare_trial(read_recording(data / "sydney_walk03.c3d")).stances
    step = np.repeat([0.0, 1.0], 100)
    raw = PlateForces(np.zeros((200, 2, 6)), 100.0)
    low = PlateForces(np.zeros((200, 2, 6)), 100.0, 6.0)
    np.testing.assert_array_equal(raw.as_filtered(step), step)
    assert np.diff(low.as_filtered(step)).max() < 0.3
    assert low.as_filtered(step)[-1] == pytest.approx(1.0, abs=1e-3)


def test_the_same_recording_gives_the_same_forces(captured_author):
    first = captured_author.forces
    second = ground_forces(captured_author.fit, captured_author.robot)
    np.testing.assert_array_equal(first.bands.foot_n, second.bands.foot_n)
    np.testing.assert_array_equal(first.torque_nm, second.torque_nm)


def test_feet_beside_a_plate_are_not_compared(data):
    """In the fourth Sydney walk the third step is half on a plate: its force is that of half a foot."""
    found = fit(read_recording(data / "sydney_walk04.c3d"), walking=True)
    robot = robot_of_subject(found.subject)
    prints = find_footprints(robot, found.motion.time_s, found.motion.qpos, found.trial.events, np.zeros(3))
    measured = plate_forces(found.trial, prints)
    third = (found.motion.time_s > 1.45) & (found.motion.time_s < 1.7)
    assert np.isnan(measured.wrench[third, 0]).all()


def test_agreement_is_of_known_figures():
    wave = np.sin(np.linspace(0.0, 12.0, 200))
    found = agreement("total", "up", 100.0 * wave + 5.0, 100.0 * wave, 500.0, np.full(200, 6.0))
    assert found.rms_weight == pytest.approx(0.01)
    assert found.correlation == pytest.approx(1.0)
    assert found.covered == 1.0
    assert agreement("total", "up", wave, np.full(200, np.nan), 500.0) is None


def test_plates_that_are_not_there_cannot_be_followed(captured_author, data):
    recording = read_recording(data / "felis_subject3_neutral.c3d")
    with pytest.raises(BadRecordingError, match="no whole foot stands on a force plate; leave out --use-plates"):
        capture(recording, height_m=1.86, mass_kg=75.0, use_plates=True)


def test_a_standing_trial_is_refused(data):
    recording = read_recording(data / "qcmas_static.c3d")
    with pytest.raises(BadRecordingError, match="walk"):
        capture(recording)


def test_a_refused_walk_is_returned_with_its_reasons(data):
    """Markers that jump by centimetres."""
    recording = read_recording(data / "qcmas_walk.c3d")
    shaken = recording.markers_m + np.random.default_rng(0).normal(scale=0.02, size=recording.markers_m.shape)
    walk = capture(replace(recording, markers_m=shaken))
    assert fit_figures(walk.fit)["marker_error_mean_mm"] > 20.0
    assert walk.motion.receipt.verdict == "refused"
    assert any("mm off on average" in reason.text for reason in walk.motion.receipt.reasons)
