"""Published numbers of the human that need no solver come out as printed; the others are asked for by `reproduce`."""

import pytest

from strut.human.analysis.gait_comparison import CriteriaValues
from strut.human.table import human_gait
from strut.models.catalogue import load_robot
from strut.reproduction.human import bodies_and_sizes, half_of_last_digit, orderings


def test_sizes_statures_and_time_terms_are_the_published_ones():
    robot = load_robot("heiman")
    rows = bodies_and_sizes(robot)
    assert len(rows) == 3 + 8 + 5
    assert all(row.verdict in {"same", "given", "erratum"} for row in rows)
    assert [row.group for row in rows if row.verdict == "same"] == ["similarity"] * 5  # the rest follows by arithmetic


def test_a_tolerance_is_half_of_the_last_digit_that_is_printed():
    assert [half_of_last_digit(value) for value in (8.19e-2, 5.62, 6.39e-5)] == pytest.approx([5e-5, 5e-3, 5e-8])


def test_the_misprinted_trunk_makes_a_giant():
    erratum = next(row for row in bodies_and_sizes(load_robot("heiman")) if row.erratum == "E01")
    assert erratum.published[0] > 1.27
    assert 1.02 < erratum.ours[0] < 1.03


def test_the_published_gaits_keep_their_orderings_but_for_the_local_minimum_of_head_rotation():
    """Table 6.6: each gait is best in its own criterion; weighted, the mixture beats the head's gait (E28)."""
    robot = load_robot("heiman")
    published = robot.published["criteria"]
    objectives = human_gait(robot).objective
    found = {name: CriteriaValues(*published[entry.published]) for name, entry in objectives.items()}
    rows = orderings(robot, found)
    wrong = [row for row in rows if row.verdict == "differs"]
    assert [(row.quantity, row.published) for row in wrong] == [
        ("the gait of mixture head has the smallest value of it (1: yes)", (0.0,))
    ]
    better = found | {"head": CriteriaValues(0.4, 0.5, 1e-5, 0.5)}
    assert "erratum" in [row.verdict for row in orderings(robot, better) if "mixture head" in row.quantity]
    swapped = found | {"effort": found["time"], "time": found["effort"]}
    assert sum(row.verdict == "differs" for row in orderings(robot, swapped)) > 2
