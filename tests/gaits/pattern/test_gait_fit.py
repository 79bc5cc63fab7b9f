"""Gait fit: which changes of a biped's gait are tried and kept, by judges of our own."""

import tomllib
from dataclasses import replace

import msgspec
import pytest

import strut
from strut.gaits.pattern.gait_fit import (
    MAX_SLOW_USE,
    SLOW_LIFT,
    DraftJudge,
    Utilisation,
    fit_gait,
    format_gait_toml,
)
from strut.gaits.pattern.single_support import MAX_USE_TO_WALK, hardest_on_one_leg
from strut.gaits.pattern.table import PatternTable
from tests.adoption.small_robots import biped, import_robot, quadruped


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


class ScriptedJudge:
    """Returns given utilisations one after the other, and records the gaits that were tried."""

    def __init__(self, utilisations):
        self.utilisations = iter(utilisations)
        self.tried = []

    def utilisation(self, robot):
        self.tried.append(robot.gait_as(PatternTable))
        return next(self.utilisations)

    def first_violation(self, _robot):
        return "knee"


def fit_with(robot, utilisations, on_share=lambda share: None):
    """Return the fit with a scripted judge, and the gaits that were tried."""
    judge = ScriptedJudge(utilisations)
    return fit_gait(robot, on_share, judge), judge.tried


def test_a_gait_with_reserve_is_not_changed(robot):
    usual = Utilisation(0, 0, 0.88)
    fit, tried = fit_with(robot, [usual])
    assert fit.gait == tried[0] == robot.gait_as(PatternTable)
    assert (fit.usual_utilisation, fit.utilisation, len(tried)) == (usual, usual, 1)
    assert (fit.findings, fit.assumptions) == ([], [])


def test_changes_are_tried_in_order_and_kept_if_they_gain_enough(robot):
    utilisations = [
        Utilisation(0, 0, 1.20),
        Utilisation(0, 0, 1.19),  # narrower: gains too little
        Utilisation(0, 0, 1.10),  # shorter and quicker: kept
        Utilisation(1, 0, 0.50),  # longer and slower: breaks another limit
        Utilisation(0, 0, 1.00),  # lower steps: kept, and no limit is broken, so the speed is kept
    ]
    fit, tried = fit_with(robot, utilisations)
    usual = robot.gait_as(PatternTable)
    assert [gait.width / usual.width for gait in tried] == pytest.approx([1.0, 0.8, 1.0, 1.0, 1.0])
    assert [gait.period / usual.period for gait in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8])
    assert [gait.stride / usual.stride for gait in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8])
    assert [gait.lift / usual.lift for gait in tried] == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.6])
    assert (fit.gait, fit.speed_share) == (tried[4], 1.0)
    assert (fit.usual_utilisation.use, fit.utilisation.use) == (1.20, 1.00)
    (finding,) = fit.findings
    assert "uses 100 % of a torque limit" in finding
    assert "instead of 120 %: step time x 0.8, step length x 0.8, lift x 0.6." in finding


EASY = Utilisation(0, 0, MAX_SLOW_USE)
HARD = Utilisation(0, 0, MAX_SLOW_USE + 0.01)


def speed_shares(gaits, usual):
    return [gait.stride / gait.period / (usual.stride / usual.period) for gait in gaits]


def test_a_robot_too_weak_for_its_speed_walks_at_the_largest_feasible_share_of_it(robot):
    shares = []
    fit, tried = fit_with(robot, [Utilisation(0, 0, 1.5), *[None] * 4, EASY, EASY, None, HARD, None], shares.append)
    usual = robot.gait_as(PatternTable)
    assert shares == [0.5, 0.7, 0.85]
    assert speed_shares(tried[5:], usual) == pytest.approx([0.5, 0.7, 0.85, 0.85, 0.85])
    assert tried[5].period / usual.period == pytest.approx(0.5**-0.5)  # half by slower, half by shorter steps
    assert [gait.stride / usual.stride for gait in tried[8:]] == pytest.approx([1.0, 0.85])  # slower or shorter alone
    assert {gait.lift / usual.lift for gait in tried[5:]} == {SLOW_LIFT}
    assert (fit.speed_share, fit.utilisation, fit.usual_utilisation.use) == (0.7, EASY, 1.5)
    assert speed_shares([fit.gait], usual) == pytest.approx([0.7])
    assert fit.gait.slow_because == "knee"
    assert fit.assumptions == ["it walks at 70 % of the usual speed, which would break a limit (knee)."]


