"""Ground forces of a file push, stay within friction, and act on feet that stand, where the movement needs them."""

from dataclasses import replace

import numpy as np
import pytest

from strut import check

WEIGHT_N = 7.0 * 9.81


def with_forces(walk, change):
    """Return a walk with changed ground forces whose sum is the same."""
    force_n = walk.ground_force_n.copy()
    change(force_n, walk.contact)
    return check(replace(walk, ground_force_n=force_n, torque_nm=None))


def reasons(receipt):
    return "; ".join(map(str, receipt.reasons))


def shifted(one, other, force_n):
    """Return a change that moves a force from one foot to another while all feet stand."""

    def change(forces, contact):
        standing = contact.all(axis=1)
        forces[standing, one] -= force_n
        forces[standing, other] += force_n

    return change


def test_the_forces_of_a_planned_walk_are_accepted(neutral_walk):
    assert check(neutral_walk).verdict == "ok"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (shifted(0, 1, np.array([0.0, 0.0, WEIGHT_N])), "a foot pulls at the ground"),
        (shifted(0, 1, np.array([WEIGHT_N, 0.0, 0.0])), "a foot has more force sideways than friction allows"),
    ],
)
def test_forces_between_feet_that_no_ground_gives_are_refused(neutral_walk, change, why):
    receipt = with_forces(neutral_walk, change)
    assert receipt.verdict == "refused"
    assert why in reasons(receipt)


def test_a_foot_in_the_air_carries_nothing(neutral_walk):
    def change(forces, contact):
        swinging = ~contact[:, 0]
        forces[swinging, 0] += forces[swinging, 1]
        forces[swinging, 1] = 0.0

    receipt = with_forces(neutral_walk, change)
    assert "a foot in the air is loaded" in reasons(receipt)


def test_the_feet_carry_where_the_centre_of_pressure_is(neutral_walk):
    def change(forces, contact):
        first = np.argmax(contact, axis=1)
        whole = forces.sum(axis=1)
        forces[:] = 0.0
        forces[np.arange(len(forces)), first] = whole

    receipt = with_forces(neutral_walk, change)
    assert "loads of the feet put the centre of pressure" in reasons(receipt)
