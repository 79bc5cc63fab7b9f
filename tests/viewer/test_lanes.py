import numpy as np

from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.footage import footage, nearest_samples
from strut.viewer.lanes import moving_groups


def test_parts_that_move_as_one_share_a_group(robot: Robot, calm: Motion) -> None:
    film = footage(calm, robot, nearest_samples(calm, np.arange(0.0, 8.0, 0.1)))
    groups = moving_groups(film)
    assert sorted(index for members in groups for index in members) == list(range(len(film.solids)))
    assert len(groups) < len(film.solids) / 2
    for leader, *followers in groups:
        to_leader = np.swapaxes(film.solid_to_world[:, leader], -1, -2)
        for follower in followers:
            away = film.centre_in_world[:, follower] - film.centre_in_world[:, leader]
            in_leader = np.einsum("fij,fj->fi", to_leader, away)
            assert np.ptp(in_leader, axis=0).max() < 1e-4


def test_a_joint_between_parts_keeps_them_apart(stool: Robot, bare: Motion) -> None:
    film = footage(bare, stool, np.arange(0, 50))
    assert moving_groups(film) == [[0], [1, 2]]  # the seat; the leg and the ball at its tip
