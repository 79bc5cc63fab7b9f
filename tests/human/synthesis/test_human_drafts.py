"""Human drafts: the measured style of a walk, how the solver is called, and what its failures become."""

from types import SimpleNamespace

import pytest

from strut.draft import Detail, Progress
from strut.errors import RefusedError, StoppedError
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.posture_costs import usual_step_s
from strut.human.request import HumanGait
from strut.human.synthesis import human_drafts
from strut.human.synthesis.human_drafts import HumanDrafts, measured_style
from strut.human.table import human_gait
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME, STOPPED, Iteration
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
    shown = measured_style(heiman, Style(tempo=1.2), speed_m_s=1.5, naturalness=LOOKS)
    assert shown.tempo == pytest.approx(usual_step_s(heiman) / 0.5)
    assert shown.tempo * shown.stride == pytest.approx(1.5 / usual)
    assert (shown.trunk_pitch_rad, shown.head_pitch_rad, shown.elbow_rad) == (0.1, -0.05, 0.0)
    assert (shown.shoulder_rad, shown.arm_swing, shown.direction) == (0.2, 0.8, 1)
    assert shown.bounce == pytest.approx(0.03 / usual_rise_m(heiman, 1.5))
    calm = measured_style(heiman, Style(), speed_m_s=1.5, naturalness=LOOKS)
    assert calm.tempo == 1.0


def drafts_of(heiman, monkeypatch, solve, *, task=None, rate_hz=100.0, style=None, on_progress=None):
    """The drafts of a style, with `solve` in the place of `synthesize`."""
    monkeypatch.setattr(human_drafts, "synthesize", solve)
    generator = HumanDrafts(heiman, task or HumanGait(), rate_hz, on_progress)
    return list(generator.drafts(style or Style(), Detail()))


def failing(failure):
    def solve(*_, **__):
        raise failure

    return solve


def not_solved(status):
    return NotSolvedError(status, "row", SimpleNamespace(status=status))


@pytest.mark.parametrize(("speed", "is_usual"), [(1.0, True), (0.01, False), (9.0, False), (-1.0, False)])
def test_the_speed_of_a_style_is_requested_within_the_range_of_the_model(heiman, monkeypatch, speed, is_usual):
    speeds = human_gait(heiman).speed_m_s
    calls = []

    def solve(_robot, **options):
        calls.append(options)
        raise not_solved("stuck")

    style = Style(stride=abs(speed), direction=1 if speed > 0 else -1)
    drafts_of(heiman, monkeypatch, solve, style=style)
    requested = min(max(speed * speeds.usual, speeds.min), speeds.max)
    assert calls[0]["speed_m_s"] == pytest.approx(requested)
    assert (requested == pytest.approx(speeds.usual)) == is_usual
    assert calls[0]["options"].style is style
    assert calls[0]["on_iteration"] is None


def test_iterations_are_passed_on_as_progress_and_can_be_stopped(heiman, monkeypatch):
    reports = []
    answers = []

    def solve(_robot, *, on_iteration, **_):
        answers.append(on_iteration(Iteration(3, 1.5, 0.1, "from solved gaits")))
        raise not_solved("stuck")

    drafts_of(heiman, monkeypatch, solve, on_progress=reports.append)
    drafts_of(heiman, monkeypatch, solve, on_progress=lambda _: True)
    assert answers == [False, True]
    assert reports == [Progress(None, None, 3, 1.5, 0.1, "from solved gaits")]


@pytest.mark.parametrize(("status", "error"), [(STOPPED, StoppedError), (OUT_OF_TIME, RefusedError)])
def test_a_stopped_solver_and_one_out_of_time_end_the_search(heiman, monkeypatch, status, error):
    with pytest.raises(error):
        drafts_of(heiman, monkeypatch, failing(not_solved(status)))


def test_a_walk_that_is_not_solved_or_not_sound_becomes_a_draft_with_the_reason(heiman, monkeypatch):
    (draft,) = drafts_of(heiman, monkeypatch, failing(not_solved("stuck")))
    assert draft.violations[0].limit == "solver"
    reasons = [Reason(ReasonKind.LIMIT, None, text) for text in ("it slides", "it sinks")]
    (draft,) = drafts_of(heiman, monkeypatch, failing(RefusedError(reasons, "advice")))
    assert (draft.violations[0].limit, draft.violations[0].text) == ("soundness", "it slides; it sinks")


def test_a_draft_reports_the_smallest_share_and_names_the_weak_parameters(heiman, monkeypatch):
    """Half of the lean of the trunk and 80 % of the arm swing, of the usual gait of a style that asks for more."""
    style = Style(trunk_pitch_rad=0.2, arm_swing=0.5, elbow_rad=0.3)
    neutral = heiman.expression.neutral_style()
    measured = SimpleNamespace(
        step_s=usual_step_s(heiman),
        trunk_forward_rad=0.5 * style.trunk_pitch_rad,
        head_forward_rad=0.0,
        elbow_rad=style.elbow_rad,
        shoulder_rad=0.0,
        arms_over_legs=neutral.arm_swing + 0.8 * (style.arm_swing - neutral.arm_swing),
        rise_m=usual_rise_m(heiman, human_gait(heiman).speed_m_s.usual),
        as_dict=lambda: {"x": 1.0},
    )
    calls = []

    def motion(*, steps, rate_hz):
        calls.append((steps, rate_hz))
        return SimpleNamespace(
            time_s=0, qpos=0, contact=0, torque_nm=1, ground_force_n=2, cop_in_world=3, meta={"a": 1},
            receipt=SimpleNamespace(soundness="sound"),
        )  # fmt: skip

    gait = SimpleNamespace(speed_m_s=human_gait(heiman).speed_m_s.usual, naturalness=measured, motion=motion)
    task = HumanGait(cycles=3)
    (draft,) = drafts_of(heiman, monkeypatch, lambda *_, **__: gait, task=task, rate_hz=80.0, style=style)
    assert calls == [(6, 80.0)]
    assert draft.kept == pytest.approx(0.5)
    assert {(reason.kind, reason.text) for reason in draft.reasons} == {
        ("not_expressed", "only 50 % of the requested change of trunk pitch"),
        ("not_expressed", "only 80 % of the requested change of arm swing"),
    }
    assert (draft.torque_nm, draft.ground_force_n, draft.cop_in_world) == (1, 2, 3)
    assert draft.figures["speed_m_s"] == gait.speed_m_s
    shares = draft.meta["shown"]
    assert draft.figures["naturalness"] == {"x": 1.0, **{f"shown_{name}": share for name, share in shares.items()}}
    measured.trunk_forward_rad = 0.86 * style.trunk_pitch_rad
    measured.arms_over_legs = style.arm_swing
    (whole,) = drafts_of(heiman, monkeypatch, lambda *_, **__: gait, task=task, style=style)
    assert (whole.kept, whole.reasons) == (1.0, ())
