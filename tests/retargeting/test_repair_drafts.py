"""Repair drafts: the reference for whole-body tracking, and the draft made of its solution."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation.whole_body_tracking import SPARE_M
from strut.draft import Detail
from strut.engines.rigid_body import foot_contact_points
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.ocp.reduced_model import ReducedModel
from strut.retargeting import repair_drafts
from strut.retargeting.repair_drafts import RepairDrafts
from strut.style import Style
from tests.alice import ALICE


def moved(duration_s=2.0, rate_hz=50.0, *, contact=True, start_s=3.0, rise=None):
    time_s = start_s + np.arange(round(duration_s * rate_hz) + 1) / rate_hz
    qpos = np.tile(ALICE.standing_qpos, (len(time_s), 1))
    if rise is not None:
        qpos[:, 2] += rise(time_s - start_s)
    down = np.full((len(time_s), 2), contact)
    return Motion("alice", time_s, qpos, ALICE.joint_names, down, ALICE.foot_names)


@pytest.fixture
def references(monkeypatch):
    """Record the references of a solver that finds no solution."""
    recorded = []

    def unsolved(reference):
        recorded.append(reference)
        return SimpleNamespace(solved=False)

    monkeypatch.setattr(repair_drafts, "track_motion", unsolved)
    return recorded


def test_keyframes_are_a_second_apart_and_margins_increase(references):
    motion = moved(2.6)
    drafts = list(RepairDrafts(ALICE, motion, 0.01, 50.0).drafts(Style(), Detail()))
    assert [reference.margin_m for reference in references] == pytest.approx(
        [0.01 + SPARE_M + more for more in (0.0, 0.006, 0.014)]
    )
    assert references[0].frame_s == pytest.approx(0.04)
    assert references[0].q.shape[0] == references[0].contact.shape[0] == 66
    assert references[0].key.tolist() == [0, 25, 50, 65]
    body = ReducedModel(ALICE)
    assert_allclose(references[0].q[10], body.coordinates(motion.qpos)[20], atol=1e-9)
    assert all("no movement" in draft.violations[0].text for draft in drafts)
    references.clear()
    list(RepairDrafts(ALICE, moved(2.4), 0.01, 50.0).drafts(Style(), Detail()))
    assert references[0].key.tolist() == [0, 25, 60]  # an end nearer than half a second replaces a keyframe


def test_no_frame_is_after_the_end_of_a_motion(references):
    list(RepairDrafts(ALICE, moved(2.638, 500.0), 0.01, 50.0).drafts(Style(), Detail()))
    assert references[0].q.shape[0] == 66  # the last of them at 2.6 s


@pytest.mark.parametrize(("duration_s", "refused"), [(0.06, True), (0.08, False), (60.0, False), (60.1, True)])
def test_motions_from_two_frames_to_a_minute_are_repaired(references, duration_s, refused):
    drafts = RepairDrafts(ALICE, moved(duration_s, 50.0), 0.01, 50.0).drafts(Style(), Detail())
    if refused:
        with pytest.raises(OutOfRangeError, match=r"from 0\.08 to 60 s"):
            next(iter(drafts))
    else:
        assert next(iter(drafts)).violations
    pepper = load_robot("pepper")
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        next(iter(RepairDrafts(pepper, moved(), 0.01, 50.0).drafts(Style(), Detail())))


def test_contacts_are_those_of_the_motion_at_the_next_sample(references):
    motion = moved(0.4)
    contact = np.zeros((len(motion.time_s), 2), dtype=bool)
    contact[:9, 0] = contact[12:, 1] = True
    next(iter(RepairDrafts(ALICE, replace(motion, contact=contact), 0.01, 50.0).drafts(Style(), Detail())))
    frames = range(11)
    assert references[0].contact[:, 0].tolist() == [k * 2 < 9 for k in frames]
    assert references[0].contact[:, 1].tolist() == [k * 2 >= 12 for k in frames]


def test_low_and_slow_feet_of_a_motion_without_contacts_are_on_the_ground(references):
    """Raised by a centimetre for a while: high feet are not on the ground, nor are those that move fast."""
    frames = np.arange(26)
    height = np.where((frames >= 10) & (frames < 16), 0.01, 0.0)
    height[9] = height[16] = 0.0045  # low, but moving
    motion = moved(1.0, 25.0, contact=False)
    qpos = motion.qpos.copy()
    qpos[:, 2] += height
    assert np.ptp(foot_contact_points(ALICE, qpos)[..., 2][0]) < 1e-6
    next(iter(RepairDrafts(ALICE, replace(motion, qpos=qpos), 0.01, 25.0).drafts(Style(), Detail())))
    expected = [k < 8 or k > 17 or (11 <= k <= 14 and height[k] < 0.005) for k in frames]
    assert references[0].contact[:, 0].tolist() == references[0].contact[:, 1].tolist() == expected


def test_a_solution_is_sampled_to_its_end_with_reasons_where_it_is_slower(monkeypatch):
    motion = moved(2.0)
    contact = motion.contact.copy()
    contact[41:60, 1] = False  # in the frames 21 to 29, which become 60 ms apart
    motion = replace(motion, contact=contact)

    def tracked(given):
        frames = 1.5 * np.arange(len(given.q)) / 25.0

        def at(time_s):
            return np.tile(given.q[0], (len(time_s), 1)), None

        return SimpleNamespace(
            solved=True, frame_time_s=frames, at=at, at_frames=lambda: given.q, stretch=np.array([1.5, 1.5]),
            reason=lambda interval: f"reason {interval}",
        )  # fmt: skip

    monkeypatch.setattr(repair_drafts, "track_motion", tracked)
    draft = next(iter(RepairDrafts(ALICE, motion, 0.01, 40.0).drafts(Style(), Detail())))
    assert draft.time_s[-1] == pytest.approx(3.0)
    assert_allclose(np.diff(draft.time_s), 0.025)
    assert draft.contact[:, 0].all()
    lifted_s = draft.time_s[~draft.contact[:, 1]]  # from the last frame on the ground to the next one
    assert (lifted_s[0], lifted_s[-1]) == (pytest.approx(20 * 0.06), pytest.approx(30 * 0.06 - 0.025))
    assert draft.meta["repair"]["duration_s"] == pytest.approx(3.0)
    assert draft.meta["repair"]["method"] == "body"
    assert len(draft.reasons) == 2
    assert "takes 1.50 times as long, because reason 0" in draft.reasons[0].text
