"""One synthesised gait for all tests that need one: it takes most of a minute on a busy machine."""

import pytest

from strut.optimal.synthesise import synthesise
from strut.robots.catalogue import load_robot
from strut.robots.mirror import mirror_of


@pytest.fixture(scope="session")
def heiman():
    return load_robot("heiman")


@pytest.fixture(scope="session")
def gait(heiman):
    return synthesise(heiman, speed_m_s=1.3)


@pytest.fixture(scope="session")
def mirror(heiman):
    return mirror_of(
        heiman, ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)
    )
