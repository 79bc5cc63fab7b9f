"""What a person would notice in a step, on hand-made curves."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.contact_slip import contact_slip
from strut.errors import BadMotionError
from strut.human.analysis.naturalness import Naturalness, naturalness, odd_scores
from strut.human.analysis.walk_figures import pelvis_angles
from strut.human.table import human_gait
from strut.kinematics.contact_set import contact_points
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles

PHASES = (9, 7, 5, 3)  # samples


@pytest.fixture(scope="module")
def step(heiman):
    """A step of four phases whose coordinates are sines of different speeds; its forces are known."""
    names = ["Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names]
    total = sum(PHASES)
    time_s = np.linspace(0.0, 0.6, total)
    own = np.arange(len(names))
    q = 0.2 * np.sin(3.0 * time_s[:, None] * (1.0 + 0.1 * own) + own)
    q[:, :3] = np.column_stack([1.3 * time_s, 0.0 * time_s, 0.95 + 0.02 * np.sin(9.0 * time_s)])
    force = np.random.default_rng(0).uniform(10.0, 400.0, (total, 3))
    rows = (SimpleNamespace(axis=0), SimpleNamespace(axis=2), SimpleNamespace(axis=2))
    borders = np.cumsum((0, *PHASES))

    def between(phase, per_interval):
        assert per_interval == 4
        part = slice(borders[phase], borders[phase + 1])
        return time_s[part], q[part], None, None, force[part]

    problem = SimpleNamespace(
        tree=SimpleNamespace(velocity_names=tuple(names)), phases=(None,) * 4, contact=SimpleNamespace(rows=rows)
    )
    path = SimpleNamespace(problem=problem, between=between, q=q, time_s=time_s)
    return path, names, force, borders


def test_figures_of_a_step_are_those_of_its_curves(heiman, step):
    path, names, force, borders = step
    q = path.q
    time_s = path.time_s
    scores = {"a": SimpleNamespace(z=1.9), "b": SimpleNamespace(z=-2.1), "c": SimpleNamespace(z=0.3)}
    looks = naturalness(heiman, path, scores)
    at = names.index
    mirror = mirror_of(heiman, names)
    stride = np.concatenate([q, mirror.image(q)])
    assert looks.mirror_error_rad == pytest.approx(np.abs(mirror.image(q[-1]) - q[0])[3:].max())
    assert looks.stance_knee_rad == pytest.approx(q[: borders[1], at("KneeRight_RY")].max())
    assert looks.swing_knee_rad == pytest.approx(q[: borders[2], at("KneeLeft_RY")].max())
    assert looks.strike_knee_rad == pytest.approx(q[borders[2] - 1, at("KneeLeft_RY")])
    arm = stride[:, at("ShoulderRight_RY")]
    leg = stride[:, at("HipRight_RY")]
    assert looks.arm_swing_rad == pytest.approx(np.ptp(arm))
    assert looks.arm_against_leg == pytest.approx(np.corrcoef(arm, leg)[0, 1])
    turns = [np.abs(q[:, at(name)]).max() for name in ("HipRight_RZ", "HipLeft_RZ", "AnkleRight_RZ", "AnkleLeft_RZ")]
    assert looks.leg_turn_rad == pytest.approx(max(turns))
    tilt, roll, turn = pelvis_angles(heiman, qpos_from_angles(stride))
    found = (looks.pelvis_pitch_rad, looks.pelvis_roll_rad, looks.pelvis_turn_rad)
    assert found == pytest.approx((np.ptp(tilt), np.ptp(roll), np.ptp(turn)))
    assert looks.min_load == pytest.approx((force[:, 1] + force[:, 2]).min() / (heiman.mass_kg * 9.81))
    assert looks.step_s == pytest.approx(0.6)
    shoulders = np.abs(q[:, at("ShoulderRight_RY")] - q[:, at("ShoulderLeft_RY")]).max()
    hips = np.abs(q[:, at("HipRight_RY")] - q[:, at("HipLeft_RY")]).max()
    assert looks.arms_over_legs == pytest.approx(shoulders / hips)
    assert (looks.bands_judged, looks.bands_near, looks.bands_worst_sd) == (3, 2, pytest.approx(2.1))

    def mean(name):
        return np.trapezoid(q[:, at(name)], time_s) / 0.6

    assert looks.elbow_rad == pytest.approx(-(mean("ElbowRight_RY") + mean("ElbowLeft_RY")) / 2.0)
    assert looks.shoulder_rad == pytest.approx((mean("ShoulderLeft_RX") - mean("ShoulderRight_RX")) / 2.0)
    bare = naturalness(heiman, path)
    assert (bare.bands_judged, bare.bands_near, bare.bands_worst_sd) == (0, 0, None)


def test_clearance_is_the_least_height_within_shares_of_the_swing(heiman, step):
    path, _, _, borders = step
    qpos = qpos_from_angles(path.q[: borders[2]])
    time_s = path.time_s[: borders[2]]
    share = time_s / time_s[-1]
    points = contact_points(heiman)
    looks = naturalness(heiman, path)
    for found, parts, (low, high) in (
        (looks.toe_clearance_m, ("HalluxLeft", "Meta5Left"), (0.3, 0.9)),
        (looks.heel_clearance_m, ("HeelLeft",), (0.3, 0.8)),
    ):
        heights = contact_slip(heiman, [points[part] for part in parts], qpos)[1]
        inside = (share >= low) & (share <= high)
        assert found == pytest.approx(heights[inside].min())

    def between_later(phase, per_interval):
        now_s, *others = path.between(phase, per_interval)
        return 5.0 + now_s, *others

    later = naturalness(heiman, SimpleNamespace(**vars(path) | {"between": between_later}))
    found = (later.toe_clearance_m, later.heel_clearance_m)
    assert found == pytest.approx((looks.toe_clearance_m, looks.heel_clearance_m))


def test_oddities_are_beyond_the_ranges_of_the_table(heiman, step):
    looks = naturalness(heiman, step[0])
    name, entry = next(iter(human_gait(heiman).natural.items()))
    least, most = entry.range
    for value, odd in ((least, False), (most, False), (least - 1e-6, True), (most + 1e-6, True)):
        changed = Naturalness.from_dict(looks.as_dict() | {name: value})
        assert any(entry.words in words for words in changed.oddities(heiman)) is odd
    said = looks.summary()
    assert f"{round(float(np.degrees(looks.stance_knee_rad)))}°" in said
    assert f"lifts its toes by {1e3 * looks.toe_clearance_m:.0f} mm" in said
    with pytest.raises(BadMotionError, match="step_s"):
        Naturalness.from_dict({key: value for key, value in looks.as_dict().items() if key != "step_s"})


def test_figures_beyond_four_deviations_are_odd():
    scores = {
        str(z): SimpleNamespace(words=f"figure {z}", value=1.234567, mean=2.0, sd=0.5, z=z)
        for z in (3.9, -4.1, 4.2, 0.0)
    }
    assert odd_scores(scores) == ["figure -4.1 is 1.23, people's 2 ± 0.5", "figure 4.2 is 1.23, people's 2 ± 0.5"]


def test_trunk_and_head_lean_by_their_means_over_time_whenever_the_step_begins(heiman, step):
    """A trunk that bends for a quarter of the time leans by a quarter of that; the head counts from the trunk."""
    path, names, *_ = step
    total = sum(PHASES)
    time_s = 5.0 + np.concatenate([np.linspace(0.0, 0.15, 13), np.linspace(0.16, 0.6, total - 13)])
    q = np.zeros((total, len(names)))
    q[:, 2] = 0.9 + 0.03 * np.sin(np.linspace(0.0, np.pi, total))
    q[:, [names.index(f"{joint}Right_RY") for joint in ("Hip", "Shoulder")]] = 0.004 * np.sin(time_s)[:, None]
    bent = np.clip((5.155 - time_s) * 100.0, 0.0, 1.0)
    q[:, names.index("Lumbar_RY")] = 0.4 * bent
    q[:, names.index("Head_RY")] = 0.2 * bent
    borders = np.cumsum((0, *PHASES))

    def between(phase, per_interval):
        part = slice(borders[phase], borders[phase + 1])
        return time_s[part], q[part], None, None, path.between(phase, per_interval)[4]

    looks = naturalness(heiman, SimpleNamespace(**vars(path) | {"between": between, "q": q, "time_s": time_s}))
    assert looks.trunk_forward_rad == pytest.approx(0.4 * np.trapezoid(bent, time_s) / 0.6)
    assert looks.head_forward_rad == pytest.approx(0.2 * np.trapezoid(bent, time_s) / 0.6)
    mass = centre_of_mass_path(heiman.model, qpos_from_angles(q))[:, 2]
    assert looks.rise_m == pytest.approx(np.ptp(mass))
    assert 0.03 < looks.rise_m < 0.05
    assert looks.summary().startswith(
        "stands on a knee bent by 0°, swings a knee bent by 0°, swings its arms by 0°, leans by "
    )


def test_figures_of_older_files_may_lack_bands_alone(heiman, step):
    table = naturalness(heiman, step[0]).as_dict()
    older = {key: value for key, value in table.items() if not key.startswith("bands")} | {"of_another_time": 1.0}
    assert (Naturalness.from_dict(older).bands_judged, Naturalness.from_dict(older).bands_worst_sd) == (0, None)


def test_an_unusual_figure_is_reported_in_a_readable_unit(heiman, step):
    looks = Naturalness.from_dict(naturalness(heiman, step[0]).as_dict() | {"toe_clearance_m": 0.2})
    (said,) = (words for words in looks.oddities(heiman) if "passing toes" in words)
    assert said == "the height of the passing toes, in mm, is 200, people's 8 to 120"


@pytest.mark.parametrize(("coordinate", "counts"), [("Pelvis_RY", True), ("Head_RZ", True), ("Pelvis_TZ", False)])
def test_a_step_repeats_in_all_its_angles_but_not_in_its_place(heiman, step, coordinate, counts):
    path, names, *_ = step
    q = path.q.copy()
    q[-1, names.index(coordinate)] += 3.0
    found = naturalness(heiman, SimpleNamespace(**vars(path) | {"q": q})).mirror_error_rad
    assert (found > 2.0) is counts


def test_receipts_of_older_files_call_the_smallest_load_by_its_old_name(heiman, step):
    features = naturalness(heiman, step[0]).as_dict()
    older = {("least_load" if name == "min_load" else name): value for name, value in features.items()}
    assert Naturalness.from_dict(older).as_dict() == features
