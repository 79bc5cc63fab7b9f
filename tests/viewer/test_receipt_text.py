import math
from dataclasses import replace

import pytest

from strut.motion import Motion
from strut.receipt import Reason, ReasonKind
from strut.viewer.receipt_text import (
    NOT_KNOWN,
    headline,
    intensity_verdict,
    intensity_words,
    labels_of,
    receipt_rows,
    receipt_sentences,
    title_of,
    verdict_of,
)


def test_a_receipt_reads_as_sentences(calm: Motion) -> None:
    assert calm.receipt is not None
    motion = replace(
        calm,
        receipt=replace(
            calm.receipt,
            emotion="happy",
            intensity_kept=0.9,
            expressed_share=0.72,
            verdict="weakened",
            reasons=(Reason(ReasonKind.LIMIT, "torque", "LF_knee reaches 104 % of its torque limit"),),
            duration_s=45.16,
            distance_m=0.852,
            speed_m_s=0.0189,
            balance_margin_mm=14.8,
            torque_use=0.904,
            joint_speed_use=0.73,
            foot_slip_mm=0.0,
        ),
    )
    assert (title_of(motion), verdict_of(motion)) == ("Happy", "72 % expressed, weakened")
    assert receipt_sentences(motion.receipt) == [
        "Expresses 72 % of happy on average.",
        "More would break a limit (torque: LF_knee reaches 104 % of its torque limit).",
        "Covers 0.85 m in 45.2 s, 19 mm/s on average.",
        "Stays upright by servos as planned, and at friction 0.6 to 0.9 with 90 % to 110 % of the mass.",
        "The centre of pressure stays at least 15 mm inside the support polygon.",
        "The busiest joint reaches 90 % of its torque limit.",
        "The fastest joint reaches 73 % of its speed limit.",
        "No foot slips.",
        f"The cost of transport is {motion.receipt.cost_of_transport:.2f}.",
    ]


def test_the_text_of_a_weakened_emotion_names_parameters_and_limit(calm: Motion) -> None:
    assert calm.receipt is not None
    reasons = (
        Reason(ReasonKind.LIMIT, "torque", "LF_knee reaches 104 % of its limit"),
        Reason(ReasonKind.WEAKENED, None, "lift at 50 %, all else as asked"),
    )
    weak = replace(
        calm.receipt, emotion="happy", intensity_kept=0.9, expressed_share=0.72, verdict="weakened", reasons=reasons
    )
    assert receipt_sentences(weak)[:2] == [
        "Expresses 72 % of happy on average; lift at 50 %, all else as asked.",
        "More would break a limit (torque: LF_knee reaches 104 % of its limit).",
    ]
    assert headline(weak) == "weakened: mrpete expresses 72 % of happy at intensity 0.90 of 1.00 asked"
    lacking = replace(weak, reasons=(*reasons, Reason(ReasonKind.NOT_EXPRESSED, None, "speed is missing or weak")))
    assert receipt_sentences(lacking)[1] == "Speed is missing or weak."
    slowed = replace(weak, reasons=(*reasons, Reason(ReasonKind.SLOWED, None, "walks at 0.20 m/s in neutral")))
    assert "Walks at 0.20 m/s in neutral." in receipt_sentences(slowed)


def test_the_receipt_text_of_a_walk_has_its_speed_after_the_start(calm: Motion) -> None:
    assert calm.receipt is not None
    walk = replace(calm.receipt, speed_m_s=0.19, walking_speed_m_s=0.272, walking_speed_asked_m_s=0.5)
    said = "Walks at 0.27 m/s once under way, 54 % of"
    assert f"{said} the 0.50 m/s planned." in receipt_sentences(walk)
    assert f"{said} neutral's 0.50 m/s." in receipt_sentences(replace(walk, emotion="sad"))
    short = replace(walk, walking_speed_m_s=None)
    assert "Too short to be under way at the 0.50 m/s asked." in receipt_sentences(short)
    assert not [said for said in receipt_sentences(calm.receipt) if "under way" in said]


@pytest.mark.parametrize(
    ("direction_deg", "turned_deg", "words"),
    [
        (None, None, "Covers 0.85 m in 45.2 s, 0.19 m/s on average."),
        (180.0, None, "Covers 0.85 m backwards in 45.2 s, 0.19 m/s on average."),
        (-90.0, None, "Covers 0.85 m sideways to the right in 45.2 s, 0.19 m/s on average."),
        (45.0, None, "Covers 0.85 m forwards and to the left in 45.2 s, 0.19 m/s on average."),
        (-60.0, 90.0, "Covers 0.85 m in 45.2 s, 0.19 m/s on average, and turns 90° to the left."),
        (None, -60.0, "Covers 0.85 m in 45.2 s, 0.19 m/s on average, and turns 60° to the right."),
    ],
)
def test_the_receipt_text_of_a_walk_has_its_direction(
    calm: Motion, direction_deg: float | None, turned_deg: float | None, words: str
) -> None:
    assert calm.receipt is not None
    told = [None if angle is None else math.radians(angle) for angle in (direction_deg, turned_deg)]
    walk = replace(calm.receipt, distance_m=0.852, duration_s=45.16, speed_m_s=0.19)
    assert words in receipt_sentences(replace(walk, walking_direction_rad=told[0], turned_rad=told[1]))


def test_a_turn_is_reported_beside_the_requested_one(calm: Motion) -> None:
    assert calm.receipt is not None
    turning = replace(calm.receipt, turn_rate_rad_s=-0.25, turn_rate_asked_rad_s=-0.3)
    assert "Turns at 14°/s once under way, 17°/s were asked." in receipt_sentences(turning)
    assert not any("Turns" in sentence for sentence in receipt_sentences(calm.receipt))


