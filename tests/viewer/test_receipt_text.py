import math
from dataclasses import replace

import pytest

from strut.motion import Motion
from strut.receipt import Reason, ReasonKind
from strut.verify.goal_ending import GoalEnding
from strut.viewer.receipt_text import (
    NOT_KNOWN,
    goal_words,
    headline,
    intensity_verdict,
    intensity_words,
    labels_of,
    measured_sentences,
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
    assert receipt_sentences(felt)[0] == "Expresses 88 % of sad on average."
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
    assert intensity_words(brief) == "intensity 1.00, 46 % expressed"


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


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ((0.0049, 0.0, 0.0049, 0.0, 1.0), "5 mm from its goal, facing as asked"),
        ((0.006, 0.006, 0.0004, 0.0, 1.0), "6 mm from its goal (6 mm too far), facing as asked"),
        (
            (0.03, 0.0, -0.03, -0.02, 2.0),
            "30 mm from its goal (30 mm to the right), turned 1.1° farther right than asked",
        ),
        ((0.04, -0.04, 0.0, 0.0008, 1.0), "40 mm from its goal (40 mm short of it), facing as asked"),
        (
            (0.06, -0.06, 0.0, 0.001, 1.0),
            "60 mm from its goal (60 mm short of it), 6 % less far than asked, turned 0.1° farther left than asked",
        ),
        ((1.2, 1.2, 0.0, 0.0, 2.0), "1.20 m from its goal (1.20 m too far), 60 % farther than asked, facing as asked"),
        ((0.02, 0.02, 0.0, 0.0, 0.0), "20 mm from its goal (20 mm too far), 400 % farther than asked, facing as asked"),
    ],
)  # fmt: skip
def test_where_a_walk_ended_is_read_in_the_directions_of_the_walker(ending: tuple[float, ...], words: str) -> None:
    assert goal_words(GoalEnding(*ending)) == words


def test_measured_figures_say_nothing_of_an_emotion_and_name_what_is_not_judged(calm: Motion) -> None:
    receipt = replace(
        calm.receipt,
        emotion="happy",
        reasons=(Reason(ReasonKind.LIMIT, "torque", "the knee reaches 104 % of its torque limit"),),
        soundness={"unjudged": "landings"},
        balance_margin_mm=-3.4,
        foot_slip_mm=0.06,
        cost_of_transport=0.314,
        task_error_mm=1.234,
    )
    sentences = measured_sentences(receipt, GoalEnding(0.001, 0.0, 0.001, 0.0, 1.0))
    assert sentences[0] == "Torque: the knee reaches 104 % of its torque limit."
    assert sentences[1].startswith("Covers ")
    assert sentences[2] == "Ends 1 mm from its goal, facing as asked."
    assert "The centre of pressure is up to 3 mm outside the support polygon." in sentences
    assert "Feet slip at most 0.1 mm." in sentences
    assert "The plan ends 1.23 mm from its goal." in sentences
    assert "The cost of transport is 0.31." in sentences
    assert sentences[-1] == "Not judged: landings."
    assert any(sentence.endswith("% of its strength.") for sentence in sentences)  # of a person
    assert not any("appy" in sentence for sentence in sentences)


def test_the_receipt_of_a_hand_task_has_its_gaze_and_the_freedom_left(calm: Motion) -> None:
    receipt = replace(calm.receipt, redundancy=3, gaze_error_rad=math.radians(0.25), task_error_mm=0.456)
    assert "The hand is at most 0.46 mm off its path." in receipt_sentences(receipt)
    assert "The head looks at most 0.250° beside its goal." in receipt_sentences(receipt)
    assert "3 degrees of freedom are left for expression." in receipt_sentences(receipt)
    assert any(" away, " in sentence and "ends" in sentence for sentence in receipt_sentences(receipt))
    rows = dict(receipt_rows(receipt))
    assert (rows["Gaze error"], rows["Degrees of freedom left"], rows["Task error"]) == ("0.250°", "3", "0.46 mm")


def test_the_rows_of_a_receipt_have_their_units(calm: Motion) -> None:
    receipt = replace(
        calm.receipt, intensity_asked=0.8, intensity_kept=0.6, expressed_share=0.55, duration_s=12.345,
        distance_m=1.2345, speed_m_s=0.1, balance_margin_mm=12.34, joint_limit_margin_rad=math.radians(7.4),
        joint_speed_use=0.456, torque_use=0.789, foot_slip_mm=1.26, penetration_mm=0.44, self_collision_mm=25.04,
        task_error_mm=None, cost_of_transport=0.456,
    )  # fmt: skip
    assert receipt_rows(receipt) == [
        ("Verdict", "ok"), ("Intensity asked", "0.80"), ("Intensity kept", "0.60"), ("Expressed on average", "55 %"),
        ("Duration", "12.35 s"), ("Distance", "1.234 m"), ("Speed", "0.10 m/s"), ("Smallest balance margin", "12.3 mm"),
        ("Nearest joint limit", "7°"), ("Joint speed used", "46\u00a0%"), ("Torque used", "79\u00a0%"),
        ("Foot slip", "1.3 mm"), ("Depth in the ground", "0.4 mm"), ("Least distance of own bodies", "25.0 mm"),
        ("Task error", NOT_KNOWN), ("Cost of transport", "0.46"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("degrees", "turned_deg", "words"),
    [
        (19.0, None, ""), (21.0, None, " forwards and to the left"), (-69.0, None, " forwards and to the right"),
        (71.0, None, " sideways to the left"), (-109.0, None, " sideways to the right"),
        (112.0, None, " backwards and to the left"), (161.0, None, " backwards"),
        (-159.0, None, " backwards and to the right"),
        (45.0, 28.0, " forwards and to the left"), (45.0, 29.0, ""), (135.0, -29.0, " backwards"),
    ],
)  # fmt: skip
def test_a_walk_within_twenty_degrees_of_an_axis_goes_along_it(calm, degrees, turned_deg, words) -> None:
    receipt = replace(
        calm.receipt, distance_m=1.5, duration_s=10.0, speed_m_s=0.15, walking_direction_rad=math.radians(degrees),
        turned_rad=None if turned_deg is None else math.radians(turned_deg),
    )  # fmt: skip
    (travel,) = [sentence for sentence in receipt_sentences(receipt) if sentence.startswith("Covers")]
    assert travel.startswith(f"Covers 1.50 m{words} in 10.0 s, ")
    turn = (
        ""
        if turned_deg is None
        else f", and turns {abs(turned_deg):.0f}° to the {'left' if turned_deg > 0 else 'right'}"
    )
    assert travel.endswith(f"on average{turn}.")
