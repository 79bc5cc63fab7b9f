"""Published tables hang together by our own measures: weighted criteria, and parts of the similarity."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.human.analysis.gait_comparison import CriteriaValues, Dissimilarity, step_criteria
from strut.human.analysis.gait_cycle import published_step
from strut.human.table import human_gait
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.tree_functions import momentum_and_rotation
from tests.walker import walked

CROSS_TABLE = {  # Table 6.6 with the weights applied: gaits in rows, objectives in columns
    "Phi1": (0.0819, 5.6208, 1.5408, 4.8408, 6.1639),
    "Phi2": (0.8450, 0.00928, 3.5785, 3.8985, 1.9168),
    "Phi3": (0.8960, 5.0390, 0.00960, 2.6590, 5.9262),
    "Phi4": (1.0700, 4.2307, 1.2907, 2.0107, 5.6740),
    "Phi5": (0.1860, 0.01346, 0.00520, 5.0419, 0.1986),
}
TABLE_6_4 = {  # posture, time, and their sum as corrected (E27)
    "AngerExpressive": (0.0459, 0.0515, 0.0974),
    "AngerSuppressive": (0.0106, 0.0022, 0.0128),
    "Neutral": (0.0006, 0.0013, 0.0019),
    "JoySelfsufficient": (0.0050, 0.0025, 0.0075),
    "JoyExpressive": (0.0237, 0.0140, 0.0377),
}
TABLE_6_5 = {
    "Phi1": (0.0718, 0.0309, 0.1027),
    "Phi2": (0.0723, 0.0732, 0.1455),
    "Phi3": (0.0374, 0.1562, 0.1936),
    "Phi4": (0.0645, 0.2116, 0.2761),
    "Phi5": (0.0695, 0.0244, 0.0939),
}


def test_weighted_criteria_of_the_published_gaits_are_the_published_ones(heiman):  # behaviour 33
    published = heiman.published["criteria"]
    objectives = human_gait(heiman).objective
    weights = {entry.published: tuple(entry.gamma) for entry in objectives.values()}
    for gait, row in CROSS_TABLE.items():
        values = CriteriaValues(*published[gait])
        assert_allclose([values.weighted(weights[f"Phi{k}"]) for k in range(1, 6)], row, rtol=5e-4)
    best = [min(CROSS_TABLE, key=lambda gait, k=k: CROSS_TABLE[gait][k]) for k in range(5)]
    assert best == ["Phi1", "Phi2", "Phi5", "Phi4", "Phi5"]  # the third is a local minimum (E28)
    basic = [min(CROSS_TABLE, key=lambda gait, k=k: published[gait][k]) for k in range(4)]
    assert basic == ["Phi1", "Phi2", "Phi3", "Phi4"]


@pytest.mark.parametrize("table", [TABLE_6_4, TABLE_6_5], ids=["recorded", "synthesized"])
def test_rows_of_the_similarity_tables_are_the_sums_of_their_parts(table):  # behaviour 35
    totals = {name: Dissimilarity(posture, time).total for name, (posture, time, _) in table.items()}
    assert_allclose(list(totals.values()), [total for *_, total in table.values()], atol=1e-12)
    assert min(totals, key=totals.get) in {"Neutral", "Phi5"}


def test_effort_falls_with_the_length_of_the_step_and_head_rotation_has_no_axes(heiman):  # behaviour 32
    step = published_step(heiman, walked(heiman, 1)).motion
    stretched = step.qpos.copy()
    stretched[:, 0] *= 1.25
    once, longer = (step_criteria(heiman, replace(step, qpos=qpos)) for qpos in (step.qpos, stretched))
    assert longer.effort == pytest.approx(once.effort / 1.25, rel=1e-9)
    assert longer.head == pytest.approx(once.head, rel=1e-9)
    tree = read_tree(heiman.model)
    rng = np.random.default_rng(5)
    qpos = step.qpos[:5].copy()
    qvel = rng.normal(size=(5, 34))
    turn = Rotation.random(rng=rng)
    _, here = momentum_and_rotation(tree, qpos, qvel, "Head")
    qpos[:, 3:7] = (turn * Rotation.from_quat(qpos[:, 3:7], scalar_first=True)).as_quat(scalar_first=True)
    _, there = momentum_and_rotation(tree, qpos, qvel, "Head")
    assert_allclose(there, turn.apply(here), atol=1e-9)
    assert_allclose(np.sum(there**2, axis=1), np.sum(here**2, axis=1), rtol=1e-12)
