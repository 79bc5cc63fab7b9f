"""Feelings of an adopted robot: its gait.toml and expression.toml, from what was found of it.

What feelings change, and by how much, stands in `quadruped_feelings.toml` and `biped_feelings.toml` with the sources;
which joints follow a word was measured as the robot stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.upper_body import UpperBody
from strut.expression.secondary_motion import SECONDARY_WORDS
from strut.gaits.pattern.table import PatternTable

# What joints do, and the word that they follow; whether those that do it share the angle.
_FOLLOWS = {
    "bend the trunk forward": ("trunk_pitch_rad", True),
    "nod": ("head_pitch_rad", True),
    "swing the arm forward": ("arm_swing", False),
    "bend the elbow": ("elbow_rad", False),
}
_GAIT_WORDS = ("tempo", "stride", "direction", "lift", "stance_width", "bounce", "jerkiness", "body_pitch_rad")
_CLEAR = 0.7  # of a joint's axis that must point ahead for it to raise an arm sideways


def usual_gait(legs: int) -> PatternTable:
    """Return the pattern that so many legs walk by."""
    return PatternTable(gait="trot" if legs == 4 else "biped")


def gait_toml(gait: PatternTable) -> str:
    """Return gait.toml: the pattern and the factors on it."""
    others = ", crawl or walk" if gait.gait == "trot" else ""
    return (
        f"# How it walks. `strut walk --gait` chooses another pattern{others and f': {others[2:]}'}.\n"
        'kind = "pattern"\n'
        f'gait = "{gait.gait}"\n'
        "# Factors on the pattern: duration of a cycle, travel in it, lift of feet, and their distance sideways.\n"
        f"period = {gait.period:.3g}\n"
        f"stride = {gait.stride:.3g}\n"
        f"lift = {gait.lift:.3g}\n"
        f"width = {gait.width:.3g}\n"
        + (f"slow_because = {json.dumps(gait.slow_because, ensure_ascii=False)}\n" if gait.slow_because else "")
    )


def expression_toml(anatomy: BodyPlan, body: UpperBody) -> str:
    """Return expression.toml: what feelings do to it, and which joints follow a word."""
    kind = "quadruped" if len(anatomy.legs) == 4 else "biped"
    published = files("strut.adoption").joinpath(f"{kind}_feelings.toml").read_text("utf-8")
    lines = [
        "",
        "# What it has for each word: {} where the gait reads the word itself, else joints with their factors.",
        "[word]",
    ]
    lines += [f"{word} = {{}}" for word in _GAIT_WORDS]
    lines.append("body_height = { least = 0.6, most = 1.1 }")
    parts = {**_joint_parts(body), **_raised_arms(anatomy, body)}
    if "trunk_pitch_rad" not in parts:
        lines.append("trunk_pitch_rad = {}            # no joint bends the trunk, so that the whole body leans")
    for word, joints in parts.items():
        inner = ", ".join(f'"{joint}" = {factor:g}' for joint, factor in joints.items())
        lines.append(f"{word} = {{ joints = {{ {inner} }} }}")
    lines += ["", "[animated.word]", *(f"{word} = {{}}" for word in SECONDARY_WORDS if word not in _GAIT_WORDS)]
    return published + "\n".join(lines) + "\n"


def _joint_parts(body: UpperBody) -> Mapping[str, Mapping[str, float]]:
    """Return the joints that follow a word, each with its factor; several that bend the same thing share its angle."""
    parts: dict[str, dict[str, float]] = {}
    for does, (word, shared) in _FOLLOWS.items():
        doers = [joint for joint in body.expressive if joint.does == does]
        share = 1.0 / len(doers) if shared and doers else 1.0
        if doers:
            parts[word] = {joint.joint: joint.sign * share for joint in doers}
    return parts


def _raised_arms(anatomy: BodyPlan, body: UpperBody) -> Mapping[str, Mapping[str, float]]:
    """Return the joints that raise arms sideways: the first of each that turns a hanging arm outwards and has room."""
    tree = anatomy.tree
    joints = {}
    data = tree.pose(anatomy.standing)
    for limb in (one for one in body.limbs if one.kind == "arm"):
        for joint in limb.joints:
            side = float(np.sign(data.xanchor[joint][1]))
            ahead = float(data.xaxis[joint][0])
            if abs(ahead) > _CLEAR and side:
                joints[tree.joint_name(joint)] = float(np.sign(ahead)) * side
                break
    return {"shoulder_rad": joints} if joints else {}
