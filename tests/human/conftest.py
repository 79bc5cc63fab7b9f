"""What tests of human gaits share besides the gait itself: the mirror, and a step that nobody has solved."""

import pytest

from strut.human.problem.criteria import NATURAL, named_criteria
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.gait_problem import gait_problem
from strut.human.synthesis.initial_guess import guessed_step
from strut.kinematics.mirror import mirror_of


@pytest.fixture(scope="session")
def mirror(heiman):
    return mirror_of(
        heiman, ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)
    )


@pytest.fixture(scope="session")
def natural_problem(heiman):
    """The usual problem on a coarse mesh."""
    options = named_gait_options(heiman, [HUMAN])
    return gait_problem(heiman, named_criteria(heiman, NATURAL), speed_m_s=1.3, intervals=(4, 4, 2, 2), options=options)


@pytest.fixture(scope="session")
def drawn_step(heiman, natural_problem):
    """A guessed step: right in its geometry, wrong in its forces."""
    return guessed_step(heiman, natural_problem, 1.3)
