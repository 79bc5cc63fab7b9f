"""Pinocchio as an independent oracle for any MJCF text, seen through our conventions. Only tests import it."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel on this platform")


def pinocchio_model(mjcf):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(mjcf, "utf-8")
        return pin.buildModelFromMJCF(str(path))


def to_pinocchio(qpos):
    """Move the base quaternion from wxyz to xyzw."""
    return np.concatenate([qpos[:3], qpos[4:7], qpos[3:4], qpos[7:]])
