"""The task that a motion file names: its path, its duration and its style are read back or refused."""

import numpy as np
import pytest

from strut.draft import Draft
from strut.errors import BadMotionError
from strut.gaits.hand_task.task_audit import task_audit
from strut.models.catalogue import load_robot

PEPPER = load_robot("pepper")
ROWS = np.column_stack([np.linspace(0.0, 2.0, 5), np.tile([0.3, -0.2, 0.9], (5, 1))])
TASK = {"task": "draw", "hand": "right", "path": ROWS.tolist()}


def audit(task=TASK, samples=21, duration_s=2.0, **meta):
    """Return the task audit of a motion that stands still."""
    qpos = np.tile(PEPPER.standing_qpos, (samples, 1))
    time_s = 3.0 + np.linspace(0.0, duration_s, samples)
    contact = np.zeros((samples, len(PEPPER.foot_names)), dtype=bool)
    options = {"user_m": [1.0, 0.0, 1.5]}
    return task_audit(Draft(PEPPER, time_s, qpos, contact, None, meta={"task": task, "options": options} | meta))


@pytest.mark.parametrize(("samples", "duration_s", "fits"), [(21, 2.14, True), (21, 2.17, False), (5, 1.5, True),
                                                             (5, 1.4, False)])  # fmt: skip
def test_the_task_may_differ_from_the_motion_by_a_sample_and_a_half(samples, duration_s, fits):
    if fits:
        assert len(audit(samples=samples, duration_s=duration_s).hand_error_m) == samples
    else:
        with pytest.raises(BadMotionError, match="its task takes 2 s"):
            audit(samples=samples, duration_s=duration_s)


@pytest.mark.parametrize("rows", [ROWS[:, :3], ROWS[0], np.where(ROWS == 0.3, np.nan, ROWS)])
def test_a_path_that_is_no_table_of_finite_numbers_is_refused(rows):
    with pytest.raises(BadMotionError, match="no table of 4 or 8"):
        audit(TASK | {"path": rows.tolist()})


def test_the_gaze_is_judged_only_if_the_file_has_a_style():
    assert audit().gaze_error_rad is None
    away = audit(style={"gaze": "0.25"}).gaze_error_rad
    ahead = audit(style={"gaze": 1.0}).gaze_error_rad
    assert away.shape == ahead.shape == (21,)
    assert np.abs(away - ahead).min() > 1e-3
