"""Receipt: its keys are the interface."""

import json
from dataclasses import replace

import pytest

from strut.errors import OutOfRangeError
from strut.receipt import LimitName, Reason, ReasonKind, Receipt

KEYS = [
    *("robot", "emotion", "pad", "intensity_asked", "intensity_kept", "verdict", "reasons", "duration_s", "distance_m"),
    *("speed_m_s", "balance_margin_mm", "joint_limit_margin_rad", "joint_speed_use", "torque_use", "foot_slip_mm"),
    *("penetration_mm", "task_error_mm", "cost_of_transport", "solve_s", "expressed_share", "self_collision_mm"),
    *("controller", "robustness"),
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


REASONS = (
    Reason(ReasonKind.LIMIT, LimitName.TORQUE, "LF_knee reaches 104 % of its torque limit at 0.52 s"),
    Reason(ReasonKind.LIMIT, "battery", "the joints take 12.0 W of 6 W"),
    Reason(ReasonKind.LIMIT, None, "momentum comes from nowhere"),
    Reason(ReasonKind.WEAKENED, None, "lift at 75 %, all else as asked"),
    Reason(ReasonKind.NOT_EXPRESSED, None, "speed is missing or weak"),
    Reason(ReasonKind.SLOWED, None, "walks at 0.20 m/s in neutral, because its usual speed would break a limit"),
)


def test_reasons_are_tables_of_kind_limit_and_text(happy_walk):
    weakened = replace(happy_walk.receipt, verdict="weakened", reasons=REASONS)
    table = json.loads(json.dumps(weakened.as_dict(), allow_nan=False))
    assert table["reasons"][0] == {"kind": "limit", "limit": "torque", "text": REASONS[0].text}
    assert Receipt.from_dict(table) == weakened
    assert weakened.reasons_of(ReasonKind.WEAKENED) == (REASONS[3],)
    assert str(REASONS[0]) == "torque: LF_knee reaches 104 % of its torque limit at 0.52 s"
    assert str(REASONS[4]) == "not expressed: speed is missing or weak"
    assert [str(reason) == reason.text for reason in REASONS] == [False, False, True, False, False, True]


def test_receipts_of_older_files_are_read(happy_walk):
    """Reasons were sentences, `expressed_share` was `shown`, `not_expressed` `left_out` and `controller` `control`."""
    sentences = [str(reason).replace("not expressed: ", "shown: ") for reason in REASONS]
    table = happy_walk.receipt.as_dict() | {"verdict": "weakened", "reasons": sentences, "left_out": ["gaze, no head"]}
    table["shown"] = table.pop("expressed_share")
    table["control"] = "balance"
    found = Receipt.from_dict(table)
    unknown = Reason(ReasonKind.LIMIT, None, "battery: the joints take 12.0 W of 6 W")  # no limit of strut's own
    assert found.reasons == (REASONS[0], unknown, *REASONS[2:])
    assert (found.expressed_share, found.not_expressed) == (happy_walk.receipt.expressed_share, ("gaze, no head",))
    assert found.controller == "balance"


@pytest.mark.parametrize(
    "reason",
    [3, {"kind": "limit"}, {"kind": "odd", "limit": None, "text": ""}, {"kind": "limit", "limit": 3, "text": ""}],
)
def test_a_reason_of_another_form_is_refused(happy_walk, reason):
    with pytest.raises(OutOfRangeError, match="of the reasons of a receipt"):
        Receipt.from_dict(happy_walk.receipt.as_dict() | {"reasons": [reason]})
