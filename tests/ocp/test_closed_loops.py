"""Springs, dampers, tendons and closed loops: forces and accelerations against MuJoCo and closed forms."""

import importlib.util
import re
from pathlib import Path

import casadi as ca
import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import simpson
from scipy.optimize import brentq

from strut.engines.rigid_body import compile_model
from strut.errors import BadTableError
from strut.kinematics.contact_set import ContactSet
from strut.models.catalogue import HOME
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.kinematic_tree import read_tree, with_followers
from strut.ocp.symbolic_dynamics import SymbolicDynamics
from strut.ocp.tree_forces import tree_forces
from tests.ocp.random_tree import random_state, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
AIR = ContactSet("air", ())
FOUR_BAR = """<mujoco model="four bars"><compiler angle="radian"/><worldbody>
 <body name="crank"><joint name="crank" axis="0 1 0" damping="0.2"/>
  <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
  <body name="coupler" pos="0 0 0.3"><joint name="coupler" axis="0 1 0" armature="0.01"/>
   <geom type="capsule" fromto="0 0 0 0.6 0 0.1" size="0.02"/></body></body>
 <body name="rocker" pos="0.7 0 0"><joint name="rocker" axis="0 1 0" stiffness="3" springref="0.2"/>
  <geom type="capsule" fromto="0 0 0 -0.1 0 0.4" size="0.02"/></body>
 </worldbody><equality>{closure}</equality>{rest}</mujoco>"""
PIN = '<connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0.1"/>'
CLOSURES = {  # what closes the four bars, and how many rows of it say something of their own
    "connect": (PIN, "", 2),
    "connected sites": ('<connect name="pin" site1="one" site2="other"/>', "", 2),
    "weld": ('<weld name="glue" body1="coupler" body2="rocker"/>', "", 3),
    "rod": (
        '<tendon name="rod" tendon1="rod"/>',
        '<spatial name="rod"><site site="one"/><site site="far"/></spatial>',
        1,
    ),
    "gear": ('<joint name="gear" joint1="rocker" joint2="crank" polycoef="0.1 -0.8 0.3 0 0"/>', "", 1),
    "sum": (
        '<tendon name="sum" tendon1="sum"/>',
        '<fixed name="sum"><joint joint="crank" coef="1"/><joint joint="rocker" coef="2"/></fixed>',
        1,
    ),
}
SITES = '<site name="{}" pos="{}"/></body>'


def four_bar(closure, tendon=""):
    text = FOUR_BAR.format(closure=closure, rest=f"<tendon>{tendon}</tendon>" if tendon else "")
    text = text.replace("</body></body>", SITES.format("one", "0.6 0 0.1") + "</body>", 1)
    return text.replace(
        "</body>\n </worldbody>",
        f'<site name="far" pos="-0.3 0 0.5"/>{SITES.format("other", "-0.1 0 0.4")}\n </worldbody>',
    )


def sprung(seed):
    """A random tree with springs and dampers in all its joints and tendons between its bodies."""
    rng = np.random.default_rng(seed)
    text = random_tree(seed)
    text = re.sub(
        "<joint ",
        lambda _: f'<joint stiffness="{rng.uniform(0.0, 9.0):.3f}" damping="{rng.uniform(0.0, 3.0):.3f}" ',
        text,
    )
    count = text.count("<inertial")
    marked = iter(range(count))
    text = re.sub("<inertial", lambda _: f'<site name="s{next(marked)}" pos="0.1 0.05 -0.07"/><inertial', text)
    chosen = rng.choice(count, size=3, replace=count < 3)
    sites = "".join(f'<site site="s{site}"/>' for site in chosen)
    tendon = f'<spatial springlength="0.1 0.2" stiffness="40" damping="3">{sites}</spatial>'
    return text.replace("</mujoco>", f"<tendon>{tendon}</tendon></mujoco>")


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_springs_dampers_and_tendons_of_random_trees_are_those_of_mujoco(seed):
    mjcf = sprung(seed)
    model = compile_model(mjcf)
    tree = read_tree(mjcf)
    data = random_state(model, np.random.default_rng(seed))
    qacc = data.qacc.copy()
    mujoco.mj_forward(model, data)
    ours = tree_forces(tree).passive(data.qpos, data.qvel).full().ravel()
    assert_allclose(ours, data.qfrc_passive, rtol=1e-9, atol=1e-9)
    data.qacc[:] = qacc
    mujoco.mj_inverse(model, data)  # motors against all of it, rotors too
    symbols = SymbolicDynamics(tree, *(ca.DM(x) for x in (data.qpos, data.qvel, qacc)))
    assert_allclose(symbols.inverse_dynamics().full().ravel() - ours, data.qfrc_inverse, rtol=1e-9, atol=1e-9)


