"""Wording: a motion's name, its verdict and its receipt as people read them."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strut.motion import Motion
from strut.plumbing.number_text import Share, format_percent, format_speed, join_words
from strut.receipt import Reason, ReasonKind, Receipt, intensity_of_asked

if TYPE_CHECKING:  # it measures with an engine, and every verb words its answers here
    from strut.verify.goal_ending import GoalEnding

NOT_KNOWN = "–"
_WHOLE = 0.99  # share of a feeling that is told as all of it
_ALONG = math.cos(math.radians(20.0))
_ASIDE = math.cos(math.radians(70.0))  # beyond is called slanting
_TURNS_FAR_RAD = 0.5
_ON_THE_SPOT_M = 5e-3  # it would be told as 0.00 m
_AT_THE_GOAL_M = 5e-3  # nobody asks on which side of its goal a robot ended that is so near
_SEEN_M = 5e-4  # it would be told as 0 mm
_FACING_DEG = 0.05  # it would be told as 0.0°
_FAR_OFF = 0.05  # of the way to the goal: from here on it is told as a share, too


def title_of(motion: Motion) -> str:
    """Return what a motion is called: its emotion, or else its title, or else its robot."""
    receipt = motion.receipt
    emotion = receipt.emotion if receipt else motion.meta.get("emotion")
    if emotion is None and receipt is not None and receipt.pad is not None:
        return f"({', '.join(f'{value:g}' for value in receipt.pad)})"
    name = str(next(filter(None, (emotion, motion.meta.get("title"), motion.robot))))
    return name[:1].upper() + name[1:]


def labels_of(motions: Sequence[Motion], names: Sequence[str] | None = None) -> list[str]:
    """Return what to call motions that are shown together: their titles, and what tells those of one title apart.

    That is the intensity asked for where it differs, and the name that came with the motion (its file, for instance).
    """
    titles = [title_of(motion) for motion in motions]
    asked = [_asked(motion) for motion in motions]
    labels = []
    for index, title in enumerate(titles):
        alike = {asked[other] for other, another in enumerate(titles) if another == title}
        intensity = asked[index] if len(alike) > 1 else ""
        name = names[index] if names is not None and titles.count(title) > 1 else ""
        labels.append(" · ".join(filter(None, [title, intensity, name])))
    return _numbered(labels)


def _asked(motion: Motion) -> str:
    """Return the intensity that was asked for, in words; nothing where it is not known."""
    asked = motion.receipt.intensity_asked if motion.receipt else None
    return "" if asked is None else f"{asked:.2f}"


def _numbered(labels: Sequence[str]) -> list[str]:
    """Return labels with a number behind those that are still alike."""
    return [
        f"{label} ({labels[: index + 1].count(label)})" if labels.count(label) > 1 else label
        for index, label in enumerate(labels)
    ]


def verdict_of(motion: Motion) -> str:
    """Return how much of the feeling is shown and the verdict, for instance `90 % shown, weakened`.

    Where nobody measured what is shown, it is the intensity that the limits left: `intensity 0.90 of 1.00 asked`.
    """
    receipt = motion.receipt
    if receipt is None:
        return "not checked"
    if receipt.share_kept is None or receipt.strength is None:
        return receipt.verdict
    if receipt.expressed_share is None:
        return f"{intensity_words(receipt)}, {receipt.verdict}"
    return f"{format_percent(receipt.expressed_share)} shown, {receipt.verdict}"


def dial_of(motion: Motion) -> str:
    """Return the intensity kept beside what was asked, and the verdict: `intensity 0.45 of 0.50 asked, weakened`."""
    receipt = motion.receipt
    if receipt is None or not intensity_words(receipt):
        return verdict_of(motion)
    return f"{intensity_words(receipt)}, {receipt.verdict}"


def intensity_words(receipt: Receipt) -> str:
    """Return the intensity kept beside what was asked, and how much is seen of a weakened feeling.

    Nothing of neutral, which has no strength.
    """
    if receipt.share_kept is None or receipt.intensity_asked is None:
        return ""
    dial = intensity_of_asked(receipt.share_kept * receipt.intensity_asked, receipt.intensity_asked)
    if receipt.verdict != "weakened" or receipt.expressed_share is None:
        return dial
    return f"{dial}, {format_percent(receipt.expressed_share)} shown"


def receipt_sentences(receipt: Receipt | None) -> list[str]:
    """Return the receipt in words; what is not known is left out."""
    if receipt is None:
        return ["This motion has no receipt: nobody has checked it against the limits of the body."]
    moved = (_travelled(receipt), _under_way(receipt), _turning(receipt))
    said = (_shown(receipt), _slowed(receipt), _left_out(receipt), *moved, _needed(receipt))
    return [sentence for sentence in said if sentence]


def measured_sentences(receipt: Receipt, ending: GoalEnding | None = None) -> list[str]:
    """Return what was measured, in words, without what the motion claims to show; of a walk to a goal, its ending."""
    refused = [f"Because {reason}." for reason in receipt.reasons]
    arrived = "" if ending is None else f"Ends {goal_words(ending)}."
    said = (_travelled(receipt), arrived, _needed(receipt), _unjudged(receipt))
    return [*refused, *(sentence for sentence in said if sentence)]


def receipt_rows(receipt: Receipt) -> list[tuple[str, str]]:
    """Return the receipt as rows of a table: what, and the value with its unit."""
    asked = receipt.intensity_asked
    kept = receipt.intensity_kept
    return [
        ("Verdict", receipt.verdict),
        ("Intensity asked", NOT_KNOWN if asked is None else f"{asked:.2f}"),
        ("Intensity kept", NOT_KNOWN if kept is None else f"{kept:.2f}"),
        ("Shown on average", NOT_KNOWN if receipt.expressed_share is None else format_percent(receipt.expressed_share)),
        ("Duration", f"{receipt.duration_s:.2f} s"),
        ("Distance", _number(receipt.distance_m, "{:.3f} m")),
        ("Speed", NOT_KNOWN if receipt.speed_m_s is None else format_speed(receipt.speed_m_s)),
        ("Smallest balance margin", _number(receipt.balance_margin_mm, "{:.1f} mm")),
        ("Nearest joint limit", _number(receipt.joint_limit_margin_rad, "{:.0f}°", math.degrees(1.0))),
        ("Joint speed used", _number(receipt.joint_speed_use, "{:.0f} %", 100.0)),
        ("Torque used", _number(receipt.torque_use, "{:.0f} %", 100.0)),
        ("Foot slip", _number(receipt.foot_slip_mm, "{:.1f} mm")),
        ("Deepest in the ground", _number(receipt.penetration_mm, "{:.1f} mm")),
        ("Least between own bodies", _number(receipt.self_collision_mm, "{:.1f} mm")),
        ("Task error", _number(receipt.task_error_mm, "{:.2f} mm")),
        *_task_rows(receipt),
        ("Cost of transport", _number(receipt.cost_of_transport, "{:.2f}")),
    ]


def receipt_html(receipt: Receipt) -> str:
    """Return the receipt as an HTML table under its sentences, as the output of a notebook cell."""
    sentences = html.escape(" ".join(receipt_sentences(receipt)))
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in receipt_rows(receipt)
    )
    return f"<p>{sentences}</p><table>{rows}</table>"


def _task_rows(receipt: Receipt) -> list[tuple[str, str]]:
    if receipt.redundancy is None:
        return []
    gaze = _number(receipt.gaze_error_rad, "{:.3f}°", math.degrees(1.0))
    return [("Gaze error", gaze), ("Dimensions left free", f"{receipt.redundancy}")]


def goal_words(ending: GoalEnding) -> str:
    """Return where a walk ended against its goal, as the end of a sentence: `17 mm from its goal, facing as asked`."""
    far = _millimetres(ending.goal_error_m)
    if ending.goal_error_m < _AT_THE_GOAL_M:
        return f"{far} from its goal, {_facing(ending.heading_error_rad)}"
    return f"{far} from its goal ({_aside(ending)}){_beyond(ending)}, {_facing(ending.heading_error_rad)}"


def _aside(ending: GoalEnding) -> str:
    along = _towards(ending.too_far_m, "too far", "short of it")
    return ", ".join(filter(None, (along, _towards(ending.to_left_m, "to the left", "to the right"))))


def _towards(off_m: float, more: str, less: str) -> str:
    """Return a length and whether it is more or less than nothing; nothing of what would be told as 0 mm."""
    return f"{_millimetres(abs(off_m))} {more if off_m > 0.0 else less}" if abs(off_m) >= _SEEN_M else ""


def _beyond(ending: GoalEnding) -> str:
    """Return which share of the way was walked too far or not at all; nothing of little."""
    beyond = ending.too_far_m / max(ending.goal_distance_m, _AT_THE_GOAL_M)
    words = f", {format_percent(abs(beyond))} {'farther' if beyond > 0.0 else 'less far'} than asked"
    return words if abs(beyond) >= _FAR_OFF else ""


def _facing(off_rad: float) -> str:
    off_deg = math.degrees(off_rad)
    turned = f"turned {abs(off_deg):.1f}° farther {'left' if off_deg > 0.0 else 'right'} than asked"
    return turned if abs(off_deg) >= _FACING_DEG else "facing as asked"


def _millimetres(length_m: float) -> str:
    return f"{length_m:.2f} m" if length_m >= 1.0 else f"{length_m * 1e3:.0f} mm"


def _shown(receipt: Receipt) -> str:
    if receipt.verdict == "refused":
        return f"Refused: {_join(receipt.reasons) or 'the gate gave no reason'}."
    if receipt.emotion is None or receipt.share_kept is None or receipt.strength is None:
        return f"Changed because of {limits}." if (limits := _limits(receipt)) else ""
    if receipt.verdict == "ok":
        return f"Shows {receipt.emotion} as strongly as asked{_on_average(receipt.strength)}."
    said = f"Shows {format_percent(receipt.strength)} of {receipt.emotion}"
    if receipt.expressed_share is None:
        said = f"Keeps {receipt.emotion} at {intensity_words(receipt)}"
    return _because(said, receipt)


def _because(said: str, receipt: Receipt) -> str:
    """Return what is shown of a weakened feeling, what of it was weakened, and why no more."""
    weakened = _texts(receipt, ReasonKind.WEAKENED)
    lacking = _texts(receipt, ReasonKind.NOT_EXPRESSED)
    what = "; ".join(filter(None, (weakened, lacking)))
    said = f"{said}: {what}" if what else said
    if not (limits := _limits(receipt)):
        return f"{said}."
    return f"{said}{'; and' if lacking else ', because'} more would break a limit ({limits})."


def _on_average(expressed_share: float) -> str:
    """Return how much of a feeling is shown on average, where starting and stopping make it less."""
    return (
        "" if expressed_share > _WHOLE else f"; {format_percent(expressed_share)} shown on average, with start and stop"
    )


def _slowed(receipt: Receipt) -> str:
    slowed = _texts(receipt, ReasonKind.SLOWED)
    return f"{slowed[:1].upper()}{slowed[1:]}." if slowed else ""


def _left_out(receipt: Receipt) -> str:
    return f"Left out: {'; '.join(receipt.not_expressed)}." if receipt.not_expressed else ""


def _travelled(receipt: Receipt) -> str:
    if receipt.distance_m is None or receipt.speed_m_s is None:
        return f"Takes {receipt.duration_s:.1f} s."
    speed = format_speed(receipt.speed_m_s)
    turned = _turned(receipt.turned_rad)
    if receipt.distance_m < _ON_THE_SPOT_M:
        return f"Takes {receipt.duration_s:.1f} s on the spot{turned}."
    if receipt.redundancy is None:
        covered = f"{receipt.distance_m:.2f} m{_direction(receipt.walking_direction_rad, receipt.turned_rad)}"
        return f"Covers {covered} in {receipt.duration_s:.1f} s, {speed} on average{turned}."
    return f"Takes {receipt.duration_s:.1f} s and ends {receipt.distance_m:.2f} m away, {speed} on average."


def _turned(turned_rad: float | None) -> str:
    """Return how far a body turns in all; nothing where it does not."""
    if turned_rad is None:
        return ""
    return f", and turns {abs(math.degrees(turned_rad)):.0f}° to the {'left' if turned_rad > 0.0 else 'right'}"


def _direction(direction_rad: float | None, turned_rad: float | None) -> str:
    """Return where a body walks, seen from itself; nothing where that is ahead.

    Of one that turns far, left and right on the way are not those of its start, so that neither is told.
    """
    if direction_rad is None:
        return ""
    ahead = math.cos(direction_rad)
    side = "left" if direction_rad > 0.0 else "right"
    along = "forwards" if ahead > 0.0 else "backwards"
    if abs(ahead) > _ALONG or abs(turned_rad or 0.0) > _TURNS_FAR_RAD:
        return "" if ahead > 0.0 else f" {along}"
    return f" sideways to the {side}" if abs(ahead) < _ASIDE else f" {along} and to the {side}"


def _under_way(receipt: Receipt) -> str:
    """Return how fast it walks without start and stop, beside what was asked of it."""
    reached = receipt.walking_speed_m_s
    asked = receipt.walking_speed_asked_m_s
    if not receipt.distance_m or receipt.distance_m < _ON_THE_SPOT_M:
        return ""
    if reached is None:
        return f"Too short to be under way at the {format_speed(asked)} asked." if asked else ""
    if not asked:
        return f"Walks at {format_speed(reached)} once under way."
    planned = f"the {format_speed(asked)} planned" if receipt.share_kept is None else f"neutral's {format_speed(asked)}"
    return f"Walks at {format_speed(reached)} once under way, {format_percent(reached / asked)} of {planned}."


def _turning(receipt: Receipt) -> str:
    """Return how fast it turns without start and stop, beside what was asked of it."""
    reached = receipt.turn_rate_rad_s
    asked = receipt.turn_rate_asked_rad_s
    if reached is None or not asked:
        return ""
    rates = (f"{math.degrees(rate):.0f}°/s" for rate in (abs(reached), abs(asked)))
    return "Turns at {} once under way, {} were asked.".format(*rates)


def _needed(receipt: Receipt) -> str:
    performs = receipt.redundancy is not None  # only a performance counts what it leaves free
    task = "disturbs the hand's task by {:.2f} mm" if performs else "is planned to end {:.2f} mm from its goal"
    person = receipt.soundness is not None  # only walks with landings, which are people's, are looked at so closely
    strength = "loads its busiest joint with {:.0%} of its strength" if person else "uses {:.0%} of the weakest motor"
    known = [
        _balance(receipt.balance_margin_mm, "wheels" if performs else "feet"),
        _number(receipt.torque_use, strength),
        _number(receipt.joint_speed_use, "reaches {:.0%} of the joint speed limit"),
        _number(receipt.foot_slip_mm, "slips {:.1f} mm"),
        _number(receipt.task_error_mm, task),
        _number(receipt.gaze_error_rad, "looks {:.3f}° beside its goal", math.degrees(1.0)),
        _number(receipt.redundancy, "leaves {:.0f} dimensions free for the feeling"),
        _number(receipt.cost_of_transport, "has a cost of transport of {:.2f}"),
    ]
    said = [words for words in known if words != NOT_KNOWN]
    return f"It {join_words(said)}." if said else ""


def _unjudged(receipt: Receipt) -> str:
    unjudged = (receipt.soundness or {}).get("unjudged")
    return f"Not judged: {unjudged}." if unjudged else ""


def _balance(margin_mm: float | None, carried_by: str) -> str:
    if margin_mm is not None and margin_mm < 0.0:
        return f"has its centre of pressure {-margin_mm:.0f} mm outside the {carried_by}"
    return _number(margin_mm, f"keeps its centre of pressure {{:.0f}} mm inside the {carried_by}")


def _texts(receipt: Receipt, kind: ReasonKind) -> str:
    return "; ".join(reason.text for reason in receipt.reasons_of(kind))


def _limits(receipt: Receipt) -> str:
    return _join(receipt.reasons_of(ReasonKind.LIMIT))


def _join(reasons: Sequence[Reason]) -> str:
    return "; ".join(map(str, reasons))


def _number(value: float | None, words: str, factor: float = 1.0) -> str:
    return NOT_KNOWN if value is None else words.format(Share(value * factor))
