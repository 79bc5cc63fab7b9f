"""Human drafts: what a walk was measured to show, how stops are told, and what is asked of the solver."""

from types import SimpleNamespace

import pytest

from strut.draft import Detail, Progress
from strut.errors import RefusedError, StoppedError
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.posture_targets import usual_step_s
from strut.human.request import HumanGait
from strut.human.synthesis import human_drafts
from strut.human.synthesis.human_drafts import HumanDrafts, shown_style, told_as_progress
from strut.human.table import human_gait
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME, STOPPED
from strut.receipt import Reason, ReasonKind
from strut.style import Style

LOOKS = SimpleNamespace(
    step_s=0.5,
    trunk_forward_rad=0.1,
    head_forward_rad=-0.05,
    elbow_rad=-0.02,
    shoulder_rad=0.2,
    arms_over_legs=0.8,
    rise_m=0.03,
)


def test_a_walk_shows_what_was_measured(heiman):
    usual = human_gait(heiman).speed_m_s.usual
    shown = shown_style(heiman, Style(tempo=1.2), speed_m_s=1.5, looks=LOOKS)
    assert shown.tempo == pytest.approx(usual_step_s(heiman) / 0.5)
    assert shown.tempo * shown.stride == pytest.approx(1.5 / usual)
    assert (shown.trunk_pitch_rad, shown.head_pitch_rad, shown.elbow_rad) == (0.1, -0.05, 0.0)
    assert (shown.shoulder_rad, shown.arm_swing, shown.direction) == (0.2, 0.8, 1)
    assert shown.bounce == pytest.approx(0.03 / usual_rise_m(heiman, 1.5))
    calm = shown_style(heiman, Style(), speed_m_s=1.5, looks=LOOKS)
    assert calm.tempo == 1.0


@pytest.mark.parametrize(("speed", "asked"), [(1.0, 1.0), (0.01, None), (9.0, None), (-1.0, None)])
def test_the_speed_of_a_style_is_asked_for_within_what_is_possible(heiman, monkeypatch, speed, asked):
    speeds = human_gait(heiman).speed_m_s
    calls = []
    monkeypatch.setattr(human_drafts, "synthesize", lambda robot, **options: calls.append(options))
    style = Style(stride=abs(speed), direction=1 if speed > 0 else -1)
    HumanDrafts(heiman, HumanGait(), 100.0)._gait(style)
    wanted = min(max(speed * speeds.usual, speeds.least), speeds.most)
    assert calls[0]["speed_m_s"] == pytest.approx(wanted)
    assert (wanted == pytest.approx(speeds.usual)) == (asked is not None)
    assert calls[0]["options"].style is style
    assert calls[0]["on_iteration"] is None


def test_iterations_are_told_as_progress_and_can_be_stopped():
    told = []
    step = SimpleNamespace(number=3, cost=1.5, violation=0.1, solve=2)
    assert told_as_progress(told.append)(step) is False
    assert told_as_progress(lambda progress: True)(step) is True
    assert told == [Progress(None, None, 3, 1.5, 0.1, 2)]


def failed(status):
    return NotSolvedError(status, "row", SimpleNamespace(status=status))


@pytest.mark.parametrize(("status", "error"), [(STOPPED, StoppedError), (OUT_OF_TIME, RefusedError)])
def test_who_is_stopped_or_out_of_time_does_not_go_on(heiman, monkeypatch, status, error):
    def never(self, style):
        raise failed(status)

    monkeypatch.setattr(HumanDrafts, "_gait", never)
    with pytest.raises(error):
        list(HumanDrafts(heiman, HumanGait(), 100.0).drafts(Style(), Detail()))


def test_a_walk_that_is_not_found_or_unsound_is_told(heiman, monkeypatch):
    def unsolved(self, style):
        raise failed("stuck")

    monkeypatch.setattr(HumanDrafts, "_gait", unsolved)
    (draft,) = HumanDrafts(heiman, HumanGait(), 100.0).drafts(Style(), Detail())
    assert draft.violations[0].limit == "solver"

    def unsound(self, style):
        raise RefusedError([Reason(ReasonKind.LIMIT, None, text) for text in ("it slides", "it sinks")], "advice")

    monkeypatch.setattr(HumanDrafts, "_gait", unsound)
    (draft,) = HumanDrafts(heiman, HumanGait(), 100.0).drafts(Style(), Detail())
    assert (draft.violations[0].limit, draft.violations[0].text) == ("soundness", "it slides; it sinks")


def test_a_draft_keeps_the_least_share_and_says_what_is_weak(heiman, monkeypatch):
    asked = []
    motion = SimpleNamespace(
        time_s=0, qpos=0, contact=0, torque_nm=1, ground_force_n=2, cop_in_world=3, meta={"a": 1},
        receipt=SimpleNamespace(soundness="sound"),
    )  # fmt: skip
    looks = SimpleNamespace(**vars(LOOKS), as_dict=lambda: {"x": 1.0})

    def made(*, steps, rate_hz):
        asked.append((steps, rate_hz))
        return motion

    gait = SimpleNamespace(speed_m_s=1.3, naturalness=looks, motion=made)
    monkeypatch.setattr(HumanDrafts, "_gait", lambda self, style: gait)
    shares = {"speed": 1.0, "arm_swing": 0.84, "trunk_pitch_rad": 0.86, "elbow_rad": 0.5}
    monkeypatch.setattr(human_drafts, "expressed_shares", lambda *_, **__: shares)
    (draft,) = HumanDrafts(heiman, HumanGait(cycles=3), 80.0).drafts(Style(), Detail())
    assert asked == [(6, 80.0)]
    assert draft.kept == 0.5
    assert [(reason.kind, reason.text) for reason in draft.reasons] == [
        ("not_expressed", "only 84 % of the requested change of arm swing"),
        ("not_expressed", "only 50 % of the requested change of elbow"),
    ]
    assert (draft.torque_nm, draft.ground_force_n, draft.cop_in_world) == (1, 2, 3)
    assert draft.figures["speed_m_s"] == 1.3
    assert draft.figures["naturalness"] == {"x": 1.0, **{f"shown_{word}": share for word, share in shares.items()}}
    assert draft.meta["shown"] == shares
    shares = {"speed": 1.2, "arm_swing": 0.86}
    (whole,) = HumanDrafts(heiman, HumanGait(cycles=3), 80.0).drafts(Style(), Detail())
    assert (whole.kept, whole.reasons) == (1.0, ())