def closed_state(tree, rng):
    """Coordinates with closed loops and velocities that keep them closed."""
    inner = tree_forces(tree)
    q = inner.closed(0.15 * rng.normal(size=tree.nv))
    v = ca.SX.sym("v", tree.nv)
    jacobian = np.array(ca.evalf(ca.densify(ca.jacobian(inner.velocities(ca.DM(q), v), v))))
    wanted = rng.normal(size=tree.nv)
    return q, wanted - np.linalg.pinv(jacobian) @ jacobian @ wanted


def mujoco_rows(model, data, q):
    """Equality rows of MuJoCo at a posture."""
    data.qpos[:] = q
    mujoco.mj_fwdPosition(model, data)
    jacobian = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(jacobian, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        jacobian[:] = data.efc_J.reshape(data.nefc, model.nv)
    equal = data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    return jacobian[equal], data.efc_pos[: data.nefc][equal].copy()


@pytest.mark.parametrize("kind", CLOSURES)
def test_closed_loops_move_by_mujocos_own_equations(kind):
    """Its mass matrix, bias, passive forces and equality rows, solved as a rigid saddle-point system."""
    closure, tendon, rows = CLOSURES[kind]
    mjcf = four_bar(closure, tendon)
    model = compile_model(mjcf)
    tree = read_tree(mjcf)
    rng = np.random.default_rng(3)
    data = mujoco.MjData(model)
    assert len(tree_forces(tree).row_names) == rows
    for _ in range(3):
        q, v = closed_state(tree, rng) if rows < 3 else (np.zeros(3), np.zeros(3))  # a weld leaves nothing to move
        torque = rng.normal(size=3)
        step = 1e-6
        a, force = ContactDynamics(tree, AIR).accelerate(q, v, torque)
        (before, _), (after, _) = mujoco_rows(model, data, q - step * v), mujoco_rows(model, data, q + step * v)
        jacobian, open_by = mujoco_rows(model, data, q)
        assert_allclose(open_by, 0.0, atol=1e-9)
        data.qvel[:] = v
        mujoco.mj_fwdVelocity(model, data)
        mass = np.zeros((3, 3))
        mujoco.mj_fullM(model, data, mass)
        loop = mass @ a + data.qfrc_bias - data.qfrc_passive - torque
        multiplier = np.linalg.lstsq(jacobian.T, loop, rcond=None)[0]
        assert_allclose(jacobian.T @ multiplier, loop, atol=1e-9)  # the loop's force is one of MuJoCo's rows
        assert_allclose(tree_forces(tree).loads(q, force).full().ravel(), loop, atol=1e-9)
        assert_allclose(jacobian @ a + (after - before) @ v / (2.0 * step), 0.0, atol=1e-6)


def test_a_parallelogram_is_the_pendulum_of_its_reflected_inertia():
    """Crank and rocker turn alike and the coupler only travels: I = I_crank + I_rocker + m_coupler r²."""
    bar = '<joint name="{0}" axis="0 1 0"/><inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.03"/>'
    mjcf = f"""<mujoco><worldbody><body name="a">{bar.format("a")}
     <body name="c" pos="0 0 -0.4"><joint name="c" axis="0 1 0"/>
      <inertial pos="0.25 0 0" mass="1.5" diaginertia="1 1 1"/></body></body>
     <body name="b" pos="0.5 0 0">{bar.format("b")}</body></worldbody>
     <equality><connect body1="c" body2="b" anchor="0.5 0 0"/></equality></mujoco>"""
    dynamics = ContactDynamics(read_tree(mjcf), AIR)
    angle = 0.4
    torque = 3.0
    a, force = dynamics.accelerate(
        np.array([angle, -angle, angle]), np.array([2.0, -2.0, 2.0]), np.array([torque, 0.0, 0.0])
    )
    inertia = 2 * (0.03 + 2 * 0.2**2) + 1.5 * 0.4**2
    weight = (2 * 2 * 0.2 + 1.5 * 0.4) * 9.81 * np.sin(angle)
    expected = (torque - weight) / inertia
    assert_allclose(a, [expected, -expected, expected], rtol=1e-9)
    assert len(force) == 2


def cassie():
    return mujoco.MjModel.from_xml_path(str(HOME / "cassie" / "cassie.xml"))


def test_cassie_on_its_springs_and_rods_accelerates_as_in_mujoco():
    """20 degrees of freedom, leaf springs, Achilles tendons and gears' damping, in the air."""
    model = cassie()
    tree = read_tree(model)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(8)
    for _ in range(3):
        data.qpos[:] = model.qpos0
        data.qpos[7:] += 0.05 * rng.normal(size=14)
        data.qvel[:] = rng.normal(size=20)
        data.ctrl[:] = 0.5 * rng.normal(size=10)
        mujoco.mj_forward(model, data)
        assert data.nefc == 0
        symbols = SymbolicDynamics(tree, *(ca.DM(x) for x in (data.qpos, data.qvel, data.qacc)))
        needed = symbols.inverse_dynamics() - tree_forces(tree).passive(data.qpos, data.qvel)
        assert_allclose(needed.full().ravel(), data.qfrc_actuator, atol=1e-8)


def test_rigid_rods_hold_cassies_tarsi_as_tendons_of_great_stiffness_do():
    """Knee + ankle = 13° within 0.01°, springs at rest: behaviour 2, from the loop closure itself."""
    text = (HOME / "cassie" / "cassie.xml").read_text("utf-8")
    rods = "".join(f'<tendon name="{side}_rod" tendon1="{side}_achilles"/>' for side in ("left", "right"))
    rigid = text.replace('stiffness="100000" damping="20" ', "").replace(
        "</tendon>", f"</tendon><equality>{rods}</equality>"
    )
    tree = read_tree(rigid, angle_base=True)
    inner = tree_forces(tree)
    names = tree.velocity_names
    assert inner.row_names == ("left_rod", "right_rod")

    def rod_m(ankle_rad, knee_rad):
        q = np.zeros(tree.nv)
        q[names.index("left_knee")] = knee_rad
        q[names.index("left_ankle")] = ankle_rad
        return float(inner.positions(q)[0])

    for angle_deg in (-157.0, -120.0, -80.0, -37.0):
        expected = np.radians(13.0 - angle_deg)
        ankle = brentq(rod_m, expected - 0.1, expected + 0.1, args=(np.radians(angle_deg),))
        assert ankle == pytest.approx(expected, abs=np.radians(0.012))


def test_followers_move_with_their_leaders_and_hand_their_forces_on():
    """A tree whose coupled joints are eliminated is the tree with an equality: behaviour of Cassie's planning model."""
    ties = "".join(
        f'<joint joint1="{side}_shin" polycoef="0 0 0 0 0"/>'
        f'<joint joint1="{side}_ankle" joint2="{side}_knee" polycoef="0 -1 0 0 0"/>'
        for side in ("left", "right")
    )
    text = (
        (HOME / "cassie" / "cassie.xml")
        .read_text("utf-8")
        .replace("<actuator>", f"<equality>{ties}</equality><actuator>")
    )
    tied = read_tree(text, angle_base=True)
    whole = with_followers(
        read_tree(cassie(), angle_base=True),
        {
            f"{side}_{joint}": rule
            for side in ("left", "right")
            for joint, rule in {"shin": (None, 0.0, 0.0), "ankle": (f"{side}_knee", -1.0, 1.763048 - 1.536155)}.items()
        },
    )
    assert (whole.nv, tied.nv) == (16, 20)
    rng = np.random.default_rng(2)
    q = 0.2 * rng.normal(size=16)
    v = rng.normal(size=16)
    torque = rng.normal(size=16)
    leads = [tied.velocity_names.index(name) for name in whole.velocity_names]
    spread = np.zeros((20, 16))
    spread[leads, range(16)] = 1.0
    for side in ("left", "right"):
        spread[tied.velocity_names.index(f"{side}_ankle"), whole.velocity_names.index(f"{side}_knee")] = -1.0
    shift = np.where(np.char.endswith(tied.velocity_names, "_ankle"), 1.763048 - 1.536155, 0.0)
    a, _ = ContactDynamics(whole, AIR).accelerate(q, v, torque)
    pushed = np.zeros(20)
    pushed[leads] = torque
    b, _ = ContactDynamics(tied, AIR).accelerate(spread @ q + shift, spread @ v, pushed)
    assert_allclose(spread @ a, b, rtol=1e-7, atol=1e-7)


def test_the_example_obeys_energy_and_stays_closed():
    """Work of the motor = kinetic + potential + spring energy gained + what the bearing takes."""
    spec = importlib.util.spec_from_file_location("closed_chain", EXAMPLES / "09_closed_chain.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    path = example.main().trajectory
    tree = path.problem.tree
    inner = tree_forces(path.problem.tree)
    open_m = [float(np.abs(inner.positions(q).full()).max()) for q in path.q]
    assert max(open_m) < 1e-5
    work = simpson(path.u[:, 0] * path.v[:, 0], path.time_s)
    lost = simpson(0.2 * path.v[:, 0] ** 2, path.time_s)
    energy = []
    for node in (0, -1):
        moving = SymbolicDynamics(tree, ca.DM(path.q[node]), ca.DM(path.v[node]))
        spring = 1.5 * (path.q[node, 2] - 0.2) ** 2
        energy.append(float(moving.kinetic_energy() + moving.potential_energy()) + spring)
    assert work == pytest.approx(energy[1] - energy[0] + lost, abs=1e-4)


def test_loops_that_cannot_close_and_ropes_around_bodies_are_refused():
    with pytest.raises(BadTableError, match="four bars: its loops cannot be closed"):
        tree_forces(read_tree(four_bar(CLOSURES["connected sites"][0]).replace('"other" pos="-0.1', '"other" pos="5')))
    wrap = '<spatial><site site="one"/><geom geom="post"/><site site="far"/></spatial>'
    text = four_bar(PIN, wrap).replace(
        '<body name="rocker"', '<geom name="post" type="cylinder" size="0.1 0.1"/><body name="rocker"'
    )
    with pytest.raises(BadTableError, match="wraps around"):
        read_tree(text)


def test_loops_of_a_floating_body_close_with_a_unit_quaternion():
    bars = four_bar(PIN).replace("<worldbody>", '<worldbody><body name="frame"><freejoint/><geom size="0.1"/>')
    tree = read_tree(bars.replace("</worldbody>", "</body></worldbody>"))
    q = np.concatenate([[0.3, -0.2, 0.5, 0.8, 0.4, -0.4, 0.2], [0.2, -0.1, 0.3]])
    closed = tree_forces(tree).closed(q)
    assert_allclose(np.linalg.norm(closed[3:7]), 1.0, atol=1e-12)
    assert_allclose(tree_forces(tree).positions(ca.DM(closed)).full(), 0.0, atol=1e-9)
