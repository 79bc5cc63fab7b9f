"""Expression table of an imported robot: expression.toml, from its anatomy.

What emotions change, and by how much, is in `quadruped_emotions.toml` and `biped_emotions.toml` with the sources. Which
joints follow a style parameter was measured in the standing posture.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.upper_body import UpperBody
from strut.expression.secondary_motion import SECONDARY_PARAMETERS

_FOLLOWED = {  # effect of a joint: the style parameter that it follows, and whether joints share the angle
    "bend the trunk forward": ("trunk_pitch_rad", True),
    "nod": ("head_pitch_rad", True),
    "swing the arm forward": ("arm_swing", False),
    "bend the elbow": ("elbow_rad", False),
}
_GAIT_PARAMETERS = ("tempo", "stride", "direction", "lift", "stance_width", "bounce", "jerkiness", "body_pitch_rad")
_FORWARD_AXIS = 0.7  # forward part of a joint's unit axis, above which it raises an arm sideways


def format_expression_toml(anatomy: Anatomy, body: UpperBody) -> str:
    """Return expression.toml: what emotions do to a robot, and which joints follow a style parameter."""
    published = files("strut.adoption").joinpath(f"{anatomy.kind}_emotions.toml").read_text("utf-8")
    lines = [
        "",
        "# Style parameters of this robot: {} if the gait reads the parameter itself, else joints with their factors.",
        "[parameter]",
    ]
    lines += [f"{parameter} = {{}}" for parameter in _GAIT_PARAMETERS]
    lines.append("body_height = { min = 0.6, max = 1.1 }")
    joints_of = {**_joints_of_parameters(body), **_joints_that_raise_arms(anatomy, body)}
    if "trunk_pitch_rad" not in joints_of:
        lines.append("trunk_pitch_rad = {}            # no joint bends the trunk, so the whole body pitches")
    for parameter, joints in joints_of.items():
        factors = ", ".join(f'"{joint}" = {factor:g}' for joint, factor in joints.items())
        lines.append(f"{parameter} = {{ joints = {{ {factors} }} }}")
    secondary = [parameter for parameter in SECONDARY_PARAMETERS if parameter not in _GAIT_PARAMETERS]
    lines += ["", "[animated.parameter]", *(f"{parameter} = {{}}" for parameter in secondary)]
    return published + "\n".join(lines) + "\n"


def _joints_of_parameters(body: UpperBody) -> Mapping[str, Mapping[str, float]]:
    """Return the joints that follow each style parameter with their factors; those of trunk or neck share the angle."""
    joints_of: dict[str, dict[str, float]] = {}
    for effect, (parameter, shares_angle) in _FOLLOWED.items():
        joints = [joint for joint in body.expressive if joint.does == effect]
        if joints:
            share = 1.0 / len(joints) if shares_angle else 1.0
            joints_of[parameter] = {joint.joint: joint.sign * share for joint in joints}
    return joints_of


def _joints_that_raise_arms(anatomy: Anatomy, body: UpperBody) -> Mapping[str, Mapping[str, float]]:
    """Return the joints that raise arms sideways: of each arm the first with a forward axis beside the middle."""
    tree = anatomy.tree
    joints = {}
    data = tree.pose(anatomy.standing)
    for limb in (limb for limb in body.limbs if limb.kind == "arm"):
        for joint in limb.joints:
            side = float(np.sign(data.xanchor[joint][1]))
            forward = float(data.xaxis[joint][0])
            if abs(forward) > _FORWARD_AXIS and side:
                joints[tree.joint_name(joint)] = float(np.sign(forward)) * side
                break
    return {"shoulder_rad": joints} if joints else {}