def test_an_emotion_that_fades_in_and_out_is_reported_as_one_share(calm: Motion) -> None:
    assert calm.receipt is not None
    felt = replace(calm.receipt, emotion="sad", intensity_asked=1.0, intensity_kept=1.0, expressed_share=0.88)
    assert receipt_sentences(felt)[0] == "Expresses sad as asked; 88 % on average, as it fades in and out."
    assert verdict_of(replace(calm, receipt=felt)) == "88 % expressed, ok"


def test_what_is_not_known_is_a_dash_and_never_a_zero(calm: Motion) -> None:
    assert calm.receipt is not None
    receipt = replace(calm.receipt, torque_use=None, cost_of_transport=None)
    rows = dict(receipt_rows(receipt))
    assert rows["Torque used"] == rows["Cost of transport"] == rows["Task error"] == NOT_KNOWN
    assert "torque" not in " ".join(receipt_sentences(receipt))


def test_a_motion_without_receipt_says_so(bare: Motion) -> None:
    assert (title_of(bare), verdict_of(bare)) == ("Stool", "not checked")
    assert receipt_sentences(bare.receipt) == ["Not checked yet: run `strut check FILE`."]


def test_the_kept_intensity_is_reported_beside_the_requested_one(calm: Motion, bare: Motion) -> None:
    assert calm.receipt is not None
    assert intensity_verdict(calm) == verdict_of(calm) == "ok"  # neutral has no strength
    assert "Expresses" not in " ".join(receipt_sentences(calm.receipt))
    calm = replace(calm, receipt=replace(calm.receipt, emotion="happy"))
    half = replace(calm, receipt=replace(calm.receipt, intensity_asked=0.5, intensity_kept=0.5, verdict="ok"))
    assert intensity_verdict(half) == "intensity 0.50 as asked, ok"
    weaker = replace(calm, receipt=replace(calm.receipt, intensity_asked=0.5, intensity_kept=0.4, verdict="weakened"))
    assert intensity_verdict(weaker) == "intensity 0.40 of 0.50 asked, weakened"
    assert intensity_verdict(bare) == "not checked"
    brief = replace(calm.receipt, intensity_asked=1.0, intensity_kept=1.0, expressed_share=0.46, verdict="weakened")
    assert intensity_words(brief) == "intensity 1.00 as asked, 46 % expressed"


def test_an_intensity_is_rounded_in_one_way(calm: Motion) -> None:
    assert calm.receipt is not None
    weaker = replace(calm.receipt, emotion="happy", intensity_asked=1.0, intensity_kept=0.925, verdict="weakened")
    kept = replace(calm, receipt=weaker)
    assert (
        verdict_of(replace(kept, receipt=replace(kept.receipt, expressed_share=None)))
        == "intensity 0.93 of 1.00 asked, weakened"
    )
    assert intensity_verdict(kept) == "intensity 0.93 of 1.00 asked, weakened"


def test_motions_of_one_emotion_are_distinguished_by_intensity_and_file(calm: Motion, bare: Motion) -> None:
    assert calm.receipt is not None
    half, full = (
        replace(calm, receipt=replace(calm.receipt, emotion="happy", intensity_asked=asked)) for asked in (0.5, 1.0)
    )
    sad = replace(calm, receipt=replace(calm.receipt, emotion="sad"))
    assert labels_of([half, full, sad]) == ["Happy · 0.50", "Happy · 1.00", "Sad"]
    files = ["a.npz", "b.npz", "c.npz"]
    assert labels_of([half, full, sad], files) == ["Happy · 0.50 · a.npz", "Happy · 1.00 · b.npz", "Sad"]
    assert labels_of([full, full, sad], files) == ["Happy · a.npz", "Happy · b.npz", "Sad"]
    assert labels_of([bare, bare]) == ["Stool (1)", "Stool (2)"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "ok: mrpete, neutral"),
        ({"emotion": "sad", "intensity_asked": 1.0, "intensity_kept": 1.0}, "ok: mrpete expresses sad as asked"),
        (
            {"emotion": "sad", "intensity_asked": 0.5, "intensity_kept": 0.5},
            "ok: mrpete expresses sad at intensity 0.50",
        ),
        ({"emotion": "sad", "verdict": "refused"}, "refused: mrpete, sad"),
        ({"emotion": None, "pad": None}, "ok: mrpete"),
    ],
)
def test_a_receipt_has_a_headline(calm: Motion, changes: dict[str, object], words: str) -> None:
    assert calm.receipt is not None
    assert headline(replace(calm.receipt, **changes)) == words


def test_a_walk_says_by_which_controller_it_stays_upright_and_where_it_falls(calm: Motion) -> None:
    assert calm.receipt is not None
    unproved = replace(calm.receipt, controller=None, robustness=None)
    assert not any("Stays upright" in sentence for sentence in receipt_sentences(unproved))
    proved = {"judged_by": "simulation", "conditions": 5, "falls": 0, "min_friction": 0.6, "max_friction": 0.9}
    masses = {"min_mass_scale": 0.9, "max_mass_scale": 1.1}
    robust = replace(calm.receipt, controller="whole_body", robustness=proved | masses)
    as_planned = "Stays upright by whole-body control as planned"
    assert f"{as_planned}, and at friction 0.6 to 0.9 with 90 % to 110 % of the mass." in receipt_sentences(robust)
    fall = Reason(ReasonKind.NO_MARGIN, "simulation", "falls at friction 0.9 and mass x 1.1")
    fragile = replace(robust, verdict="weakened", reasons=(fall,), robustness=proved | masses | {"falls": 1})
    assert f"{as_planned}, but falls at friction 0.9 and mass x 1.1." in receipt_sentences(fragile)
    assert str(fall) == "no margin: falls at friction 0.9 and mass x 1.1"
