"""Audits of two samples, made by hand: a robot that stands still on all feet and breaks nothing."""

from types import SimpleNamespace

import numpy as np

from strut.models.catalogue import load_robot

PETE = load_robot("mrpete")


def needs_of(robot=PETE, **changes):
    """Return an audit that keeps everything: all feet stand, nothing moves, the body is 0.3 m high."""
    joints = len(robot.joint_names)
    feet = len(robot.foot_names)
    qpos = np.full((2, robot.base_size + joints), 7.0)
    qpos[:, 2] = 0.3
    plain = {
        "time_s": np.array([1.0, 1.25]),
        "qpos": qpos,
        "contact": np.ones((2, feet), dtype=bool),
        "foot_height_m": np.zeros((2, feet)),
        "foot_top_m": np.zeros((2, feet)),
        "slip_m": np.zeros((2, feet)),
        "joint_limit_margin_rad": np.full((2, joints), 0.5),
        "clearance_m": np.full((2, 2), 0.1),
        "part_names": ("trunk", "thigh"),
        "joint_speed_rad_s": np.zeros((2, joints)),
        "torque_nm": np.zeros((2, joints)),
        "drive_use": np.zeros((2, 0)),
        "ground_force_n": np.tile([0.0, 0.0, 20.0], (2, feet, 1)),
        "margin_m": np.full(2, 0.05),
        "on_lines": False,
        "self_distance": None,
        "force_disagreement": None,
        "torque_disagreement": None,
        "cop_disagreement_m": None,
        "margin_disagreement_m": None,
        "landings": None,
        "limit_set": "standing",
        "parts": {},
    }
    return SimpleNamespace(**plain | changes)


def draft_of(needs, robot=PETE):
    """Return the draft that such an audit belongs to."""
    return SimpleNamespace(
        robot=robot,
        time_s=needs.time_s,
        contact=needs.contact,
        qpos=needs.qpos,
        measured=needs,
        violations=(),
        ground_force_n=None,
    )


def with_value(shape, sample, column, value, base=0.0):
    """Return a table that is the same everywhere but at one place."""
    table = np.full(shape, base, dtype=float)
    table[sample, column] = value
    return table