@pytest.mark.parametrize("usual", [None, Utilisation(2, 0, 0.9), Utilisation(0, 0, 1.01)])
def test_a_robot_too_weak_for_half_its_speed_is_tried_at_less_and_then_not_changed(robot, usual):
    changes = [None] * 4 if usual is not None and usual.others < 2 else []
    fit, tried = fit_with(robot, [usual, *changes, *[HARD] * 3, *[None] * 3, None, EASY])
    assert speed_shares(tried[-8:], robot.gait_as(PatternTable)) == pytest.approx([0.5] * 3 + [0.35] * 3 + [0.25] * 2)
    assert (fit.speed_share, fit.gait.slow_because) == (0.25, "knee")
    fit, tried = fit_with(robot, [usual, *changes, *[Utilisation(1, 0, 0.1)] * 9, None, None])
    assert (fit.gait, fit.speed_share) == (robot.gait_as(PatternTable), 1.0)


def test_if_no_share_is_feasible_slow_steps_that_are_less_hard_are_kept(robot):
    less_hard = Utilisation(0, 0, 1.2)
    fit, tried = fit_with(robot, [Utilisation(0, 0, 1.5), *[None] * 4, *[HARD] * 9, less_hard, None])
    assert (fit.gait.period, fit.gait.stride) == (tried[-2].period, tried[-2].stride)
    assert (fit.speed_share, fit.utilisation) == (pytest.approx(0.5), less_hard)


def test_shorter_steps_count_before_use_and_enough_reserve_ends_the_search(robot):
    utilisations = [Utilisation(0, 1, 0.5), Utilisation(0, 0, 0.88)]
    fit, tried = fit_with(robot, utilisations)
    assert len(tried) == 2
    assert fit.utilisation == utilisations[1]
    _, tried = fit_with(robot, [Utilisation(0, 0, 0.89), *[None] * 4])
    assert len(tried) == 5


def test_a_robot_that_cannot_stand_on_one_leg_is_denied(robot):
    weakest_use = hardest_on_one_leg(robot).use
    for use, is_denied in ((MAX_USE_TO_WALK + 0.01, True), (MAX_USE_TO_WALK - 0.01, False)):
        weak = replace(robot, torque_limit_nm=robot.torque_limit_nm * weakest_use / use)
        fit, tried = fit_with(weak, [] if is_denied else [EASY._replace(use=0.1)])
        assert (len(tried), bool(fit.denied)) == (0 if is_denied else 1, is_denied)
        if is_denied:
            assert "126 %" in fit.denied
            assert fit.denied.endswith("correct torque_nm in robot.toml if the file is wrong")


def test_a_robot_on_two_balls_is_denied(robot):
    feet = tuple(replace(foot, points=foot.points[:1]) for foot in robot.feet)
    fit, tried = fit_with(replace(robot, feet=feet), [])
    assert tried == []
    assert fit.denied.startswith("it stands on two balls")


def test_quadrupeds_keep_their_gait(tmp_path):
    robot = import_robot(quadruped(), tmp_path)[0]
    fit, tried = fit_with(robot, [])
    assert (tried, fit.gait, fit.usual_utilisation) == ([], robot.gait_as(PatternTable), None)


def test_the_use_is_the_largest_share_of_a_torque_limit_a_joint_speed_limit_or_the_friction(robot):
    """Near the torque use in the receipt of a walk; limits become as many times more used as they become smaller."""
    judge = DraftJudge()
    usual = judge.utilisation(robot)
    receipt = strut.walk(robot, "neutral", cycles=5).receipt
    assert usual.use == pytest.approx(max(receipt.torque_use, receipt.joint_speed_use), rel=0.1)
    for limit in ("torque_limit_nm", "joint_speed_limit_rad_s", "friction"):
        uses = [judge.utilisation(replace(robot, **{limit: getattr(robot, limit) / factor})) for factor in (1e3, 2e3)]
        assert uses[1].use == pytest.approx(2.0 * uses[0].use, rel=0.01)
        assert uses[0].use > usual.use
        assert uses[0].others == usual.others  # these three limits are not counted among the others


def test_a_gait_out_of_reach_has_no_utilisation(robot):
    gait = msgspec.structs.replace(robot.gait_as(PatternTable), stride=20.0)
    assert DraftJudge().utilisation(replace(robot, tables=replace(robot.tables, gait=gait))) is None


def test_the_reason_of_a_slow_gait_is_written_in_any_script():
    reason = 'the joint "𠀋" is weak'
    toml = format_gait_toml(PatternTable(gait="biped", slow_because=reason))
    assert tomllib.loads(toml)["slow_because"] == reason
