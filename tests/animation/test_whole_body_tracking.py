"""What is asked of the whole body for a drawing, and what is made of what comes back."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation import whole_body_tracking
from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.ocp.reduced_model import ReducedModel
from tests.alice import ALICE
from tests.stories import alice_sways


@pytest.mark.parametrize("pieces", [None, 4])
def test_a_drawing_is_asked_for_with_a_spare_margin_and_shown_to_its_last_sample(monkeypatch, pieces):
    animation = alice_sways()
    stance = planted_stance(ALICE, animation)
    frames = sample_keyframes(animation, ALICE.foot_names, ALICE.joint_names)
    raw = solve_frames(stance, frames)
    asked = []

    def near(given, window_intervals):
        def at(time_s):
            asked.append(time_s)
            return np.tile(given.q[3], (len(time_s), 1)), None

        asked.append((given, window_intervals))
        shown_s = 1.213 * np.arange(len(given.q)) / 25.0
        return SimpleNamespace(
            frame_time_s=shown_s, at=at, at_frames=lambda: given.q, stretch=np.full(len(given.key) - 1, 1.213),
            reason=lambda interval: f"reason {interval}", solved=True, parts=(1, 2),
        )  # fmt: skip

    monkeypatch.setattr(whole_body_tracking, "track_motion", near)
    story = whole_body_tracking.track_whole_body(
        stance, frames, raw, margin_m=0.01, rate_hz=30.0, window_intervals=pieces
    )
    (given, window_intervals), times = asked
    assert window_intervals == pieces
    assert given.margin_m == pytest.approx(0.01 + whole_body_tracking.SPARE_M)
    assert given.frame_s == pytest.approx(0.04)
    assert_allclose(given.q, ReducedModel(ALICE).coordinates(raw))
    end_s = 1.213 * (len(raw) - 1) / 25.0
    assert (times[0], times[-1]) == (0.0, pytest.approx(end_s))  # what was found is shown whole
    assert 0.0 <= story.time_s[-1] - end_s < 1.0 / 30.0
    assert_allclose(np.diff(story.time_s), 1.0 / 30.0)
    assert_allclose(story.frame_qpos, raw, atol=1e-9)
    assert (story.rounds, story.solved, story.why[0]) == (2, True, "reason 0")
    assert story.contact.shape == (len(story.time_s), 2)
    assert len(story.eyes) == len(story.time_s)
