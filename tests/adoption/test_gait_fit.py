"""Gaits fitted to motors: which changes are tried and kept, by uses of our own."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.adoption import gait_fit
from strut.adoption.gait_fit import Utilisation, fitted_gait
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.single_support import DENIED, HardestJoint
from strut.gaits.pattern.table import PatternTable
from tests.adoption.small_robots import biped, found, quadruped


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return found(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


def fitted(robot, monkeypatch, uses, on_share=lambda share: None):
    """Return what was fitted, and the gaits that were tried, when these are their uses."""
    tried = []
    rest = iter(uses)

    def used(body):
        tried.append(body.gait_as(PatternTable))
        return next(rest)

    monkeypatch.setattr(gait_fit, "_utilisation", used)
    monkeypatch.setattr(gait_fit, "_why_not", lambda body: "knee")
    return fitted_gait(robot, on_share), tried


def test_a_gait_with_reserve_is_left_as_it_is(robot, monkeypatch):
    usual = Utilisation(0, 0, 0.88)
    fit, tried = fitted(robot, monkeypatch, [usual])
    assert fit.gait == tried[0] == robot.gait_as(PatternTable)
    assert (fit.before, fit.now, len(tried)) == (usual, usual, 1)


def test_changes_are_tried_in_turn_and_kept_where_they_spare_enough(robot, monkeypatch):
    uses = [
        Utilisation(0, 0, 1.20),
        Utilisation(0, 0, 1.19),  # narrower: spares too little
        Utilisation(0, 0, 1.10),  # shorter and quicker: kept
        Utilisation(1, 0, 0.50),  # breaks another limit
        Utilisation(0, 0, 1.00),  # lower feet: kept, and it keeps its limits: its speed stays
    ]
    fit, tried = fitted(robot, monkeypatch, uses)
    own = robot.gait_as(PatternTable)
    assert [one.width / own.width for one in tried] == pytest.approx([1.0, 0.8, 1.0, 1.0, 1.0])
    assert [one.period / own.period for one in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8])
    assert [one.stride / own.stride for one in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8])
    assert [one.lift / own.lift for one in tried] == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.6])
    assert (fit.gait, fit.share) == (tried[4], 1.0)
    assert (fit.before.use, fit.now.use) == (1.20, 1.00)


SLOW = Utilisation(0, 0, gait_fit.SLOW_UTILISATION)
FAST = Utilisation(0, 0, gait_fit.SLOW_UTILISATION + 0.01)


def speeds(tried, own):
    return [one.stride / one.period / (own.stride / own.period) for one in tried]


def test_who_cannot_walk_at_its_speed_walks_at_the_largest_share_that_does(robot, monkeypatch):
    uses = [Utilisation(0, 0, 1.5), *[None] * 4, SLOW, SLOW, None, FAST, None]
    told = []
    fit, tried = fitted(robot, monkeypatch, uses, told.append)
    own = robot.gait_as(PatternTable)
    assert told == [0.5, 0.7, 0.85]
    assert speeds(tried[5:], own) == pytest.approx([0.5, 0.7, 0.85, 0.85, 0.85])
    assert tried[5].period / own.period == pytest.approx(0.5**-0.5)  # half by slower, half by shorter steps
    assert [one.stride / own.stride for one in tried[8:]] == pytest.approx([1.0, 0.85])  # slower alone, shorter alone
    assert {one.lift / own.lift for one in tried[5:]} == {gait_fit.SLOW_LIFT}
    assert (fit.share, fit.now, fit.before.use) == (0.7, SLOW, 1.5)
    assert speeds([fit.gait], own) == pytest.approx([0.7])
    assert fit.gait.slow_because == "knee"


@pytest.mark.parametrize("usual", [None, Utilisation(2, 0, 0.9), Utilisation(0, 0, 1.01)])
def test_who_cannot_walk_at_half_its_speed_is_tried_at_less_and_then_left_alone(robot, monkeypatch, usual):
    changed = [None] * 4 if usual is not None and usual.others < 2 else []
    fit, tried = fitted(robot, monkeypatch, [usual, *changed, *[FAST] * 3, *[None] * 3, None, SLOW])
    assert speeds(tried[-8:], robot.gait_as(PatternTable)) == pytest.approx([0.5] * 3 + [0.35] * 3 + [0.25] * 2)
    assert (fit.share, fit.gait.slow_because) == (0.25, "knee")
    fit, tried = fitted(robot, monkeypatch, [usual, *changed, *[Utilisation(1, 0, 0.1)] * 9, None, None])
    assert (fit.gait, fit.share) == (robot.gait_as(PatternTable), 1.0)


def test_where_no_share_will_do_slow_steps_that_spare_something_are_kept(robot, monkeypatch):
    spared = Utilisation(0, 0, 1.2)
    fit, tried = fitted(robot, monkeypatch, [Utilisation(0, 0, 1.5), *[None] * 4, *[FAST] * 9, spared, None])
    assert (fit.gait.period, fit.gait.stride) == (tried[-2].period, tried[-2].stride)
    assert (fit.share, fit.now) == (pytest.approx(0.5), spared)


def test_who_cannot_stand_on_one_leg_is_not_tried_at_all(robot, monkeypatch):
    hardest = HardestJoint("hip", DENIED + 0.01, 20.0)
    monkeypatch.setattr(gait_fit, "hardest_on_one_leg", lambda robot: hardest)
    fit, tried = fitted(robot, monkeypatch, [])
    assert (tried, fit.gait) == ([], robot.gait_as(PatternTable))
    assert fit.denied.startswith("to stand on one leg takes 126 % of the 20 N m that hip has; ")
    monkeypatch.setattr(gait_fit, "hardest_on_one_leg", lambda robot: hardest._replace(use=DENIED))
    fit, tried = fitted(robot, monkeypatch, [SLOW._replace(use=0.1)])
    assert (len(tried), fit.denied) == (1, "")


def test_shorter_steps_count_before_use_and_enough_ends_the_search(robot, monkeypatch):
    uses = [Utilisation(0, 1, 0.5), Utilisation(0, 0, 0.88)]
    fit, tried = fitted(robot, monkeypatch, uses)
    assert len(tried) == 2
    assert fit.now == uses[1]
    _, tried = fitted(robot, monkeypatch, [Utilisation(0, 0, 0.89), *[None] * 4])
    assert len(tried) == 5


def test_quadrupeds_keep_theirs(tmp_path, monkeypatch):
    fit, tried = fitted(found(quadruped(), tmp_path)[0], monkeypatch, [])
    assert tried == []
    assert fit.before is None


def test_the_use_is_the_largest_share_of_any_limit(robot, monkeypatch):
    joints = len(robot.joint_names)
    torque = np.zeros((3, joints))
    speed = np.zeros((3, joints))
    torque[1, 2] = -0.6 * robot.torque_limit_nm[2]
    speed[2, 0] = 0.7 * robot.joint_speed_limit_rad_s[0]
    needs = SimpleNamespace(torque_nm=torque, joint_speed_rad_s=speed)
    broken = [SimpleNamespace(limit=name) for name in ("torque", "reach", "friction", "joint speed", "balance margin")]
    draft = SimpleNamespace(violations=(), qpos=np.zeros((3, 1)), fallback=19, measured=needs)

    def drafts(self, style, detail):
        assert (self.robot, self.task.cycles, self.rate_hz) == (robot, 5, PatternGait.usual_rate_hz)
        assert (style, detail.level) == (robot.expression.neutral_style(), "final")
        return iter([draft])

    monkeypatch.setattr(gait_fit.GaitDrafts, "drafts", drafts)
    monkeypatch.setattr(gait_fit, "judge", lambda draft, margin_m: (draft, broken))
    slips = np.zeros((3, 2))
    monkeypatch.setattr(gait_fit, "friction_needed", lambda needs: slips)
    assert gait_fit._utilisation(robot) == (2, 2, pytest.approx(0.7))
    slips[0, 1] = 0.9 * robot.friction
    assert gait_fit._utilisation(robot).use == pytest.approx(0.9)
    torque[0, 1] = 0.95 * robot.torque_limit_nm[1]
    assert gait_fit._utilisation(robot).use == pytest.approx(0.95)
    for wrong in (
        SimpleNamespace(**vars(draft) | {"violations": (1,)}),
        SimpleNamespace(**vars(draft) | {"qpos": np.zeros((0, 1))}),
    ):
        monkeypatch.setattr(gait_fit.GaitDrafts, "drafts", lambda self, style, detail, one=wrong: iter([one]))
        assert gait_fit._utilisation(robot) is None


def test_who_has_only_two_balls_to_stand_on_is_told_so_and_not_tried(robot, monkeypatch):
    feet = tuple(replace(foot, points=foot.points[:1]) for foot in robot.feet)
    fit, tried = fitted(replace(robot, feet=feet), monkeypatch, [])
    assert tried == []
    assert fit.denied.startswith("it stands on two balls")
