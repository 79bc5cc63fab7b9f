"""Receipt: its keys are the interface."""

import json
from dataclasses import replace

import pytest

from strut.errors import OutOfRangeError
from strut.receipt import Receipt

KEYS = [
    *("robot", "emotion", "pad", "intensity_asked", "intensity_kept", "verdict", "reasons", "duration_s", "distance_m"),
    *("speed_m_s", "balance_margin_mm", "joint_limit_margin_rad", "joint_speed_use", "torque_use", "foot_slip_mm"),
    *("penetration_mm", "task_error_mm", "cost_of_transport", "solve_s", "expressed_share", "self_collision_mm"),
]


def test_keys_are_exactly_the_published_ones(happy_walk):
    assert list(happy_walk.receipt.as_dict()) == KEYS


def test_a_receipt_survives_json(happy_walk):
    table = json.loads(json.dumps(happy_walk.receipt.as_dict(), allow_nan=False))
    assert Receipt.from_dict(table) == happy_walk.receipt


def test_what_does_not_apply_is_null_and_never_zero(happy_walk):
    table = happy_walk.receipt.as_dict()
    assert table["task_error_mm"] is None  # a crawl has no task
    nothing_known = replace(happy_walk.receipt, emotion=None, pad=None, cost_of_transport=None)
    assert Receipt.from_dict(nothing_known.as_dict()) == nothing_known
    assert nothing_known.as_dict()["pad"] is None


@pytest.mark.parametrize("damage", [lambda t: t.pop("robot"), lambda t: t.pop("pad"), lambda t: t.update(more=1)])
def test_a_table_with_other_keys_is_no_receipt(happy_walk, damage):
    table = happy_walk.receipt.as_dict()
    damage(table)
    with pytest.raises(OutOfRangeError, match="receipt"):
        Receipt.from_dict(table)
