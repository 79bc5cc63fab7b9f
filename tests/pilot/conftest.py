"""What tests of control share: Cassie as a driven body, and short simulated shows."""

import pytest

from strut.models.catalogue import load_robot
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.plant.torque_model import control_table, torque_model


@pytest.fixture(scope="session")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="session")
def table(cassie):
    return control_table(cassie)


@pytest.fixture(scope="session")
def model(cassie):
    return torque_model(cassie, friction=0.6, step_s=0.001)


@pytest.fixture(scope="session")
def body(model, table):
    return actuated_model(model, table)
