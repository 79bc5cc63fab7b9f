"""Trees with angles for their base, followers, loops and tendons: what is joined in MuJoCo is joined in the tree."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError, UnknownNameError
from strut.models.catalogue import load_robot
from strut.models.coupled_joints import coupled_joints
from strut.ocp.coupled_tree import coupled_tree
from strut.ocp.kinematic_tree import BASE_AXES, read_tree, with_followers
from strut.ocp.tree_elements import FrameClosure, JointClosure, PointClosure, TendonClosure

LOOPED = """
<mujoco model="looped">
  <compiler angle="radian"/>
  <worldbody>
    <body name="post" pos="0.3 0 0.2" euler="0.2 0 0.1"><geom type="sphere" size="0.1" pos="0.1 0 0" mass="2"/></body>
    <body name="stone" pos="-1 0 0"><geom type="sphere" size="0.1" mass="3"/></body>
    <body name="trunk" pos="0 0 1">
      <freejoint name="base"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <site name="hook" pos="0.1 0.02 0" euler="0.1 0.2 0.3"/>
      <body name="arm" pos="0 0.2 0" euler="0.3 -0.2 0.1">
        <joint name="shoulder" axis="0 1 0" ref="0.2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="1"/>
        <body name="hand" pos="0 0 -0.3">
          <joint name="wrist" axis="1 0 0" pos="0 0.01 0.02" ref="-0.1"/>
          <geom type="sphere" size="0.03" mass="0.5"/>
          <site name="finger" pos="0 0.01 -0.05"/>
        </body>
      </body>
      <body name="other" pos="0 -0.2 0"><joint name="reach" type="slide" axis="1 0 0"/>
        <geom type="sphere" size="0.05" mass="0.4"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both"><joint joint="wrist" coef="2"/><joint joint="reach" coef="-3"/></fixed>
    <fixed name="one"><joint joint="shoulder" coef="0.5"/></fixed>
    <spatial name="tackle" stiffness="6" springlength="0.1 0.4"><site site="hook"/><site site="finger"/>
      <pulley divisor="2"/><site site="finger"/><site site="hook"/></spatial>
  </tendon>
  <equality>
    <connect name="pin" body1="hand" body2="other" anchor="0.01 0.02 0.03"/>
    <connect body1="arm" body2="world" anchor="0 0 -0.1"/>
    <weld name="glue" body1="hand" body2="trunk" anchor="0.02 0 0.01"/>
    <weld name="sites" site1="finger" site2="hook"/>
    <connect name="tips" site1="finger" site2="hook"/>
    <joint name="geared" joint1="wrist" joint2="shoulder" polycoef="0.1 2 0.3 0 0"/>
    <joint name="locked" joint1="reach" polycoef="0.05 0 0 0 0"/>
    <tendon name="ratio" tendon1="both" tendon2="one" polycoef="0 1.5 0 0 0"/>
    <tendon name="stays" tendon1="one"/>
    <joint name="idle" joint1="reach" active="false"/>
  </equality>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(LOOPED)


@pytest.fixture(scope="module")
def data(model):
    made = mujoco.MjData(model)
    mujoco.mj_kinematics(model, made)
    return made


@pytest.fixture(scope="module")
def tree(model):
    return read_tree(model)


def placed(tree, anchor, data):
    """Return where an anchor is in world in the file's pose, by the frame of a body that is fixed to the same step."""
    if anchor.step < 0:
        return anchor.offset_m, anchor.rotation
    name = next(name for name, own in tree.bodies.items() if own.step == anchor.step)
    own = tree.bodies[name]
    turn = data.body(name).xmat.reshape(3, 3)
    to_world = turn @ own.rotation.T
    return data.body(name).xpos + to_world @ (anchor.offset_m - own.offset_m), to_world @ anchor.rotation


