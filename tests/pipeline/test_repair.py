"""Repair: motions that break limits come back as ones that keep them, with given and with detected contacts."""

from dataclasses import replace

import numpy as np
import pytest

from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pipeline.animate import draw
from strut.pipeline.repair import repair
from strut.verify.check import check
from tests.stories import dance


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def broken(cassie):
    return draw(cassie, dance(beats=2, beat_s=0.28))


@pytest.mark.parametrize("detected", [False, True])
def test_a_motion_that_breaks_limits_is_repaired(cassie, broken, detected):
    assert check(broken, cassie).verdict == "refused"
    given = replace(broken, contact=np.zeros_like(broken.contact)) if detected else broken
    motion = repair(given, cassie)
    assert check(motion, cassie).verdict == "ok"
    assert motion.contact.all()
    report = motion.meta["repair"]
    assert 0.1 < report["away_mm"]["rms"] < 30.0
    assert report["duration_s"] >= report["drawn_s"] - 1e-6


def test_a_body_without_feet_is_not_repaired():
    pepper = load_robot("pepper")
    qpos = np.zeros((50, pepper.model.nq))
    motion = replace(
        draw("cassie", dance(beats=2)),
        robot="pepper",
        time_s=np.arange(50) / 50.0,
        qpos=qpos,
        joint_names=pepper.joint_names,
        contact=np.zeros((50, 0), dtype=bool),
        foot_names=(),
        meta={},
    )
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        repair(motion, pepper)
