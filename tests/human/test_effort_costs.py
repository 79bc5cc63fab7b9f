"""Criteria in numbers: effort counts per metre and actuator, and four weights make a mixture."""

from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

from strut.errors import OutOfRangeError
from strut.human.criteria import weighted_criteria
from strut.human.effort_costs import published_costs
from strut.human.gait_options import GaitOptions


@pytest.mark.parametrize(("step_m", "share", "effort"), [(1.0, 1.0, 1.0), (0.5, 1.0, 2.0), (0.5, 3.0, 18.0)])
def test_published_effort_is_the_mean_square_of_torques_over_their_scale_per_metre(heiman, step_m, share, effort):
    scale = np.linspace(1.0, 9.0, len(heiman.joint_names))
    node = SimpleNamespace(
        u=ca.DM(share * scale), scales=SimpleNamespace(torque=ca.DM(scale)), parameter={"step_length_m": step_m}
    )
    cost = published_costs(heiman, weighted_criteria(heiman, (1.0, 0.0, 0.0, 0.0)), GaitOptions())[0]
    assert float(cost.rate(node)) == pytest.approx(effort)


def test_a_mixture_has_four_weights(heiman):
    found = weighted_criteria(heiman, (1.0, 2.0, 3.0, 4.0))
    assert (found.effort, found.momentum, found.head, found.time) == (1.0, 2.0, 3.0, 4.0)
    with pytest.raises(OutOfRangeError, match="3 weights were given; four are needed"):
        weighted_criteria(heiman, (1.0, 2.0, 3.0))