def test_points_and_frames_that_stay_together_are_together_in_the_files_pose(model, tree, data):
    kinds = {closure.name: closure for closure in tree.closures}
    assert list(kinds) == [
        *("pin", "equality 2", "glue", "sites", "tips", "geared", "locked", "ratio", "stays"),
    ]
    hand = data.body("hand")
    pinned = hand.xpos + hand.xmat.reshape(3, 3) @ [0.01, 0.02, 0.03]
    for anchor in (kinds["pin"].first, kinds["pin"].second):
        assert_allclose(placed(tree, anchor, data)[0], pinned, atol=1e-9)
    assert isinstance(kinds["pin"], PointClosure)
    arm = data.body("arm")
    for anchor in (kinds["equality 2"].first, kinds["equality 2"].second):
        assert_allclose(placed(tree, anchor, data)[0], arm.xpos + arm.xmat.reshape(3, 3) @ [0.0, 0.0, -0.1], atol=1e-9)
    glue = kinds["glue"]
    assert isinstance(glue, FrameClosure)
    (one, one_turn), (other, other_turn) = (placed(tree, anchor, data) for anchor in (glue.first, glue.second))
    assert_allclose(one, other, atol=1e-9)
    assert_allclose(one_turn, other_turn, atol=1e-9)
    assert_allclose(other, np.add(data.body("trunk").xpos, [0.02, 0.0, 0.01]), atol=1e-9)


def test_loops_between_sites_are_at_the_sites_with_their_axes(tree, data):
    kinds = {closure.name: closure for closure in tree.closures}
    assert isinstance(kinds["sites"], FrameClosure)
    assert isinstance(kinds["tips"], PointClosure)
    for name in ("sites", "tips"):
        for anchor, site in ((kinds[name].first, "finger"), (kinds[name].second, "hook")):
            place, turn = placed(tree, anchor, data)
            assert_allclose(place, data.site(site).xpos, atol=1e-9)
            assert_allclose(turn.ravel(), data.site(site).xmat, atol=1e-9)


def test_joints_and_tendons_that_follow_know_their_leader_their_zero_and_their_polynomial(tree):
    kinds = {closure.name: closure for closure in tree.closures}
    steps = [step.name for step in tree.steps]
    geared = kinds["geared"]
    locked = kinds["locked"]
    assert isinstance(geared, JointClosure)
    assert (steps[geared.follower], steps[geared.leader], geared.zero) == ("wrist", "shoulder", (-0.1, 0.2))
    assert_allclose(geared.polynomial, [0.1, 2.0, 0.3, 0.0, 0.0])
    assert (steps[locked.follower], locked.leader, locked.zero) == ("reach", -1, (0.0, 0.0))
    ratio = kinds["ratio"]
    stays = kinds["stays"]
    assert isinstance(ratio, TendonClosure)
    assert (ratio.follower.name, ratio.leader.name) == ("both", "one")
    assert_allclose(ratio.polynomial, [0.0, 1.5, 0.0, 0.0, 0.0])
    assert (stays.follower.name, stays.leader) == ("one", None)


def test_behind_a_pulley_a_piece_counts_by_its_divisor(tree, data):
    tackle = tree.tendons[2]
    assert [piece.divisor for piece in tackle.stretches] == [1.0, 2.0]
    assert_allclose(tackle.slack, [0.1, 0.4])
    way = np.linalg.norm(data.site("finger").xpos - data.site("hook").xpos)
    assert tackle.length_0 == pytest.approx(1.5 * way)
    for piece, ends in zip(tackle.stretches, (("hook", "finger"), ("finger", "hook")), strict=True):
        for anchor, site in zip((piece.first, piece.second), ends, strict=True):
            assert_allclose(placed(tree, anchor, data)[0], data.site(site).xpos, atol=1e-9)


