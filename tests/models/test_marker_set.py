"""Markers move with the segment that wears them, and sit further out on longer people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut import load_robot
from strut.errors import BadTableError
from strut.models.marker_set import marker_points
from strut.models.subject import subject
from strut.schemas.human import MarkerTable


def standing(robot):
    return robot.model.qpos0.copy()[None]


def test_the_human_wears_the_thirty_two_markers_of_the_thesis():
    robot = load_robot("heiman")
    names = [name for own in robot.markers.segment.values() for name in own]
    assert len(names) == len(set(names)) == 32
    points = dict(zip(names, marker_points(robot, standing(robot))[0], strict=True))
    assert points["LASI"][1] > 0.05 > -0.05 > points["RASI"][1]  # left is +y
    assert points["RTOE"][0] > points["RHEE"][0] + 0.2
    assert points["C7"][2] > points["LPSI"][2] > points["RKNE"][2] > points["RANK"][2] > 0.0


def test_markers_turn_with_the_body_and_keep_their_distances():
    robot = load_robot("heiman")
    still = standing(robot)
    turned = still.copy()
    turned[0, :3] += [0.4, -0.2, 0.1]
    turned[0, 3:7] = Rotation.from_euler("z", 90, degrees=True).as_quat(scalar_first=True)
    before, after = (marker_points(robot, qpos)[0] - qpos[0, :3] for qpos in (still, turned))
    np.testing.assert_allclose(after, before @ Rotation.from_euler("z", 90, degrees=True).as_matrix().T, atol=1e-12)


def test_markers_grow_with_the_segments_of_a_person():
    worn = load_robot("heiman").markers.segment
    lengths = load_robot("heiman").subject.lengths_m
    longer = subject(1.86, 75.0, lengths_m={**lengths, "ThighRightLength": 1.1 * lengths["ThighRightLength"]})
    own = longer.markers.segment
    np.testing.assert_allclose(own["ThighRight"]["RTHI"], 1.1 * np.array(worn["ThighRight"]["RTHI"]))
    np.testing.assert_allclose(own["Head"]["RFHD"], worn["Head"]["RFHD"])


def test_a_marker_on_an_unknown_segment_is_refused():
    robot = load_robot("heiman")
    wrong = replace(robot, tables=replace(robot.tables, markers=MarkerTable({"Tail": {"TAIL": (0.0, 0.0, 0.0)}})))
    with pytest.raises(BadTableError, match="the body has no segment Tail"):
        marker_points(wrong, standing(robot))
    crooked = replace(robot, tables=replace(robot.tables, markers=MarkerTable({"Head": {"TOP": (0.0, np.nan, 0.0)}})))
    with pytest.raises(BadTableError, match="the marker TOP needs three finite coordinates"):
        marker_points(crooked, standing(robot))
