"""Receipt text: the name of a motion, its verdict and its receipt as people read them."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from strut.motion import Motion
from strut.plumbing.number_text import Share, format_percent, format_speed
from strut.receipt import Reason, ReasonKind, Receipt, intensity_of_asked

if TYPE_CHECKING:  # it measures with an engine, and every verb prints receipts
    from strut.verify.goal_ending import GoalEnding

NOT_KNOWN = "–"
_ALL = 0.99  # expressed share that is reported as all of the emotion
_COS_AHEAD = math.cos(math.radians(20.0))  # within 20° of straight ahead or back, no side is named
_COS_ASIDE = math.cos(math.radians(70.0))  # within 20° of sideways, neither forwards nor backwards is named
_TURNS_FAR_RAD = 0.5  # from here on, left and right on the way are not those of the start
_ON_THE_SPOT_M = 5e-3  # prints as 0.00 m
_AT_THE_GOAL_M = 5e-3  # this close to its goal, the side does not matter
_VISIBLE_M = 5e-4  # less prints as 0 mm
_VISIBLE_DEG = 0.05  # less prints as 0.0°
_VISIBLE_SLIP_MM = 0.05  # less prints as 0.0 mm
_CONTROLLERS = {"balance": "balance control", "whole_body": "whole-body control"}
_FAR_OFF = 0.05  # of the way to the goal: a larger error is also reported as a share


def title_of(motion: Motion) -> str:
    """Return the title of a motion: its emotion or those of its score, or else its title, or else its robot."""
    receipt = motion.receipt
    emotion = receipt.emotion if receipt else motion.meta.get("emotion")
    if receipt is not None and receipt.score is not None:
        emotion = _emotions_of(receipt.score)
    if emotion is None and receipt is not None and receipt.pad is not None:
        return f"({', '.join(f'{value:g}' for value in receipt.pad)})"
    name = str(next(filter(None, (emotion, motion.meta.get("title"), motion.robot))))
    return name[:1].upper() + name[1:]


def labels_of(motions: Sequence[Motion], names: Sequence[str] | None = None) -> list[str]:
    """Return different labels for motions that are shown together.

    A label is the title; where titles are the same, the requested intensity and the name of the motion (its file, for
    instance) follow as far as they differ, and at last a number.
    """
    titles = [title_of(motion) for motion in motions]
    asked = [_asked_text(motion) for motion in motions]
    labels = []
    for index, title in enumerate(titles):
        alike = {asked[other] for other, another in enumerate(titles) if another == title}
        intensity = asked[index] if len(alike) > 1 else ""
        name = names[index] if names is not None and titles.count(title) > 1 else ""
        labels.append(" · ".join(filter(None, [title, intensity, name])))
    return [
        f"{label} ({labels[: index + 1].count(label)})" if labels.count(label) > 1 else label
        for index, label in enumerate(labels)
    ]


def _asked_text(motion: Motion) -> str:
    asked = motion.receipt.intensity_asked if motion.receipt else None
    return "" if asked is None else f"{asked:.2f}"


def verdict_of(motion: Motion) -> str:
    """Return how much of the emotion is expressed, and the verdict: `90 % expressed, weakened`.

    If the expressed share was not measured, the intensity stands there: `intensity 0.90 of 1.00 asked, weakened`.
    """
    receipt = motion.receipt
    if receipt is None:
        return "not checked"
    if receipt.share_kept is None or receipt.strength is None:
        return receipt.verdict
    if receipt.expressed_share is None:
        return f"{intensity_words(receipt)}, {receipt.verdict}"
    return f"{format_percent(receipt.expressed_share)} expressed, {receipt.verdict}"


def intensity_verdict(motion: Motion) -> str:
    """Return the intensity kept beside the requested one, and the verdict: `intensity 0.45 of 0.50 asked, weakened`."""
    receipt = motion.receipt
    if receipt is None or not intensity_words(receipt):
        return verdict_of(motion)
    return f"{intensity_words(receipt)}, {receipt.verdict}"


def intensity_words(receipt: Receipt) -> str:
    """Return the intensity kept beside the requested one, and the expressed share of a weakened emotion.

    Where that is weakened although its intensity is not, nothing is said to be as asked. Return nothing for neutral,
    which has no strength.
    """
    if receipt.share_kept is None or receipt.intensity_asked is None:
        return ""
    kept = receipt.share_kept * receipt.intensity_asked
    intensity = intensity_of_asked(kept, receipt.intensity_asked)
    if receipt.verdict != "weakened":
        return intensity
    if f"{kept:.2f}" == f"{receipt.intensity_asked:.2f}":
        intensity = f"intensity {kept:.2f}"
    share = receipt.expressed_share
    return intensity if share is None else f"{intensity}, {format_percent(share)} expressed"


def headline(receipt: Receipt) -> str:
    """Return the receipt in one line: `weakened: alice expresses 67 % of sad at intensity 1.00`."""
    emotion = receipt.emotion
    if emotion is None and receipt.pad is not None:
        emotion = f"({', '.join(f'{value:g}' for value in receipt.pad)})"
    robot = f"{receipt.verdict}: {receipt.robot}"
    if emotion is None and receipt.score is not None:
        return f"{robot} follows {_emotions_of(receipt.score)}"
    if emotion is None:
        return robot
    kept = receipt.share_kept
    asked = receipt.intensity_asked
    if receipt.verdict == "refused" or kept is None or asked is None:
        return f"{robot}, {emotion}"
    is_all = receipt.expressed_share is None or receipt.expressed_share > _ALL
    if receipt.verdict == "ok" and asked == 1.0 and is_all:
        return f"{robot} expresses {emotion} as asked"
    share = "" if receipt.expressed_share is None else f"{format_percent(receipt.expressed_share)} of "
    intensity = f"intensity {asked:.2f}" if kept == 1.0 else intensity_of_asked(kept * asked, asked)
    return f"{robot} expresses {'' if is_all and receipt.verdict == 'ok' else share}{emotion} at {intensity}"


def receipt_sentences(receipt: Receipt | None) -> list[str]:
    """Return the known figures of the receipt as sentences."""
    if receipt is None:
        return ["Not checked yet: run `strut check FILE`."]
    sentences = [
        *_expression(receipt),
        _score(receipt),
        *(_capitalise(f"{reason.text}.") for reason in receipt.reasons_of(ReasonKind.SLOWED)),
        f"Not expressed: {'; '.join(receipt.not_expressed)}." if receipt.not_expressed else "",
        _travel(receipt),
        _walking_speed(receipt),
        _turn_rate(receipt),
        _robustness(receipt),
        *_needs(receipt),
    ]
    return [sentence for sentence in sentences if sentence]


def _emotions_of(score: Mapping[str, Any]) -> str:
    return ", ".join(key["emotion"] for key in score["keyframes"])


def _score(receipt: Receipt) -> str:
    """Return how much of each keyframe of a score is kept; nothing without a score."""
    if receipt.score is None:
        return ""
    parts = [
        f"{key['emotion']} from {key['at_s']:.1f} s at {format_percent(key['kept_share'])}"
        for key in receipt.score["keyframes"]
    ]
    return f"Kept of its score: {', '.join(parts)}."


def measured_sentences(receipt: Receipt, ending: GoalEnding | None = None) -> list[str]:
    """Return the measured figures as sentences, without the claimed emotion; a walk to a goal with its ending."""
    unjudged = (receipt.soundness or {}).get("unjudged")
    sentences = [
        *(_capitalise(f"{reason}.") for reason in receipt.reasons),
        _travel(receipt),
        _moving_ends(receipt),
        "" if ending is None else f"Ends {goal_words(ending)}.",
        *_needs(receipt),
        f"Not judged: {unjudged}." if unjudged else "",
    ]
    return [sentence for sentence in sentences if sentence]


def receipt_rows(receipt: Receipt) -> list[tuple[str, str]]:
    """Return the receipt as rows of a table: quantity, and value with its unit."""
    asked = receipt.intensity_asked
    kept = receipt.intensity_kept
    return [
        ("Verdict", receipt.verdict),
        ("Intensity asked", NOT_KNOWN if asked is None else f"{asked:.2f}"),
        ("Intensity kept", NOT_KNOWN if kept is None else f"{kept:.2f}"),
        (
            "Expressed on average",
            NOT_KNOWN if receipt.expressed_share is None else format_percent(receipt.expressed_share),
        ),
        ("Duration", f"{receipt.duration_s:.2f} s"),
        ("Distance", _number(receipt.distance_m, "{:.3f} m")),
        ("Speed", NOT_KNOWN if receipt.speed_m_s is None else format_speed(receipt.speed_m_s)),
        ("Smallest balance margin", _number(receipt.balance_margin_mm, "{:.1f} mm")),
        ("Nearest joint limit", _number(receipt.joint_limit_margin_rad, "{:.0f}°", math.degrees(1.0))),
        ("Joint speed used", _number(receipt.joint_speed_use, "{:.0f} %", 100.0)),
        ("Torque used", _number(receipt.torque_use, "{:.0f} %", 100.0)),
        ("Foot slip", _number(receipt.foot_slip_mm, "{:.1f} mm")),
        ("Depth in the ground", _number(receipt.penetration_mm, "{:.1f} mm")),
        ("Least distance of own bodies", _number(receipt.self_collision_mm, "{:.1f} mm")),
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
    return [("Gaze error", gaze), ("Degrees of freedom left", f"{receipt.redundancy}")]


def goal_words(ending: GoalEnding) -> str:
    """Return where a walk ended, relative to its goal, to end a sentence: `17 mm from its goal, facing as asked`."""
    far = _millimetres(ending.goal_error_m)
    if ending.goal_error_m < _AT_THE_GOAL_M:
        return f"{far} from its goal, {_facing(ending.heading_error_rad)}"
    return f"{far} from its goal ({_aside(ending)}){_beyond(ending)}, {_facing(ending.heading_error_rad)}"


def _aside(ending: GoalEnding) -> str:
    along = _towards(ending.too_far_m, "too far", "short of it")
    return ", ".join(filter(None, (along, _towards(ending.to_left_m, "to the left", "to the right"))))


def _towards(off_m: float, more: str, less: str) -> str:
    """Return a length and its side; nothing if it would print as 0 mm."""
    return f"{_millimetres(abs(off_m))} {more if off_m > 0.0 else less}" if abs(off_m) >= _VISIBLE_M else ""


def _beyond(ending: GoalEnding) -> str:
    """Return how far beyond or short of its goal a walk ended, as a share of the way; nothing if that is little."""
    beyond = ending.too_far_m / max(ending.goal_distance_m, _AT_THE_GOAL_M)
    words = f", {format_percent(abs(beyond))} {'farther' if beyond > 0.0 else 'less far'} than asked"
    return words if abs(beyond) >= _FAR_OFF else ""


def _facing(off_rad: float) -> str:
    off_deg = math.degrees(off_rad)
    turned = f"turned {abs(off_deg):.1f}° farther {'left' if off_deg > 0.0 else 'right'} than asked"
    return turned if abs(off_deg) >= _VISIBLE_DEG else "facing as asked"


def _millimetres(length_m: float) -> str:
    return f"{length_m:.2f} m" if length_m >= 1.0 else f"{length_m * 1e3:.0f} mm"


def _expression(receipt: Receipt) -> list[str]:
    """Return how much of the emotion is expressed, what was weakened or is missing, and which limits forbid more."""
    limits = _join(receipt.reasons_of(ReasonKind.LIMIT))
    if receipt.verdict == "refused":
        return [f"Refused: {_join(receipt.reasons) or 'no reason is given'}."]
    if receipt.emotion is None or receipt.share_kept is None or receipt.strength is None:
        return [f"Changed because of {limits}."] if limits else []
    if receipt.verdict == "ok":
        if receipt.strength > _ALL:
            return [f"Expresses {receipt.emotion} as asked."]
        share = format_percent(receipt.strength)
        return [f"Expresses {share} of {receipt.emotion} on average."]
    first = f"Expresses {format_percent(receipt.strength)} of {receipt.emotion} on average"
    if receipt.expressed_share is None:
        first = f"Keeps {receipt.emotion} at {intensity_words(receipt)}"
    weakened = [reason.text for reason in receipt.reasons_of(ReasonKind.WEAKENED)]
    return [
        f"{'; '.join([first, *weakened])}.",
        *(_capitalise(f"{reason.text}.") for reason in receipt.reasons_of(ReasonKind.NOT_EXPRESSED)),
        f"More would break a limit ({limits})." if limits else "",
    ]


def _travel(receipt: Receipt) -> str:
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
    """Return how far a body turns in all; nothing if it does not turn."""
    if turned_rad is None:
        return ""
    return f", and turns {abs(math.degrees(turned_rad)):.0f}° to the {'left' if turned_rad > 0.0 else 'right'}"


def _direction(direction_rad: float | None, turned_rad: float | None) -> str:
    """Return the direction of a walk in the frame of the body; nothing if it is ahead.

    If the body turns far, left and right change on the way: then no side is named.
    """
    if direction_rad is None:
        return ""
    ahead = math.cos(direction_rad)
    side = "left" if direction_rad > 0.0 else "right"
    along = "forwards" if ahead > 0.0 else "backwards"
    if abs(ahead) > _COS_AHEAD or abs(turned_rad or 0.0) > _TURNS_FAR_RAD:
        return "" if ahead > 0.0 else f" {along}"
    return f" sideways to the {side}" if abs(ahead) < _COS_ASIDE else f" {along} and to the {side}"


def _walking_speed(receipt: Receipt) -> str:
    """Return the walking speed without start and stop, beside the requested one."""
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


def _turn_rate(receipt: Receipt) -> str:
    """Return the turn rate without start and stop, beside the requested one."""
    reached = receipt.turn_rate_rad_s
    asked = receipt.turn_rate_asked_rad_s
    if reached is None or not asked:
        return ""
    rates = (f"{math.degrees(rate):.0f}°/s" for rate in (abs(reached), abs(asked)))
    return "Turns at {} once under way, {} were asked.".format(*rates)


def _robustness(receipt: Receipt) -> str:
    """Return the controller that the motion was proved with, and in which other conditions; nothing if in none."""
    proved = receipt.robustness
    if proved is None:
        return ""
    first = f"Stays upright by {_CONTROLLERS.get(receipt.controller or '', receipt.controller)} as planned"
    falls = [reason.text for reason in receipt.reasons_of(ReasonKind.NO_MARGIN)]
    if falls:
        return f"{first}, but {'; '.join(falls)}."
    masses = " to ".join(format_percent(float(proved[f"{end}_mass_scale"])) for end in ("min", "max"))
    return f"{first}, and at friction {proved['min_friction']} to {proved['max_friction']} with {masses} of the mass."


def _needs(receipt: Receipt) -> list[str]:
    """Return what the motion needs from the body, one fact per sentence."""
    is_task = receipt.redundancy is not None  # only tasks of a hand report the degrees of freedom that they leave
    is_person = receipt.soundness is not None  # only walks with landings, which are people's, have a soundness
    task = "The hand is at most {:.2f} mm off its path." if is_task else "The plan ends {:.2f} mm from its goal."
    strength = "its strength" if is_person else "its torque limit"
    known = [
        _balance(receipt.balance_margin_mm),
        _number(receipt.torque_use, f"The busiest joint reaches {{:.0%}} of {strength}."),
        _number(receipt.joint_speed_use, "The fastest joint reaches {:.0%} of its speed limit."),
        _slip(receipt.foot_slip_mm),
        _number(receipt.task_error_mm, task),
        _number(receipt.gaze_error_rad, "The head looks at most {:.3f}° beside its goal.", math.degrees(1.0)),
        _number(receipt.redundancy, "{:.0f} degrees of freedom are left for expression."),
        _number(receipt.cost_of_transport, "The cost of transport is {:.2f}."),
    ]
    return [sentence for sentence in known if sentence != NOT_KNOWN]


def _moving_ends(receipt: Receipt) -> str:
    if receipt.moving_ends is None:
        return ""
    return f"It is not at rest at its {receipt.moving_ends}: judged there by the samples inside it alone."


def _balance(margin_mm: float | None) -> str:
    if margin_mm is not None and margin_mm < 0.0:
        return f"The centre of pressure is up to {-margin_mm:.0f} mm outside the support polygon."
    return _number(margin_mm, "The centre of pressure stays at least {:.0f} mm inside the support polygon.")


def _slip(slip_mm: float | None) -> str:
    if slip_mm is not None and slip_mm < _VISIBLE_SLIP_MM:
        return "No foot slips."
    return _number(slip_mm, "Feet slip at most {:.1f} mm.")


def _capitalise(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _join(reasons: Iterable[Reason]) -> str:
    return "; ".join(map(str, reasons))


def _number(value: float | None, words: str, factor: float = 1.0) -> str:
    return NOT_KNOWN if value is None else words.format(Share(value * factor))