def test_angles_for_the_base_are_three_slides_and_three_hinges_and_all_else_moves_up(model, tree):
    angles = read_tree(model, angle_base=True)
    assert [step.name for step in angles.steps[:6]] == [f"base_{axis}" for axis in BASE_AXES]
    assert [step.kind for step in angles.steps[:6]] == ["slide"] * 3 + ["hinge"] * 3
    assert [int(np.argmax(step.axis)) for step in angles.steps[:6]] == [0, 1, 2, 1, 0, 2]
    assert [step.parent for step in angles.steps[:6]] == [-1, 0, 1, 2, 3, 4]
    assert [(step.q_index, step.v_index) for step in angles.steps] == [(k, k) for k in range(9)]
    assert [step.mass_kg for step in angles.steps[:5]] == [0.0] * 5
    assert angles.steps[5].mass_kg == tree.steps[0].mass_kg == 2.0
    assert_allclose(angles.steps[5].inertia_kg_m2, tree.steps[0].inertia_kg_m2)
    assert not any(step.inertia_kg_m2.any() or step.com_m.any() for step in angles.steps[:5])
    assert (angles.nq, angles.nv, tree.nq, tree.nv) == (9, 9, 10, 9)
    for old, new in zip(tree.steps[1:], angles.steps[6:], strict=True):
        assert (new.name, new.parent) == (old.name, old.parent + 5)
        assert_allclose(new.offset_m, old.offset_m)
    later = {name: anchor.step for name, anchor in angles.bodies.items()}
    assert later == {"post": -1, "stone": -1, "trunk": 5, "arm": 6, "hand": 7, "other": 8}
    moved = {closure.name: closure for closure in angles.closures}
    assert (moved["geared"].follower, moved["geared"].leader, moved["locked"].leader) == (7, 6, -1)
    assert (moved["pin"].first.step, moved["pin"].second.step, moved["equality 2"].second.step) == (7, 8, -1)
    assert moved["ratio"].leader.joints == ((6, 0.5),)
    assert angles.tendons[0].joints == ((7, 2.0), (8, -3.0))
    assert [(piece.first.step, piece.second.step) for piece in angles.tendons[2].stretches] == [(5, 7), (7, 5)]
    assert angles.velocity_names == (*(f"base_{axis}" for axis in BASE_AXES), "shoulder", "wrist", "reach")
    assert angles.velocity_units == ("m", "m", "m", "rad", "rad", "rad", "rad", "rad", "m")


def test_names_units_and_masses_of_a_free_base(tree):
    assert tree.velocity_names[:7] == ("base_0", "base_1", "base_2", "base_3", "base_4", "base_5", "shoulder")
    assert tree.velocity_units == ("m", "m", "m", "rad", "rad", "rad", "rad", "rad", "m")
    assert tree.mass_kg == pytest.approx(2.0 + 1.0 + 0.5 + 0.4 + 2.0 + 3.0)
    assert tree.welded.mass_kg == pytest.approx(5.0)


def test_what_is_welded_to_the_world_has_its_middle_in_world(model, tree, data):
    fixed = [model.body("post").id, model.body("stone").id]
    assert_allclose(tree.welded.com_m, (2.0 * data.xipos[fixed[0]] + 3.0 * data.xipos[fixed[1]]) / 5.0, atol=1e-9)


def test_bodies_that_share_a_joint_are_one_mass():
    """Two boxes welded to each other against the one body that MuJoCo makes of both."""
    text = """<mujoco><worldbody><body name="a" pos="0.1 0 0"><joint name="j" axis="0 1 0" pos="0 0.1 0.2"/>
      <geom type="box" size="0.1 0.2 0.3" mass="2" pos="0.1 0 0" euler="10 20 30"/>{}</body></worldbody></mujoco>"""
    own = '<geom type="box" size="0.2 0.1 0.1" mass="1" pos="0.2 0.1 0.3" euler="40 0 10"/>'
    two = read_tree(text.format(f'<body name="b" pos="0.2 -0.1 0.05">{own}</body>'))
    moved = own.replace('pos="0.2 0.1 0.3"', 'pos="0.4 0.0 0.35"')
    one = read_tree(text.format(moved))
    assert_allclose(two.steps[0].com_m, one.steps[0].com_m, atol=1e-9)
    assert_allclose(two.steps[0].inertia_kg_m2, one.steps[0].inertia_kg_m2, atol=1e-9)
    assert two.steps[0].mass_kg == pytest.approx(3.0)


