"""A plant played in pieces does what it does in one piece."""

from dataclasses import fields

import numpy as np

from strut.pipeline.walk import walk
from strut.place import Place
from strut.simulation.physics import FEEDBACK_S, Plant, Run, run_servos
from tests.alice import ALICE


def test_playing_piece_by_piece_is_playing_in_one():
    motion = walk(ALICE, goal=Place(0.04, 0.0))
    goal = motion.joint_angles_rad
    torque = motion.torque_nm
    whole = run_servos(ALICE, motion.time_s, motion.qpos[0], goal, torque, friction=0.8, mass_scale=1.0)
    plant = Plant(ALICE, float(motion.time_s[1] - motion.time_s[0]), friction=0.8, mass_scale=1.0)
    control = plant.control(motion.time_s, goal, torque)
    cut = 130
    first = plant.play(motion.time_s[:cut], control[: cut + 1], motion.qpos[0])
    second = plant.play(motion.time_s[cut:], control[cut:])
    np.testing.assert_array_equal(np.concatenate([first.qpos, second.qpos]), whole.qpos)
    np.testing.assert_array_equal(np.concatenate([first.foot_load_n, second.foot_load_n]), whole.foot_load_n)


def test_standing_feet_carry_the_weight():
    motion = walk(ALICE, goal=Place(0.0, 0.0))
    run = run_servos(
        ALICE, motion.time_s, motion.qpos[0], motion.joint_angles_rad, motion.torque_nm, friction=0.8, mass_scale=1.0
    )
    load = run.foot_load_n[-1]
    np.testing.assert_allclose(load.sum(), ALICE.mass_kg * 9.81, rtol=1e-3)
    np.testing.assert_allclose(load[0], load[1], rtol=0.05)
    assert run.other_load_n.max() == 0.0


class Counted:
    """Pushes nothing, and remembers when it was asked."""

    torque_driven = np.array([], dtype=np.intp)

    def __init__(self):
        self.asked_s = []

    def correction(self, time_s, _qpos, _qvel):
        self.asked_s.append(time_s)
        return np.zeros(len(ALICE.joint_names))


def test_a_controller_is_asked_every_four_milliseconds():
    time_s = np.arange(21) / 100.0
    feedback = Counted()
    goal = np.tile(ALICE.standing_qpos[7:], (len(time_s), 1))
    run_servos(
        ALICE,
        time_s,
        ALICE.standing_qpos,
        goal,
        np.zeros_like(goal),
        friction=0.8,
        mass_scale=1.0,
        feedback=feedback,
    )
    np.testing.assert_allclose(np.diff(feedback.asked_s), FEEDBACK_S, atol=1e-9)


def test_the_first_samples_of_a_run_are_those_of_all_its_columns():
    samples = np.arange(5.0)
    columns = (
        samples,
        np.tile(samples[:, None], 9),
        -samples[:, None],
        2.0 * samples,
        np.ones((5, 2, 3)),
        *np.ones((2, 5)),
    )
    run = Run(*columns)
    first = run.first(2)
    assert [len(getattr(first, column.name)) for column in fields(run)] == [2] * 7
    np.testing.assert_array_equal(first.time_s, [0.0, 1.0])
    np.testing.assert_array_equal(first.torque_nm, [[0.0], [-1.0]])
