"""Legs of five joints: the rotation of the sole that they cannot control; and robots whose files change."""

import numpy as np
import pytest

from strut.draft import Detail
from strut.engines.task_jacobians import task_jacobians
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.table import PatternTable
from strut.models.catalogue import load_robot
from tests.adoption.small_robots import biped, import_robot


def without(joint):
    """Return the biped with a joint of each leg fixed."""
    root = biped()
    for element in root.iter("joint"):
        if element.get("name").endswith(joint):
            element.set("type", "fixed")
    return root


@pytest.mark.parametrize(("joint", "kept"), [("ankle_roll", [0, 1, 1]), ("hip_yaw", [1, 1, 0]), ("no", [1, 1, 1])])
def test_a_sole_is_free_to_rotate_as_its_leg_cannot(tmp_path, joint, kept):
    robot = import_robot(without(joint), tmp_path, "biped.urdf")[0]
    np.testing.assert_array_equal(robot.foot_turns, [kept, kept])


def test_soles_of_legs_that_do_not_yaw_stay_level_in_the_air(tmp_path):
    robot = import_robot(without("hip_yaw"), tmp_path, "biped.urdf")[0]
    drafts = GaitDrafts(robot, PatternGait(cycles=2), 50.0)
    draft = next(iter(drafts.drafts(robot.expression.neutral_style(), Detail("search"))))
    up = task_jacobians(robot, draft.qpos).foot_rotation[..., 2, :]  # the world's z in the axes of the foot
    rolled_rad = np.arcsin(np.abs(up[..., 1]))
    assert rolled_rad.max() < 0.02


def test_a_robot_is_read_again_when_its_gait_file_changes(tmp_path):
    folder = import_robot(biped(), tmp_path, "biped.urdf")[0].name
    before = load_robot(folder)
    assert load_robot(folder) is before
    file = tmp_path / "robot" / "gait.toml"
    file.write_text(file.read_text("utf-8").replace("stride = 1\n", "stride = 0.5\n"), "utf-8")
    assert (before.gait_as(PatternTable).stride, load_robot(folder).gait_as(PatternTable).stride) == (1.0, 0.5)