def test_joints_that_follow_have_no_coordinate_and_those_that_are_locked_stay():
    angles = read_tree(mujoco.MjModel.from_xml_string(LOOPED), angle_base=True)
    fewer = with_followers(angles, {"wrist": ("shoulder", -1.5, 0.25), "reach": (None, 3.0, 0.04)})
    assert (fewer.nq, fewer.nv) == (7, 7)
    found = {step.name: (step.follows, step.q_index, step.v_index, step.ratio, step.shift) for step in fewer.steps}
    assert found["shoulder"] == (False, 6, 6, 1.0, 0.0)
    assert found["wrist"] == (True, 6, 6, -1.5, 0.25)
    assert found["reach"] == (True, 0, 0, 0.0, 0.04)
    assert fewer.velocity_names[6:] == ("shoulder",)
    with pytest.raises(UnknownNameError, match="tail"):
        with_followers(angles, {"tail": (None, 0.0, 0.0)})
    with pytest.raises(BadTableError, match="only free joints"):
        with_followers(angles, {"wrist": ("shoulder", 1.0, 0.0), "shoulder": (None, 0.0, 0.0)})
    with pytest.raises(BadTableError, match="only free joints"):
        with_followers(read_tree(LOOPED), {"wrist": (None, 0.0, 0.0)})


@pytest.mark.parametrize(("change", "sentence"), [
    ('<freejoint name="base"/>|', "one floating base"),
    ('<joint name="shoulder" axis="0 1 0" ref="0.2"/>|<joint name="shoulder" type="ball"/>', "one floating base"),
    ('<freejoint name="base"/>|<joint type="free" name="base" armature="0.1"/>', "rotor"),
    ('<freejoint name="base"/>|<joint type="free" name="base" damping="0.1"/>', "rotor"),
    ('<freejoint name="base"/>|<joint type="free" name="base" stiffness="1"/>', "rotor"),
])  # fmt: skip
def test_only_a_plain_floating_base_can_use_angles(change, sentence):
    old, new = change.split("|")
    text = LOOPED[: LOOPED.index("<tendon>")] + "</mujoco>"
    with pytest.raises(BadTableError, match=sentence):
        read_tree(mujoco.MjModel.from_xml_string(text.replace(old, new)), angle_base=True)


@pytest.mark.parametrize(("change", "what"), [
    ('axis="1 0 0" pos|axis="1 0 0" frictionloss="0.1" pos', "frictionloss"),
    ('<fixed name="both">|<fixed name="both" frictionloss="0.1">', "limits, rotors or friction in tendons"),
    ('<fixed name="both">|<fixed name="both" armature="0.1">', "limits, rotors or friction in tendons"),
    ('<fixed name="both">|<fixed name="both" range="0 1" limited="true">', "limits, rotors or friction in tendons"),
    ("<worldbody>|<option density='1'/><worldbody>", "fluid"),
    ("<worldbody>|<option viscosity='1'/><worldbody>", "fluid"),
    ('<body name="hand"|<body gravcomp="1" name="hand"', "gravcomp"),
    ("<worldbody>|<option><flag gravity='disable'/></option><worldbody>", "gravity switched off"),
])  # fmt: skip
def test_what_would_act_and_is_not_known_is_refused_by_name(change, what):
    old, new = change.split("|")
    assert old in LOOPED
    with pytest.raises(BadTableError, match=what):
        read_tree(mujoco.MjModel.from_xml_string(LOOPED.replace(old, new)))


def test_an_unknown_body_is_named(tree):
    assert tree.body("hand") is tree.bodies["hand"]
    with pytest.raises(UnknownNameError, match="tail"):
        tree.body("tail")


def test_joints_of_cassie_that_only_springs_move_follow_as_her_table_says():
    cassie = load_robot("cassie")
    tree = coupled_tree(cassie)
    coupled = coupled_joints(cassie)
    steps = {step.name: step for step in tree.steps}
    assert tree.nq == tree.nv == 6 + len(coupled.free)
    for row, name in enumerate(cassie.joint_names):
        step = steps[name]
        if row in coupled.free:
            assert (step.follows, step.ratio, step.shift) == (False, 1.0, 0.0)
            assert step.q_index == 6 + list(coupled.free).index(row)
        else:
            leaders = np.flatnonzero(coupled.follow[row])
            assert step.follows
            assert step.stiffness == 0.0
            assert step.shift == coupled.rest_rad[row]
            assert step.ratio == (coupled.follow[row, leaders[0]] if len(leaders) else 0.0)
            assert step.q_index == (6 + leaders[0] if len(leaders) else 0)
    assert any(step.follows and step.ratio for step in tree.steps)
