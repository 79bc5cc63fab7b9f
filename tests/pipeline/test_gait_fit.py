"""Gaits fitted to motors: which changes are tried and kept, by uses of our own."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.pipeline import gait_fit
from strut.pipeline.gait_fit import Utilisation, fitted_gait
from strut.request import PatternGait
from tests.adoption.small_robots import biped, found, quadruped


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return found(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


def fitted(robot, monkeypatch, uses):
    """Return what was fitted, and the gaits that were tried, when these are their uses."""
    tried, rest = [], iter(uses)

    def used(body):
        tried.append(body.pattern_gait)
        return next(rest)

    monkeypatch.setattr(gait_fit, "_utilisation", used)
    return fitted_gait(robot), tried


def test_a_gait_with_reserve_is_left_as_it_is(robot, monkeypatch):
    usual = Utilisation(0, 0, 0.88)
    fit, tried = fitted(robot, monkeypatch, [usual])
    assert fit.gait == tried[0] == robot.pattern_gait
    assert (fit.before, fit.now, len(tried)) == (usual, usual, 1)


def test_changes_are_tried_in_turn_and_kept_where_they_spare_enough(robot, monkeypatch):
    uses = [
        Utilisation(0, 0, 1.20),
        Utilisation(0, 0, 1.19),  # narrower: spares too little
        Utilisation(0, 0, 1.10),  # shorter and quicker: kept
        Utilisation(1, 0, 0.50),  # breaks another limit
        Utilisation(0, 0, 1.07),  # lower feet: kept
        Utilisation(0, 0, 1.00),  # half as fast it keeps its limits: its speed stays
    ]
    fit, tried = fitted(robot, monkeypatch, uses)
    own = robot.pattern_gait
    assert [one.width / own.width for one in tried] == pytest.approx([1.0, 0.8, 1.0, 1.0, 1.0, 1.0])
    assert [one.period / own.period for one in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8, 0.8])
    assert [one.stride / own.stride for one in tried] == pytest.approx([1.0, 1.0, 0.8, 1.0, 0.8, 0.4])
    assert [one.lift / own.lift for one in tried] == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.6, 0.6])
    assert fit.gait == tried[4]
    assert (fit.before.use, fit.now.use) == (1.20, 1.07)


@pytest.mark.parametrize("half", [None, Utilisation(0, 0, 1.01)])
def test_who_does_not_even_walk_half_as_fast_gets_slower(robot, monkeypatch, half):
    usual, slower, slowest = Utilisation(0, 0, 1.50), Utilisation(0, 0, 1.20), Utilisation(0, 0, 1.19)
    fit, tried = fitted(robot, monkeypatch, [usual, *[None] * 4, half, slower, slowest])
    own = robot.pattern_gait
    assert [one.period / own.period for one in tried[5:]] == pytest.approx([1.0, 1.4, 1.4**2])
    assert [one.stride / own.stride for one in tried[5:]] == pytest.approx([0.5, 0.7, 0.7**2])
    assert fit.gait == tried[6]  # even slower spares too little
    assert (fit.before, fit.now) == (usual, slower)


def test_shorter_steps_count_before_use_and_enough_ends_the_search(robot, monkeypatch):
    uses = [Utilisation(0, 1, 0.5), Utilisation(0, 0, 0.88)]
    fit, tried = fitted(robot, monkeypatch, uses)
    assert len(tried) == 2
    assert fit.now == uses[1]
    _, tried = fitted(robot, monkeypatch, [Utilisation(0, 0, 0.89), *[None] * 4])
    assert len(tried) == 5


@pytest.mark.parametrize("usual", [None, Utilisation(2, 0, 0.9)])
def test_what_no_factor_mends_is_left_alone(robot, monkeypatch, usual):
    fit, tried = fitted(robot, monkeypatch, [usual])
    assert (fit.gait, fit.before, fit.now, len(tried)) == (robot.pattern_gait, None, None, 1)
    _, tried = fitted(robot, monkeypatch, [Utilisation(1, 0, 0.9), *[None] * 4])
    assert len(tried) == 5


def test_quadrupeds_keep_theirs(tmp_path, monkeypatch):
    fit, tried = fitted(found(quadruped(), tmp_path)[0], monkeypatch, [])
    assert tried == []
    assert fit.before is None


def test_the_use_is_the_largest_share_of_any_limit(robot, monkeypatch):
    joints = len(robot.joint_names)
    torque, speed = np.zeros((3, joints)), np.zeros((3, joints))
    torque[1, 2], speed[2, 0] = -0.6 * robot.torque_limit_nm[2], 0.7 * robot.joint_speed_limit_rad_s[0]
    needs = SimpleNamespace(torque_nm=torque, joint_speed_rad_s=speed)
    broken = [SimpleNamespace(limit=name) for name in ("torque", "reach", "friction", "joint speed", "balance margin")]
    draft = SimpleNamespace(shortfalls=(), qpos=np.zeros((3, 1)), variant=19, measured=needs)

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
        SimpleNamespace(**vars(draft) | {"shortfalls": (1,)}),
        SimpleNamespace(**vars(draft) | {"qpos": np.zeros((0, 1))}),
    ):
        monkeypatch.setattr(gait_fit.GaitDrafts, "drafts", lambda self, style, detail, one=wrong: iter([one]))
        assert gait_fit._utilisation(robot) is None
