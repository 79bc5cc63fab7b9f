"""Contact detection on movements whose contacts are known because they are drawn."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadMotionError
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion
from strut.ocp.contact_detection import ContactCycle, check_samples, detect_phases, noise_of


def test_noise_is_measured_on_top_of_a_movement():
    rng = np.random.default_rng(0)
    time = np.arange(200) / 100.0
    noise = noise_of(np.sin(2.0 * np.pi * time)[:, None] * [1.0, 0.3] + rng.normal(size=(200, 2)) * [0.01, 0.002])
    assert_allclose(noise, [0.01, 0.002], rtol=0.25)


@pytest.fixture(scope="module")
def stamp(heiman):
    """Somebody stands on the right foot and lifts the left forefoot at 0.4 s, to land it at 0.9 s."""
    time_s = np.arange(0.0, 1.3, 0.01)
    q = np.zeros((130, 34))
    q[:, 2] = heiman.subject.standing_pelvis_height_m
    share = np.clip((time_s - 0.4) / 0.5, 0.0, 1.0)
    lift = 6.0 * share**3 * (1.0 - share)  # leaves without a jump of acceleration and arrives with a speed
    for name, rest, factor in (("HipLeft_RY", -0.2, -0.4), ("KneeLeft_RY", 0.4, 0.9), ("AnkleLeft_RY", 0.3, 0.0)):
        q[:, 6 + heiman.joint_names.index(name)] = rest + factor * lift
    none = np.zeros((130, 0), bool)
    return Motion("heiman", time_s, qpos_from_angles(q), heiman.joint_names, none, ())


@pytest.fixture
def cycle(heiman):
    return ContactCycle(("LeftForefootRightFlat", "RightFlat"), dict.fromkeys(heiman.contacts.point, 0.0))


def test_a_foot_is_seen_to_lift_off_and_to_land_where_its_path_breaks(heiman, stamp, cycle):
    seen = detect_phases(heiman, stamp, cycle)
    assert [phase.contact for phase in seen] == ["LeftForefootRightFlat", "RightFlat", "LeftForefootRightFlat"]
    assert 0.4 <= seen[1].start_s <= 0.45  # the first two millimetres of so gentle a lift are not seen
    assert seen[2].start_s == pytest.approx(0.9, abs=0.006)
    assert (seen[0].start_s, seen[2].stop_s) == (0.0, stamp.time_s[-1])


def test_contact_columns_are_believed_to_half_a_sample(heiman, stamp, cycle):
    names = ("HeelRight", "HalluxRight", "Meta5Right", "HalluxLeft", "Meta5Left")
    contact = np.ones((130, 5), bool)
    contact[(stamp.time_s > 0.444) & (stamp.time_s < 0.846), 3:] = False  # late at both ends
    seen = detect_phases(heiman, replace(stamp, contact=contact, foot_names=names), cycle)
    assert_allclose([phase.start_s for phase in seen], [0.0, 0.445, 0.845], atol=0.0051)
    contact[50, :] = False
    with pytest.raises(BadMotionError, match=r"At 0\.500 s nothing touches the ground"):
        detect_phases(heiman, replace(stamp, contact=contact, foot_names=names), cycle)


def test_samples_that_are_too_few_or_too_noisy_are_refused(heiman, stamp, cycle):
    noise = np.zeros_like(stamp.qpos)
    noise[:, 7:] = np.random.default_rng(0).normal(scale=np.radians(0.5), size=(130, 28))
    with pytest.raises(BadMotionError, match=r"0\.5 degrees of noise"):
        detect_phases(heiman, replace(stamp, qpos=stamp.qpos + noise), cycle)
    few = replace(stamp, time_s=stamp.time_s[:11], qpos=stamp.qpos[:11], contact=stamp.contact[:11])
    with pytest.raises(BadMotionError, match="11 samples are too few"):
        check_samples(few)


def test_the_first_contact_set_of_a_cycle_follows_the_last_and_strangers_follow_themselves():
    cycle = ContactCycle(("heel", "flat", "toe"), {})
    assert [cycle.following(name) for name in ("heel", "flat", "toe", "hand")] == ["flat", "toe", "heel", "hand"]
