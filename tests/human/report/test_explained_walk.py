"""Tables, sentences and the picture of an explained walk."""

import io

import matplotlib.image
import pytest

from strut.human.inverse.inverse_optimal_control import ExplainedCriterion, ExplainedWalk, Fit
from strut.human.report.explained_plot import explained_png
from strut.human.report.explained_text import explained_sentences, explained_tables


def criterion(name, share, *, identified=True):
    return ExplainedCriterion(name, 0.012, (0.004, 0.25), 1.0, share, (0.5 * share, 1.5 * share), identified)


@pytest.fixture(scope="module")
def found():
    fits = [Fit({"hip": off, "knee": off, "ankle": off}, off, off, 0.62) for off in (7.9, 5.1)]
    criteria = (criterion("effort", 0.6), criterion("momentum", 0.3), criterion("head", 0.1, identified=False))
    return ExplainedWalk(criteria, (("effort", "momentum"),), *fits, 3, 1.26, 0.66, 6, False, (0.0, -4.4, 0.0))


def test_tables_show_shares_and_weights_with_their_ranges_and_both_differences(found):
    (title, header, rows), (_, _, fits) = explained_tables({"sad": found})
    assert title == "sad: 3 steps of 0.66 m at 1.26 m/s"
    assert rows[1] == ["momentum", "30.0 %", "15.0 to 45.0 %", "0.012", "0.004 to 0.25", "1", ""]
    assert rows[2][-1] == "not identified"
    assert {len(row) for row in rows} == {len(header)}
    assert [(row[0], row[4]) for row in fits] == [("usual weights", "7.9"), ("these weights", "5.1")]


def test_sentences_name_what_a_walk_does_not_identify(found):
    assert explained_sentences("sad", found) == [
        "sad: the search stopped after 6 solutions; others may be better.",
        "sad: the walk does not identify the weight of head.",
        "sad: the weights of effort and momentum are confounded.",
    ]


def test_the_picture_grows_with_its_conditions(found):
    one, three = (
        matplotlib.image.imread(io.BytesIO(explained_png(dict.fromkeys(names, found))))
        for names in (["walk"], ["neutral", "sad", "happy"])
    )
    assert one.shape[1] == three.shape[1]
    assert three.shape[0] > one.shape[0]
    assert one[..., :3].std() > 0.05  # something is drawn
