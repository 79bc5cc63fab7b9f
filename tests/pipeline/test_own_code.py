"""A user's own generator and limit, as the examples have them, go through the same gate as ours."""

import runpy
from pathlib import Path

import pytest

import strut

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def bow():
    return runpy.run_path(str(EXAMPLES / "06_own_generator.py"))["bow"]


def test_an_own_generator_is_weakened_until_it_passes(bow):
    deep = bow("fearful")
    slight = bow("proud")
    assert (slight.receipt.verdict, slight.receipt.intensity_kept, slight.receipt.expressed_share) == ("ok", 1.0, 1.0)
    assert deep.receipt.verdict == "weakened"
    assert 0.3 < deep.receipt.intensity_kept < 1.0
    assert deep.receipt.balance_margin_mm >= 30.0
    assert deep.receipt.expressed_share == pytest.approx(deep.receipt.intensity_kept)
    assert strut.check(deep).verdict == "ok"


def test_what_an_own_generator_made_says_so(bow):
    request = strut.Request.from_dict(bow("proud").meta["request"])
    assert request.task == strut.request.OwnTask(name="bow")
    with pytest.raises(strut.StrutError, match="No generator of strut does 'bow'; pass your own"):
        strut.run(request)


def test_a_request_that_asks_for_too_much_even_in_neutral_is_refused(bow):
    generator = type(bow.__globals__["Bow"](strut.load_robot("pepper")))
    request = strut.Request(robot="pepper", task=strut.request.OwnTask(name="bow"), margin_m=0.2)
    with pytest.raises(strut.StrutError, match="Not even neutral keeps its limits"):
        strut.run(request, generator=generator(strut.load_robot("pepper")))


def test_an_own_generator_that_is_searched_coarsely_gets_the_largest_feasible_margin(bow):
    class CoarseBow(bow.__globals__["Bow"]):
        search = strut.draft.Search(coarsely=True)

    task = strut.request.OwnTask(name="bow")
    pepper = strut.load_robot("pepper")
    with pytest.raises(strut.errors.ImpossibleStepError) as refusal:
        strut.run(strut.Request(robot="pepper", task=task, margin_m=0.3), generator=CoarseBow(pepper))
    assert refusal.value.what == "balance margin"
    feasible = strut.Request(robot="pepper", task=task, margin_m=refusal.value.feasible_m)
    assert strut.run(feasible, generator=CoarseBow(pepper)).receipt.verdict == "ok"


def test_an_own_generator_of_a_gait_is_not_replaced_by_ours_in_the_search_for_other_values():
    class Nothing(strut.draft.Generator):
        search = strut.draft.Search(coarsely=True)

        @property
        def usual_options(self):
            return {"step_length_m": 0.08}

        def drafts(self, style, detail):  # noqa: ARG002
            yield strut.draft.not_made(strut.load_robot("alice"), style, "torque", "the motors are off")

    task = strut.gaits.Steps(goals=(strut.Place(0.3, 0.0),), step_length_m=0.5)
    with pytest.raises(strut.errors.RefusedError, match="the motors are off"):
        strut.run(strut.Request(robot="alice", task=task), generator=Nothing())


def test_an_own_limit_weakens_and_is_named():
    example = runpy.run_path(str(EXAMPLES / "07_own_limit.py"))
    free, limited = (example["walk"](watts, cycles=2, rate_hz=25.0).receipt for watts in (1000.0, 6.0))
    assert limited.intensity_kept < free.intensity_kept
    assert any(str(reason).startswith("battery: the joints take ") for reason in limited.reasons)
    assert not any(reason.limit == "battery" for reason in free.reasons)


def test_a_robot_without_feet_has_no_pressure_under_them():
    motion = strut.perform("pepper", "still", None, duration_s=1.0, rate_hz=20.0)
    assert (motion.cop_in_world, motion.balance_margin_m, motion.ground_force_n) == (None, None, None)
    assert motion.receipt.balance_margin_mm > 0.0  # inside its wheels


def test_a_generator_without_a_fastest_pace_refuses_it_in_a_sentence():
    class Still(strut.draft.Generator):
        def drafts(self, _style, _detail):
            return ()

    with pytest.raises(strut.StrutError, match="Still has no fastest pace; choose a speed instead"):
        Still().at_pace(None)
