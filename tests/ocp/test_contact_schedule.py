"""Phases of a recording: in order, without gaps, inside it, and true to its feet."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from strut.engines.contact_slip import contact_slip
from strut.errors import FileError, OutOfRangeError
from strut.kinematics.contact_set import contact_points, contact_set
from strut.models.catalogue import load_robot
from strut.ocp.contact_schedule import PhaseTime, check_phases, read_phases

HEIMAN = load_robot("heiman")


def standing(samples=41, rise_m=0.0):
    qpos = np.tile(HEIMAN.standing_qpos, (samples, 1))
    heights = contact_slip(HEIMAN, list(contact_points(HEIMAN).values()), qpos[:1])[1]
    qpos[:, 2] -= heights.min()
    qpos[:, 2] += rise_m
    return SimpleNamespace(time_s=2.0 + 0.01 * np.arange(samples), qpos=qpos)


def phase(contact="RightFlat", start_s=2.0, stop_s=2.4):
    return PhaseTime(contact, start_s, stop_s)


@pytest.mark.parametrize(
    ("phases", "sentence"),
    [
        ((), "There are no phases"),
        ((phase("Elbow"),), "no contact set 'Elbow'"),
        ((phase(stop_s=2.0149),), "at least 15 ms long"),
        ((phase(start_s=2.2, stop_s=2.1),), "at least 15 ms long"),
        ((phase(stop_s=2.2), phase("RightHeel", 2.2 + 1e-6, 2.4)), "leave a gap"),
        ((phase(stop_s=2.2), phase("RightHeel", 2.2 - 1e-6, 2.4)), "overlap"),
        ((phase(start_s=2.0 - 1e-6),), "but the motion from 2 to 2.4 s"),
        ((phase(stop_s=2.4 + 1e-6),), "but the motion from 2 to 2.4 s"),
    ],
)
def test_phases_that_do_not_fit_are_refused(phases, sentence):
    with pytest.raises(OutOfRangeError, match=sentence):
        check_phases(HEIMAN, standing(), phases, given=False)


@pytest.mark.parametrize(
    "phases",
    [
        (phase(stop_s=2.0151), phase("RightHeel", 2.0151, 2.4)),
        (phase(stop_s=2.2), phase("RightHeel", 2.2 + 1e-10, 2.4 + 1e-10)),
        (phase(start_s=2.0 - 1e-10),),
    ],
)
def test_phases_that_fit_are_returned(phases):
    assert check_phases(HEIMAN, standing(), phases, given=False) is phases


def points_of(name):
    return [point.name for point in contact_set(HEIMAN, name).points]


@pytest.mark.parametrize(("rise_m", "where"), [(0.08, "above"), (-0.12, "below")])
def test_a_foot_that_shall_touch_and_is_far_off_the_ground_is_reported(rise_m, where):
    with pytest.raises(OutOfRangeError, match=f"touches the ground, but at .* mm {where} it"):
        check_phases(HEIMAN, standing(rise_m=rise_m), (phase(),))


def test_heights_are_judged_from_three_centimetres_on_at_the_worst_sample():
    motion = standing()
    names = points_of("RightHeel")
    chosen = [contact_points(HEIMAN)[name] for name in names]
    heights = contact_slip(HEIMAN, chosen, motion.qpos[:1])[1][0]
    rise = 0.03 - heights.max()
    still = standing(2)
    for more, refused in ((-1e-4, False), (1e-4, True)):
        moved = replace_z(still, rise + more)
        if refused:
            with pytest.raises(OutOfRangeError, match="30 mm above it"):
                checked(moved)
        else:
            checked(moved)


def replace_z(motion, rise_m):
    qpos = motion.qpos.copy()
    qpos[:, 2] += rise_m
    return SimpleNamespace(time_s=np.array([2.0, 2.02]), qpos=qpos)


def checked(motion):
    return check_phases(HEIMAN, motion, (PhaseTime("RightHeel", 2.0, 2.02),))


def test_a_resting_point_that_is_not_named_is_reported():
    """Whoever stands on both feet and names one of them."""
    motion = standing()
    points = contact_points(HEIMAN)
    heights = contact_slip(HEIMAN, list(points.values()), motion.qpos[:1])[1][0]
    resting = [name for name, height in zip(points, heights, strict=True) if abs(height) < 0.002]
    left = [name for name in resting if name not in points_of("RightFlat")]
    assert left
    with pytest.raises(OutOfRangeError, match=r"does not name .* rests on the ground from 2\.000 to 2\.400 s"):
        check_phases(HEIMAN, motion, (phase(),))
    short = SimpleNamespace(time_s=motion.time_s[:8], qpos=motion.qpos[:8])  # less than 0.08 s is not yet rest
    assert check_phases(HEIMAN, short, (PhaseTime("RightFlat", 2.0, 2.07),))
    longer = SimpleNamespace(time_s=motion.time_s[:10], qpos=motion.qpos[:10])
    with pytest.raises(OutOfRangeError, match="does not name"):
        check_phases(HEIMAN, longer, (PhaseTime("RightFlat", 2.0, 2.09),))
    sliding = motion.qpos.copy()
    sliding[:, 0] += 0.06 * (motion.time_s - 2.0)  # faster than 5 cm/s
    assert check_phases(HEIMAN, SimpleNamespace(time_s=motion.time_s, qpos=sliding), (phase(),))
    creeping = motion.qpos.copy()
    creeping[:, 0] += 0.04 * (motion.time_s - 2.0)
    with pytest.raises(OutOfRangeError, match="does not name"):
        check_phases(HEIMAN, SimpleNamespace(time_s=motion.time_s, qpos=creeping), (phase(),))


def test_a_file_of_phases_is_read_and_its_errors_are_reported(tmp_path):
    path = tmp_path / "phases.json"
    path.write_text(json.dumps([{"set": "RightFlat", "start_s": 0.1, "stop_s": 0.5}]))
    assert read_phases(path) == (PhaseTime("RightFlat", 0.1, 0.5),)
    for text, words in (("[", "is not JSON"), ('[{"set": 1}]', "phases are a list such as")):
        path.write_text(text)
        with pytest.raises(FileError, match=words):
            read_phases(path)
    with pytest.raises(FileError, match="no such file"):
        read_phases(tmp_path / "none.json")
    with pytest.raises(FileError, match="is a folder"):
        read_phases(tmp_path)
