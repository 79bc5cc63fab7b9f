"""A file format: the configuration of every sample as JSON, with the names of robot, joints and feet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from strut.motion import Motion


class JointWriter:
    """Writes `.joints` files."""

    ending = ".joints"

    def encode(self, motion: Motion) -> bytes:
        """Return the content of the file, in SI units and radians."""
        table = {
            "robot": motion.robot,
            "joints": motion.joint_names,
            "feet": motion.foot_names,
            "time_s": motion.time_s.tolist(),
            "qpos": motion.qpos.tolist(),
            "contact": motion.contact.tolist(),
        }
        return json.dumps(table).encode()

    def omitted(self, motion: Motion) -> Sequence[str]:
        """Return what the format cannot store."""
        return ("forces", "receipt")


class JointReader:
    """Reads `.joints` files."""

    endings = (".joints",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins like one of this format."""
        return head.startswith(b'{"robot"')

    def read(self, content: bytes, path: Path) -> Motion:
        """Return the motion in the content of a file."""
        table = json.loads(content)
        return Motion(
            robot=table["robot"],
            time_s=np.array(table["time_s"]),
            qpos=np.array(table["qpos"]),
            joint_names=tuple(table["joints"]),
            contact=np.array(table["contact"], dtype=bool),
            foot_names=tuple(table["feet"]),
        )


WRITER = JointWriter()
READER = JointReader()
