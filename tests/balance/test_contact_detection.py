"""Contacts that are found from a movement are those that its planner or recorder knew."""

import numpy as np
import pytest

import strut
from strut.balance.contact_detection import detect_contacts


@pytest.mark.parametrize("offset_m", [0.0, 0.03, -0.02])
def test_stances_of_a_plan_are_found_at_any_height_of_its_floor(offset_m, happy_walk, mrpete):
    qpos = happy_walk.qpos.copy()
    qpos[:, 2] += offset_m
    detected = detect_contacts(mrpete, happy_walk.time_s, qpos)
    assert (detected == happy_walk.contact).mean() > 0.95


def test_stances_survive_noise_of_the_feet(happy_walk, mrpete):
    rng = np.random.default_rng(3)
    noisy = happy_walk.qpos.copy()
    noisy[:, 7:] += rng.normal(0.0, 2e-3, noisy[:, 7:].shape)
    detected = detect_contacts(mrpete, happy_walk.time_s, noisy)
    assert (detected == happy_walk.contact).mean() > 0.9


def test_a_robot_that_hangs_in_the_air_and_kicks_stands_on_no_foot(mrpete):
    time_s = np.arange(200) / 100.0
    qpos = np.tile(mrpete.standing_qpos, (200, 1))
    qpos[:, 7:] += 0.4 * np.sin(2.0 * np.pi * 2.0 * time_s)[:, None]
    assert detect_contacts(mrpete, time_s, qpos).mean() < 0.3


def test_a_robot_without_feet_has_no_contacts():
    pepper = strut.load_robot("pepper")
    qpos = np.tile(pepper.standing_qpos, (10, 1))
    assert detect_contacts(pepper, np.arange(10) / 100.0, qpos).shape == (10, 0)
