"""One synthesised gait for all tests that need one: it takes most of a minute on a busy machine."""

import pytest

from strut.optimal.synthesise import synthesise
from strut.robots.catalogue import load_robot


@pytest.fixture(scope="session")
def heiman():
    return load_robot("heiman")


@pytest.fixture(scope="session")
def gait(heiman):
    return synthesise(heiman, speed_m_s=1.3)
