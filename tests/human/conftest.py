"""What tests of human gaits share besides the gait itself."""

import pytest

from strut.mirror import mirror_of


@pytest.fixture(scope="session")
def mirror(heiman):
    return mirror_of(
        heiman, ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)
    )
