"""Random trees: MJCF texts with every kind of joint, several roots and welded bodies, all frames turned."""

import mujoco
import numpy as np

ROOTS = ("free", "joint", "welded")
JOINTS = (  # of one body; MuJoCo lets no rotation follow a ball
    *("hinge", "slide", "ball", "hinge hinge", "hinge slide", "slide hinge", "slide ball", "hinge ball"),
    "slide hinge ball",
)


def random_tree(seed):
    """Return the text of a model with one to three roots; each floats, hangs on joints or is welded to the world."""
    rng = np.random.default_rng(seed)
    numbers = iter(range(1000))
    roots = "".join(_body(rng, numbers, 0, str(rng.choice(ROOTS))) for _ in range(rng.integers(1, 4)))
    last = _body(rng, numbers, 3, "joint")  # something moves, whatever the others are
    return (
        f'<mujoco model="random{seed}"><compiler angle="radian"/><option gravity="0.3 -0.2 -9.7"/>'
        f"<worldbody>{roots}{last}</worldbody></mujoco>"
    )


def random_state(model, rng):
    """Return data with random coordinates, velocities and accelerations."""
    data = mujoco.MjData(model)
    data.qvel[:] = rng.normal(size=model.nv)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.7)
    data.qacc[:] = rng.normal(size=model.nv) * 5.0
    return data


def _body(rng, numbers, depth, hung):
    inertia = f'<inertial pos="{_vector(rng, 0.1)}" quat="{_turn(rng)}" mass="{rng.uniform(0.3, 3.0):.3f}" '
    children = "".join(
        _body(rng, numbers, depth + 1, str(rng.choice(["joint", "joint", "welded"])))
        for _ in range(rng.integers(1, 3) if depth < 2 else 0)
    )
    return (
        f'<body name="b{next(numbers)}" pos="{_vector(rng)}" quat="{_turn(rng)}">{_joints(rng, hung)}'
        f'{inertia}diaginertia="0.02 0.03 0.025"/>{children}</body>'
    )


def _joints(rng, hung):
    if hung == "welded":
        return ""
    if hung == "free":
        return f'<joint type="free" armature="{rng.choice([0.0, 0.1])}"/>'
    return "".join(
        f'<joint type="{kind}" axis="{_vector(rng)}" pos="{_vector(rng)}" armature="{rng.uniform(0.0, 0.1):.3f}" '
        f'ref="{0.0 if kind == "ball" else rng.normal(scale=0.3):.3f}"/>'
        for kind in str(rng.choice(JOINTS)).split()
    )


def _vector(rng, size=0.2):
    return " ".join(f"{value:.5f}" for value in rng.normal(scale=size, size=3))


def _turn(rng):
    return " ".join(f"{value:.6f}" for value in rng.normal(size=4))  # the reader makes it a unit quaternion
