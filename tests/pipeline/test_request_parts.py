"""From requests to motions, part by part: who drafts what, what a receipt and a motion say, and the parts of shows."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Violation
from strut.emotion import named_emotion
from strut.errors import BadMotionError, OutOfRangeError, RefusedError
from strut.gaits.crawl.crawl_drafts import CrawlDrafts
from strut.gaits.crawl.request import Crawl
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import StepDrafts
from strut.gaits.hand_task.hand_drafts import HandDrafts
from strut.gaits.hand_task.perform import perform
from strut.gaits.hand_task.request import HandTask
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.request import PatternGait
from strut.human.request import HumanGait
from strut.human.synthesis.human_drafts import HumanDrafts
from strut.models.catalogue import load_robot
from strut.pilot.request import PilotedWalk
from strut.pipeline.candidates import generator_for
from strut.pipeline.run import motion_of, run
from strut.place import Place
from strut.receipt import Reason, ReasonKind
from strut.request import OwnTask, Request
from strut.retargeting.repair import repair
from strut.verify.measure import measure
from strut.verify.receipt_builder import planned_receipt
from tests.alice import ALICE
from tests.pipeline.test_trials import FASTEST, standing
from tests.pipeline.test_weakening import HAPPY, Picky

CASSIE = load_robot("cassie")
TORQUE = Violation("torque", np.array([True]), "9 N m")
SLOWER = Reason(ReasonKind.SLOWED, None, "slower")


def test_each_task_is_drafted_by_its_own_generator_with_its_rate_and_margin(mrpete, heiman):
    def made(robot, task, **options):
        return generator_for(Request(robot=robot.name, task=task, rate_hz=25.0, **options), robot)

    crawl = made(mrpete, Crawl(), margin_m=0.004)
    assert (type(crawl), crawl.robot, crawl.margin_m, crawl.rate_hz) == (CrawlDrafts, mrpete, 0.004, 25.0)
    steps = made(ALICE, Steps(goals=(Place(0.1, 0.0),)))
    assert (type(steps), steps.robot, steps.rate_hz) == (StepDrafts, ALICE, 25.0)
    gait = made(ALICE, PatternGait())
    assert (type(gait), gait.rate_hz) == (GaitDrafts, 25.0)
    pepper = load_robot("pepper")
    for emotion in (None, named_emotion("happy")):
        hand = made(pepper, HandTask(task="still"), emotion=emotion)
        assert (type(hand), hand.expressive) == (HandDrafts, emotion is not None)
    human = generator_for(Request(robot="heiman", task=HumanGait(), rate_hz=60.0), heiman)
    assert (type(human), human.robot, human.rate_hz) == (HumanDrafts, heiman, 60.0)
    with pytest.raises(OutOfRangeError, match="No generator of strut does 'dance'"):
        made(ALICE, OwnTask(name="dance"))


def test_a_strict_request_says_what_it_would_give_otherwise():
    picky = Picky(lambda style: style.lift <= 1.31)
    weakened = run(HAPPY, robot=ALICE, generator=picky).receipt
    assert (weakened.verdict, weakened.expression) == ("weakened", None)  # the published layer needs no word
    with pytest.raises(RefusedError, match=r"Without --strict it would walk at intensity 0\.00 of 1\.00 asked"):
        run(msgspec.structs.replace(HAPPY, strict=True), robot=ALICE, generator=picky)


def test_a_motion_says_at_21_even_instants_how_much_it_expresses():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    fading = replace(draft, share_over_time=np.linspace(0.2, 1.0, len(draft.time_s)))
    assert_allclose(motion_of(FASTEST, fading, receipt).meta["shown_over_time"], np.linspace(0.2, 1.0, 21), atol=1e-4)
    assert motion_of(FASTEST, draft, receipt).meta["shown_over_time"] is None


def test_a_motion_of_a_draft_has_its_own_torques_and_forces_where_it_knows_them():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    plain = motion_of(FASTEST, draft, receipt)
    assert_allclose(plain.torque_nm, draft.measured.torque_nm)
    assert_allclose(plain.ground_force_n, draft.measured.ground_force_n)
    assert_allclose(plain.cop_in_world, draft.measured.cop_in_world)
    own = replace(draft, torque_nm=np.ones_like(plain.torque_nm), ground_force_n=np.ones_like(plain.ground_force_n))
    told = motion_of(FASTEST, own, receipt)
    assert (told.torque_nm == 1.0).all()
    assert (told.ground_force_n == 1.0).all()
    assert (plain.meta["emotion"], plain.meta["pad"], plain.meta["seed"]) == (None, None, None)
    assert plain.meta["options"] == {"margin_m": FASTEST.min_margin_m, "rate_hz": 20.0}
    felt = motion_of(msgspec.structs.replace(FASTEST, emotion=named_emotion("sad")), draft, receipt)
    assert (felt.meta["emotion"], felt.meta["pad"]) == ("sad", list(named_emotion("sad").pad))


@pytest.mark.parametrize("name", ["user_m", "target_m"])
@pytest.mark.parametrize("point_m", [[1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
def test_a_point_must_have_three_numbers(name, point_m):
    with pytest.raises(OutOfRangeError, match=f"this one has {len(point_m)}"):
        perform("pepper", "point", **{name: point_m})


def test_points_may_be_arrays_of_integers(monkeypatch):
    requests = []
    monkeypatch.setattr("strut.gaits.hand_task.perform.run", lambda request, **_: requests.append(request))
    perform("pepper", "point", target_m=np.array([1, 2, 3]))
    assert (requests[0].task.target_m, requests[0].task.user_m) == ((1.0, 2.0, 3.0), None)


@pytest.mark.parametrize("task", [PatternGait, PilotedWalk])
def test_sideways_alone_does_not_go_forwards(task):
    assert task.chosen(sideways_m_s=0.1).speed_m_s == 0.0
    assert task.chosen(sideways_m_s=0.1, speed_m_s=0.2).speed_m_s == 0.2
    assert task.chosen(sideways_m_s=0.0).speed_m_s is None


def test_motions_are_repaired_with_their_own_emotion_and_only_if_they_break_a_limit(monkeypatch):
    asked = []
    verdict = SimpleNamespace(verdict="refused")
    monkeypatch.setattr("strut.retargeting.repair.check", lambda motion, robot, margin_m: verdict)
    monkeypatch.setattr("strut.retargeting.repair.RepairDrafts", lambda *arguments: arguments)
    monkeypatch.setattr("strut.retargeting.repair.run", lambda request, **how: asked.append((request, how)))
    draft = measure(standing())
    sad = named_emotion("sad")
    receipts = [
        planned_receipt(draft, emotion=felt, asked=1.0, intensity=1.0, binding_limits=()) for felt in (sad, None)
    ]
    told, plain = (motion_of(FASTEST, draft, receipt) for receipt in receipts)
    for motion in (told, plain, replace(plain, receipt=None)):
        repair(motion, ALICE, margin_m=0.02, rate_hz=40.0)
    assert [request.emotion.pad for request, _ in asked] == [sad.pad, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
    request, how = asked[0]
    assert (request.emotion.name, request.margin_m, request.rate_hz, request.task.name) == ("sad", 0.02, 40.0, "repair")
    assert how["generator"].generator == (ALICE, told, 0.02, 40.0)
    verdict.verdict = "ok"
    with pytest.raises(BadMotionError, match="there is nothing to repair"):
        repair(plain, ALICE)
    repair(replace(plain, contact=np.zeros_like(plain.contact)), ALICE)  # whose feet are not known has to be looked at
    assert len(asked) == 4
