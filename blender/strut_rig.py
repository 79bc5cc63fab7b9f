"""strut rig: an add-on for Blender 3.4 to 5 that poses a robot within its limits and exchanges animations with strut.

It is one file because Blender installs single files: Edit > Preferences > Add-ons > Install. It imports the rigs of
`strut export ROBOT --to rig`.
Legs follow the foot targets by inverse kinematics with limits, coupled joints and level feet. Drivers do this, so
posing, playing and rendering all show feasible postures. docs/how_to/work_with_blender.md leads from the installation
to the film.
"""

import csv
import json
import math
import zipfile
from pathlib import Path

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper
from mathutils import Matrix, Quaternion, Vector

try:
    import tomllib  # Python 3.11, Blender 4.1 or Debian's
except ImportError:
    tomllib = None

bl_info = {
    "name": "strut rig",
    "description": "Rigs of legged robots from strut: pose within limits, exchange animations, import solved motions",
    "author": "strut",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > strut",
    "category": "Rigging",
}

FORMAT = "strut rig"
VERSION = 1
FRAMES_PER_S = 25
MAX_MISS_M = 1e-3  # distance by which a foot may miss its target
EYES_BONE = "eyes"
EYES_STEP_M = 0.01
WALK = ("walk_forward_m_s", "walk_left_m_s")  # custom properties of the armature; 0 stands
POSTURE_WEIGHT = 1e-4  # of the rest pose beside the target [m/rad]: decides only where joints are free
DAMPING = 1e-10  # keeps the normal equations regular at a straight knee
MAX_ITERATIONS = 40
CONVERGED_RAD = 1e-7  # largest step at which the iteration ends
MAX_STEP_RAD = 0.3  # of one iteration
MAX_CACHED = 2000  # solutions of a foot that are kept
DEFAULT_HANDLE = 1.0 / 3.0  # length of a handle over the time to the neighbouring key


class RigError(Exception):
    """Something that the user can fix, in one sentence."""


# --- the rig's description, kept in a text of the .blend ------------------------------------------------------------

_rigs = {}  # parsed descriptions, by the name of their text
_missed_m = {}  # distance of each foot from its target in its last solution, by text and foot


def read_rig(text, source):
    """Return a rig's description from JSON; raises RigError."""
    try:
        rig = json.loads(text)
    except ValueError as error:
        raise RigError(f"{source} is not a rig: {error}.") from error
    if not isinstance(rig, dict) or rig.get("format") != FORMAT:
        raise RigError(f"{source} is not a rig of strut; write one with: strut export ROBOT --to rig.")
    if rig.get("version") != VERSION:
        raise RigError(f"{source} is a rig of version {rig.get('version')}; this add-on reads version {VERSION}.")
    return rig


def find_rig(key):
    """Return the description in a text of this file, prepared for computing."""
    if key not in _rigs:
        _rigs[key] = prepare_rig(read_rig(bpy.data.texts[key].as_string(), key))
    return _rigs[key]


def prepare_rig(rig):
    """Return a description with arrays, and the chain of bones from the base to each foot."""
    bones = rig["bones"]
    number = {bone["name"]: index for index, bone in enumerate(bones)}
    for bone in bones:
        head = np.array(bone["start_m"])
        axes = np.array(bone["axes"])
        parent = bones[bone["parent"]] if bone["parent"] >= 0 else None
        bone["rest"] = (head, axes)
        to_parent = np.eye(3) if parent is None else parent["rest"][1].T
        bone["local"] = (to_parent @ (head - (0.0 if parent is None else parent["rest"][0])), to_parent @ axes)
    for foot in rig["feet"]:
        chain = []
        index = number[foot["bone"]]
        while index > 0:
            chain.insert(0, index)
            index = bones[index]["parent"]
        foot["chain"] = chain
        foot["free"] = [k for k in chain if bones[k]["name"] in foot["joints"] and "spring" not in bones[k]]
        foot["solved"] = {}
    rig["number"] = number
    return rig


# --- inverse kinematics of one leg ----------------------------------------------------------------------------------


def leg_angles(rig, foot, base_m, base_axes, target_m, yaw_rad):
    """Return the rotations of a leg's bones from rest, by bone index, and the distance of the foot from its target [m].

    Damped Gauss-Newton from the rest pose. The error is that of the foot's position and of its rotation about the axes
    that keep it level and heading. Springs follow their joints, and joints stop at their limits.
    """
    bones = rig["bones"]
    free = foot["free"]
    chain = foot["chain"]
    rest, follow = coupling(bones, chain, free)
    start = np.array([bones[k]["angle_rad"] for k in free])
    lower = np.array([bones[k]["lower_rad"] for k in free])
    upper = np.array([bones[k]["upper_rad"] for k in free])
    c = math.cos(yaw_rad)
    s = math.sin(yaw_rad)
    heading = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    keeps = np.array(foot["keeps"])
    own_axes = np.array(foot["axes"])
    offset = np.array(foot["offset_m"])
    angle = start.copy()
    for _ in range(MAX_ITERATIONS):
        place, axes, heads, turning = leg_frames(bones, chain, rest + follow @ angle, base_m, base_axes)
        end = place + axes @ offset
        foot_axes = axes @ own_axes
        columns = np.array(
            [[*np.cross(x, end - head), *(foot_axes.T @ x * keeps)] for x, head in zip(turning, heads)]
        ).T
        error = np.concatenate([target_m - end, rotation_vector(foot_axes.T @ heading) * keeps])
        step = bounded_step(columns @ follow, error, start - angle, lower - angle, upper - angle)
        angle = np.clip(angle + step, lower, upper)
        if np.abs(step).max() < CONVERGED_RAD:
            break
    every = rest + follow @ angle
    place, axes, _, _ = leg_frames(bones, chain, every, base_m, base_axes)
    missed_m = float(np.linalg.norm(target_m - place - axes @ offset))
    return {k: float(every[n] - bones[k]["angle_rad"]) for n, k in enumerate(chain)}, missed_m


def coupling(bones, chain, free):
    """Return all angles of a chain as rest + follow @ free angles. Shapes (n,) and (n, m)."""
    rest = np.zeros(len(chain))
    follow = np.zeros((len(chain), len(free)))
    names = [bones[k]["name"] for k in free]
    for row, index in enumerate(chain):
        spring = bones[index].get("spring")
        if index in free:
            follow[row, free.index(index)] = 1.0
        elif spring is not None:
            rest[row] = spring["rest_rad"]
            if spring["follows"] in names:
                follow[row, names.index(spring["follows"])] = spring["ratio"]
        else:
            rest[row] = bones[index]["angle_rad"]
    return rest, follow


def leg_frames(bones, chain, angles, place, axes):
    """Return head and axes of the last bone, and heads and hinges of all of them. Shapes (3,), (3, 3), (n, 3) twice."""
    heads = []
    turning = []
    for index, angle in zip(chain, angles):
        bone = bones[index]
        offset, own = bone["local"]
        turn = angle - bone["angle_rad"]
        c = math.cos(turn)
        s = math.sin(turn)
        place = place + axes @ offset
        axes = axes @ own
        axes = axes @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        heads.append(place)
        turning.append(axes[:, 0])
    return place, axes, heads, turning


def bounded_step(jacobian, error, pull, below, above):
    """Return a Gauss-Newton step; joints that would leave their limits are held, and the others solved again."""
    held = np.zeros(len(pull), dtype=bool)
    for _ in range(3):
        kept = np.where(held, 0.0, jacobian)
        normal = kept.T @ kept + (POSTURE_WEIGHT**2 + DAMPING) * np.eye(len(pull))
        step = np.linalg.solve(normal, kept.T @ error + np.where(held, 0.0, POSTURE_WEIGHT**2 * pull))
        beyond = (step > above + 1e-12) & (above < 1e-9) | (step < below - 1e-12) & (below > -1e-9)
        if not beyond.any():
            break
        held |= beyond
    return step * min(1.0, MAX_STEP_RAD / max(np.abs(step).max(), 1e-12))


def rotation_vector(rotation):
    """Return a rotation as axis times angle. Shape (3, 3) in, (3,) out."""
    axis, angle = Matrix(rotation.tolist()).to_quaternion().to_axis_angle()
    return np.array(axis) * (angle if angle <= math.pi else angle - 2.0 * math.pi)


def strut_leg(key, foot_number, bone, bx, by, bz, bw, bi, bj, bk, fx, fy, fz, yaw):
    """Return the rotation of one bone of a leg, for its driver. The arguments are channels of base and target."""
    rig = find_rig(key)
    foot = rig["feet"][foot_number]
    asked = (bx, by, bz, bw, bi, bj, bk, fx, fy, fz, yaw)
    if asked not in foot["solved"]:
        head, axes = rig["bones"][0]["rest"]
        turn = np.array(quaternion((bw, bi, bj, bk)).to_matrix())
        target = np.array(foot["place_m"]) + np.array((fx, fy, fz))
        if len(foot["solved"]) > MAX_CACHED:
            foot["solved"].clear()
        foot["solved"][asked] = leg_angles(
            rig, foot, head + axes @ (bx, by, bz), axes @ turn, target, foot["yaw_rad"] + yaw
        )
    turns, missed_m = foot["solved"][asked]
    _missed_m[key, foot["name"]] = missed_m
    return turns[bone]


def strut_eye(key, part, slider):
    """Return an angle of the eyes for an expression: upper lid, lower lid, tilt, gaze to the left, gaze up."""
    looks = list(find_rig(key)["eyes"]["looks_deg"].values())
    return math.radians(looks[min(max(round(slider / EYES_STEP_M), 0), len(looks) - 1)][part])


# --- building -------------------------------------------------------------------------------------------------------


def build(rig, key, *, posable, context, label):
    """Return an armature with the robot's bones, shapes and eyes; posable with targets and drivers, or bare."""
    data = bpy.data.armatures.new(label)
    data.display_type = "STICK" if not posable else "OCTAHEDRAL"
    armature = bpy.data.objects.new(label, data)
    context.collection.objects.link(armature)
    armature["strut_rig"] = key
    armature["strut_posable"] = posable
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig["bones"]:
        add_bone(
            data,
            bone["name"],
            bone["rest"],
            bone["length_m"],
            rig["bones"][bone["parent"]]["name"] if bone["parent"] >= 0 else None,
        )
    base = rig["bones"][0]
    size = rig["bones"][0]["length_m"]
    if rig["eyes"]:
        add_bone(data, EYES_BONE, base["rest"], 0.3 * size, base["name"])
    if posable:
        for foot in rig["feet"]:
            add_bone(data, foot["name"], (np.array(foot["place_m"]), np.eye(3)), 0.5 * size, None)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig["bones"]:
        limit_bone(armature.pose.bones[bone["name"]], bone, posable)
    if posable:
        armature.show_in_front = True
        add_controls(armature, rig, key)
    bpy.ops.object.mode_set(mode="OBJECT")
    add_shapes(armature, rig, context.collection, ghost=not posable)
    if rig["eyes"]:
        add_eyes(armature, rig, key, context.collection)
    return armature


def add_bone(data, name, rest, length_m, parent):
    """Add a bone with given axes."""
    head, axes = rest
    bone = data.edit_bones.new(name)
    bone.head = (0.0, 0.0, 0.0)
    bone.tail = (0.0, length_m, 0.0)
    bone.matrix = matrix(head, axes)
    if parent is not None:
        bone.parent = data.edit_bones[parent]
    bone.use_deform = False


def matrix(place, axes):
    """Return a 4 x 4 matrix."""
    whole = np.eye(4)
    whole[:3, :3] = axes
    whole[:3, 3] = place
    return Matrix(whole.tolist())


def limit_bone(pose, bone, posable):
    """Limit a bone to rotation about the axis of its joint, within its limits."""
    if bone["parent"] < 0:
        pose.rotation_mode = "XYZ" if posable else "QUATERNION"
        return
    pose.rotation_mode = "XYZ"
    pose.lock_location = pose.lock_scale = (True, True, True)
    pose.lock_rotation = (False, True, True)
    if posable:
        limit = pose.constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        limit.use_limit_x = True
        limit.use_limit_y = limit.use_limit_z = True
        limit.min_x = bone["lower_rad"] - bone["angle_rad"]
        limit.max_x = bone["upper_rad"] - bone["angle_rad"]
        if hasattr(limit, "use_transform_limit"):
            limit.use_transform_limit = True
        if hasattr(
            limit, "use_legacy_behavior"
        ):  # without it, a joint with a range of a whole turn flips by 180 degrees
            limit.use_legacy_behavior = True


def add_controls(armature, rig, key):
    """Add drivers: legs follow the base and the foot targets, springs follow their joints."""
    bones = rig["bones"]
    base = rig["bones"][0]["name"]
    for number, foot in enumerate(rig["feet"]):
        target = armature.pose.bones[foot["name"]]
        target.rotation_mode = "XYZ"
        target.lock_rotation = (True, True, False)  # feet stay level
        target.lock_scale = (True, True, True)
        for index in foot["free"]:
            drive_leg(armature, key, number, index, bones[index]["name"], base, foot["name"])
    for bone in bones:
        spring = bone.get("spring")
        if spring is not None:
            followed = bones[rig["number"][spring["follows"]]] if spring["follows"] else None
            drive_spring(armature, bone, spring, followed)
    armature.pose.bones[base].lock_scale = (True, True, True)
    if EYES_BONE in armature.pose.bones:
        armature.pose.bones[EYES_BONE].lock_location = (False, True, True)
        armature.pose.bones[EYES_BONE].lock_rotation = (True, True, True)
    for name in WALK:
        armature[name] = 0.0


def drive_leg(armature, key, number, index, joint, base, target):
    """Add the driver of a leg joint."""
    curve = armature.driver_add(f'pose.bones["{joint}"].rotation_euler', 0)
    names = []
    for bone, kinds in (
        (base, ("LOC_X", "LOC_Y", "LOC_Z", "ROT_W", "ROT_X", "ROT_Y", "ROT_Z")),
        (target, ("LOC_X", "LOC_Y", "LOC_Z")),
    ):
        for kind in kinds:
            names.append(add_variable(curve.driver, armature, bone, kind, "QUATERNION"))
    names.append(add_variable(curve.driver, armature, target, "ROT_Z", "XYZ"))
    curve.driver.expression = f'strut_leg("{key}",{number},{index},{",".join(names)})'


def add_variable(driver, armature, bone, kind, mode):
    """Add a channel of a bone, relative to its rest pose, as a variable, and return its name."""
    variable = driver.variables.new()
    variable.name = f"v{len(driver.variables) - 1}"
    variable.type = "TRANSFORMS"
    target = variable.targets[0]
    target.id = armature
    target.bone_target = bone
    target.transform_type = kind
    target.transform_space = "LOCAL_SPACE"
    target.rotation_mode = mode
    return variable.name


def drive_spring(armature, bone, spring, followed):
    """Add the driver of a spring at rest: at a constant angle, or at one that follows a joint."""
    curve = armature.driver_add(f'pose.bones["{bone["name"]}"].rotation_euler', 0)
    constant = spring["rest_rad"] - bone["angle_rad"]
    ratio = 0.0
    if followed is not None:
        ratio = spring["ratio"]
        constant += ratio * followed["angle_rad"]
        variable = curve.driver.variables.new()
        variable.name = "v0"
        variable.type = "SINGLE_PROP"
        variable.targets[0].id = armature
        variable.targets[0].data_path = f'pose.bones["{followed["name"]}"].rotation_euler[0]'
    curve.driver.expression = f"{constant!r}" if followed is None else f"{constant!r} + {ratio!r} * v0"


def add_shapes(armature, rig, collection, *, ghost):
    """Add the visible parts to their bones."""
    for number, shape in enumerate(rig["shapes"]):
        part = add_mesh(f"{armature.name} {shape['bone']} {number}", shape, collection, ghost=ghost)
        hang(part, armature, shape["bone"], Matrix.Identity(4))


def hang(part, armature, bone, in_bone):
    """Parent an object to a bone at a pose in the bone's axes; Blender measures from the bone's tail."""
    part.parent = armature
    part.parent_type = "BONE"
    part.parent_bone = bone
    back = Matrix.Translation((0.0, -armature.data.bones[bone].length, 0.0))
    part.matrix_parent_inverse = Matrix.Identity(4)
    part.matrix_basis = back @ in_bone


def add_mesh(name, shape, collection, *, ghost):
    """Return an object of triangles with a colour."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shape["vertices_m"], [], shape["faces"])
    mesh.update()
    red, green, blue, opacity = shape["color"]
    mesh.materials.append(material(red, green, blue, 0.35 * opacity if ghost else opacity))
    part = bpy.data.objects.new(name, mesh)
    part.hide_select = True
    collection.objects.link(part)
    return part


def material(red, green, blue, opacity):
    """Return the material of a colour; it is created once."""
    name = f"strut {red:.2f} {green:.2f} {blue:.2f} {opacity:.2f}"
    found = bpy.data.materials.get(name)
    if found is None:
        found = bpy.data.materials.new(name)
        found.diffuse_color = (red, green, blue, opacity)
        if opacity < 1.0 and hasattr(found, "blend_method"):
            found.blend_method = "BLEND"
        found.use_nodes = True
        shader = next(node for node in found.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (
            red**2.2,
            green**2.2,
            blue**2.2,
            1.0,
        )  # renderers use linear colours
        shader.inputs["Alpha"].default_value = opacity
    return found


def add_eyes(armature, rig, key, collection):
    """Add both eyes to the face, with lids and gaze driven by the slider of the expression."""
    eyes = rig["eyes"]
    radius = eyes["radius_m"]
    for side, middle in zip((1.0, -1.0), eyes["middles_m"]):
        face = bpy.data.objects.new(f"{armature.name} eye", None)
        face.empty_display_size = 0.3 * radius
        face.hide_select = True
        collection.objects.link(face)
        hang(face, armature, eyes["bone"], matrix(np.array(middle), np.array(eyes["axes"])))
        gaze = bpy.data.objects.new(f"{armature.name} gaze", None)
        gaze.parent = face
        gaze.rotation_mode = "YXZ"
        gaze.hide_select = True
        gaze.empty_display_size = 0.3 * radius
        collection.objects.link(gaze)
        drive_eye(gaze, 2, armature, key, "strut_eye('{key}',3,s)")
        drive_eye(gaze, 1, armature, key, "-strut_eye('{key}',4,s)")
        for number, shape in enumerate(eyes["parts"]):
            part = add_mesh(f"{armature.name} eye {number}", shape, collection, ghost=False)
            part.parent = gaze if number in (1, 2, 3) else face
            part.rotation_mode = "YXZ"
            part.location = {
                1: (0.70 * radius, 0.0, 0.0),
                2: (0.83 * radius, 0.0, 0.0),
                3: (0.87 * radius, 0.22 * radius, 0.25 * radius),
            }.get(number, (0.0, 0.0, 0.0))
            if number in (4, 5):
                drive_eye(part, 0, armature, key, f"{side!r}*strut_eye('{{key}}',2,s)")
                drive_eye(
                    part, 1, armature, key, "-strut_eye('{key}',0,s)" if number == 4 else "pi-strut_eye('{key}',1,s)"
                )


def drive_eye(part, axis, armature, key, expression):
    """Drive an angle of an eye by the slider."""
    curve = part.driver_add("rotation_euler", axis)
    variable = curve.driver.variables.new()
    variable.name = "s"
    variable.type = "SINGLE_PROP"
    variable.targets[0].id = armature
    variable.targets[0].data_path = f'pose.bones["{EYES_BONE}"].location[0]'
    curve.driver.expression = expression.replace("{key}", key)


def import_rig(path, context):
    """Build the rig of a file and return its armature; raises RigError."""
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RigError(f"{path} cannot be read: {error}.") from error
    rig = read_rig(text, Path(path).name)
    robot = rig["robot"]
    kept = bpy.data.texts.new(f"strut {robot}")
    kept.from_string(json.dumps(rig).replace("], [", "],\n["))  # Blender takes seconds for one long line
    register_drivers()
    context.scene.render.fps_base = 1.0
    context.scene.render.fps = FRAMES_PER_S
    context.scene.frame_start = 0
    armature = build(find_rig(kept.name), kept.name, posable=True, context=context, label=robot)
    select_only(armature, context)
    return armature


def select_only(armature, context):
    """Select an armature and make it active."""
    for item in context.view_layer.objects:
        item.select_set(False)
    armature.select_set(True)
    context.view_layer.objects.active = armature


# --- keyframes ------------------------------------------------------------------------------------------------------


def curves_of(armature):
    """Return the animation curves of an armature; from Blender 4.4 on they may be in the layers of an action."""
    action = armature.animation_data.action if armature.animation_data else None
    if action is None:
        return []
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    slot = armature.animation_data.action_slot
    strips = [strip for layer in action.layers for strip in layer.strips]
    bags = [strip.channelbag(slot) for strip in strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def controls(rig):
    """Return the data paths that an animator keys (base, foot targets, free joints, eyes), and the free joints."""
    legs = {joint for foot in rig["feet"] for joint in foot["joints"]}
    base = rig["bones"][0]["name"]
    free = [b["name"] for b in rig["bones"][1:] if b["name"] not in legs and "spring" not in b]
    paths = [f'pose.bones["{base}"].location', f'pose.bones["{base}"].rotation_euler']
    for foot in rig["feet"]:
        paths += [f'pose.bones["{foot["name"]}"].location', f'pose.bones["{foot["name"]}"].rotation_euler']
    paths += [f'pose.bones["{joint}"].rotation_euler' for joint in free]
    if rig["eyes"]:
        paths.append(f'pose.bones["{EYES_BONE}"].location')
    return paths, free


def key_pose(armature, rig, frame):
    """Insert a keyframe for all controls."""
    for path in controls(rig)[0]:
        armature.keyframe_insert(path, frame=frame)
    for name in WALK:
        armature.keyframe_insert(f'["{name}"]', frame=frame)
    clamp_handles(armature)


def clamp_handles(armature):
    """Set handles so that curves do not overshoot, as strut interpolates; the lengths of handles are kept.

    The slopes are those of a monotone cubic (weighted harmonic means of the neighbours), 0 at both ends.
    """
    for curve in curves_of(armature):
        points = curve.keyframe_points
        if curve.data_path.startswith("[") or f'"{EYES_BONE}"' in curve.data_path:
            for point in points:
                point.interpolation = "CONSTANT"
            continue
        places = np.array([point.co[:] for point in points])
        slopes = monotone_slopes(places)
        shares = [handle_shares(points, number) for number in range(len(points))]
        for number, point in enumerate(points):
            before, after = shares[number]
            point.handle_left_type = point.handle_right_type = "FREE"
            gap_before = places[number, 0] - places[number - 1, 0] if number else 3.0
            gap_after = places[number + 1, 0] - places[number, 0] if number + 1 < len(points) else 3.0
            x, y = places[number]
            point.handle_left = (x - before * gap_before, y - before * gap_before * slopes[number])
            point.handle_right = (x + after * gap_after, y + after * gap_after * slopes[number])
        curve.update()


def monotone_slopes(places):
    """Return slopes at keys. Shape (n, 2) in, (n,) out."""
    slopes = np.zeros(len(places))
    if len(places) > 2:
        gap = np.diff(places[:, 0])
        rise = np.diff(places[:, 1])
        rate = rise / gap
        for k in range(1, len(places) - 1):
            if rate[k - 1] * rate[k] > 0.0:
                first = 2.0 * gap[k] + gap[k - 1]
                second = gap[k] + 2.0 * gap[k - 1]
                slopes[k] = (first + second) / (first / rate[k - 1] + second / rate[k])
    return slopes


def handle_shares(points, number):
    """Return the lengths of a key's handles as shares of the time to the neighbours; a third unless set by hand."""
    point = points[number]
    before = DEFAULT_HANDLE
    after = DEFAULT_HANDLE
    if point.handle_left_type == "FREE" and number:
        before = (point.co[0] - point.handle_left[0]) / (point.co[0] - points[number - 1].co[0])
    if point.handle_right_type == "FREE" and number + 1 < len(points):
        after = (point.handle_right[0] - point.co[0]) / (points[number + 1].co[0] - point.co[0])
    return min(max(before, 0.01), 1.0), min(max(after, 0.01), 1.0)


def keyed_frames(armature, rig):
    """Return the frames with keys, in ascending order."""
    known = (*controls(rig)[0], *(f'["{name}"]' for name in WALK))
    return sorted(
        {round(p.co[0], 3) for curve in curves_of(armature) if curve.data_path in known for p in curve.keyframe_points}
    )


def go_to(scene, frame):
    """Show a frame, which may lie between two."""
    scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))


def read_animation(armature, rig, context, title, emotion):
    """Return a keyframe animation as a dictionary; raises RigError if a foot misses its target."""
    scene = context.scene
    frames = keyed_frames(armature, rig)
    now = scene.frame_current
    if len(frames) < 2:
        raise RigError(f"{armature.name} has {len(frames)} keyframes; an animation needs two or more (Key pose).")
    keys = []
    for frame in frames:
        go_to(scene, frame)
        check_reached(armature, rig, context, frame)
        keys.append(keyframe(armature, rig, (frame - frames[0]) * scene.render.fps_base / scene.render.fps))
    add_curves(armature, rig, frames, keys)
    scene.frame_set(now)
    animation = {"title": title, "robot": rig["robot"], "emotion": emotion}
    return animation | ({"posture_deg": rig["posture_deg"]} if rig["posture_deg"] else {}) | {"keyframe": keys}


def check_reached(armature, rig, context, frame):
    """Raise RigError if a foot misses its target."""
    evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
    for foot in rig["feet"]:
        bone = evaluated.pose.bones[foot["bone"]].matrix
        target = evaluated.pose.bones[foot["name"]].matrix.to_translation()
        missed_m = (bone @ Vector(foot["offset_m"]) - target).length
        if missed_m > MAX_MISS_M:
            raise RigError(
                f"Frame {frame:g}: {foot['name']} misses its target by {missed_m * 1e3:.0f} mm; move it nearer."
            )


def keyframe(armature, rig, time_s):
    """Return the current pose as a keyframe."""
    base = armature.pose.bones[rig["bones"][0]["name"]]
    rest = Matrix(rig["bones"][0]["rest"][1].tolist())
    turn = (rest @ base.matrix_basis.to_3x3() @ rest.transposed()).to_euler("XYZ")
    key = {"time_s": round(time_s, 4)}
    put(key, "base_m", [round(value, 5) for value in rest @ base.location])
    put(key, "turn_deg", [round(math.degrees(value), 4) for value in turn])
    feet = {}
    for foot in rig["feet"]:
        pose = armature.pose.bones[foot["name"]]
        place = {}
        put(place, "shift_m", [round(value, 5) for value in pose.location])
        put(place, "direction_deg", round(math.degrees(pose.rotation_euler.z), 4))
        put(feet, foot["name"], place)
    put(key, "feet", feet)
    free = controls(rig)[1]
    turned = {name: round(math.degrees(armature.pose.bones[name].rotation_euler.x), 4) for name in free}
    put(key, "joints_deg", {name: angle for name, angle in turned.items() if angle})
    if rig["eyes"]:
        names = list(rig["eyes"]["looks_deg"])
        number = round(armature.pose.bones[EYES_BONE].location.x / EYES_STEP_M)
        put(key, "eyes", names[min(max(number, 0), len(names) - 1)])
    speed = [round(float(armature.get(name, 0.0)), 4) for name in WALK]
    if any(speed):
        key |= {"mode": "walk", "speed_m_s": speed}
    return key


def put(table, name, value):
    """Write a value unless it is strut's default."""
    numbers = value if isinstance(value, list) else [value]
    if value and value != "neutral" and any(numbers):
        table[name] = value


def add_curves(armature, rig, frames, keys):
    """Write the interpolation of keyframes: straight lines, and handles with changed lengths."""
    base = rig["bones"][0]["name"]
    paths = controls(rig)[0]
    curves = [c for c in curves_of(armature) if c.data_path in paths and f'"{EYES_BONE}"' not in c.data_path]
    curves.sort(key=lambda curve: f'"{base}"' not in curve.data_path)  # the base decides
    for number, frame in enumerate(frames):
        for curve in curves:
            points = curve.keyframe_points
            at = next((k for k, point in enumerate(points) if abs(point.co[0] - frame) < 2e-3), None)
            if at is None:
                continue
            before, after = handle_shares(points, at)
            if points[at].interpolation in ("LINEAR", "CONSTANT") and number + 1 < len(frames):
                keys[number]["interpolation"] = "linear"
            if abs(after - DEFAULT_HANDLE) > 1e-3 and number + 1 < len(frames):
                keys[number]["leave"] = round(after, 4)
            if abs(before - DEFAULT_HANDLE) > 1e-3 and number:
                keys[number]["arrive"] = round(before, 4)
            break


def format_toml(animation):
    """Return an animation as TOML."""
    head = [f"{name} = {json.dumps(animation[name], ensure_ascii=False)}" for name in ("title", "robot", "emotion")]
    if "posture_deg" in animation:
        head += [
            "",
            "[posture_deg]",
            *(f"{json.dumps(name)} = {angle}" for name, angle in animation["posture_deg"].items()),
        ]
    lines = list(head)
    for key in animation["keyframe"]:
        lines += ["", "[[keyframe]]"]
        for name, value in key.items():
            if name not in ("feet", "joints_deg"):
                lines.append(f"{name} = {json.dumps(value)}")
        for group in ("feet", "joints_deg"):
            for name, value in key.get(group, {}).items():
                if isinstance(value, dict):
                    lines += [
                        f"{group}.{json.dumps(name)}.{field} = {json.dumps(inner)}" for field, inner in value.items()
                    ]
                else:
                    lines.append(f"{group}.{json.dumps(name)} = {value}")
    return "\n".join([*lines, ""])


def import_animation(path, armature, rig, context):
    """Put the keyframes of an animation file on a rig; raises RigError."""
    if tomllib is None:
        raise RigError("Opening an animation needs Blender 4.1 or newer, whose Python reads TOML.")
    try:
        animation = tomllib.loads(Path(path).read_text("utf-8"))
        keys = animation["keyframe"]
    except (OSError, ValueError, KeyError) as error:
        raise RigError(f"{path} is not an animation of strut: {error}.") from error
    if animation.get("robot", rig["robot"]) != rig["robot"]:
        raise RigError(
            f"{Path(path).name} is an animation of {animation['robot']}, and this is the rig of {rig['robot']}."
        )
    for key in keys:
        look_number(rig, key.get("eyes", "neutral"))  # before anything is changed
    new_action(armature, animation.get("title", Path(path).stem))
    rate = context.scene.render.fps / context.scene.render.fps_base
    for key in keys:
        show_key(armature, rig, key)
        frame = key["time_s"] * rate
        for data_path in controls(rig)[0]:
            armature.keyframe_insert(data_path, frame=frame)
        for name, value in zip(WALK, key.get("speed_m_s", (0.0, 0.0))):
            armature[name] = float(value)
            armature.keyframe_insert(f'["{name}"]', frame=frame)
    set_handles(armature, keys, rate)
    clamp_handles(armature)
    context.scene.frame_end = max(1, math.ceil(keys[-1]["time_s"] * rate))
    armature["strut_emotion"] = animation.get("emotion", "neutral")
    armature["strut_title"] = animation.get("title", "")
    context.scene.frame_set(0)


def new_action(armature, name):
    """Give an armature a new, empty action."""
    armature.animation_data_create()
    armature.animation_data.action = bpy.data.actions.new(name)


def look_number(rig, name):
    """Return the number of an expression of the eyes, 0 without eyes; raises RigError."""
    looks = list(rig["eyes"]["looks_deg"]) if rig["eyes"] else [name]
    if name not in looks:
        raise RigError(f"The eyes of {rig['robot']} have no expression '{name}'; choose {', '.join(looks)}.")
    return looks.index(name)


def show_key(armature, rig, key):
    """Set the pose of a keyframe."""
    rest = Matrix(rig["bones"][0]["rest"][1].tolist())
    base = armature.pose.bones[rig["bones"][0]["name"]]
    base.location = rest.transposed() @ Vector(key.get("base_m", (0.0, 0.0, 0.0)))
    turn = Matrix.Identity(3)
    for angle, axis in zip(key.get("turn_deg", (0.0, 0.0, 0.0)), "XYZ"):
        turn = Matrix.Rotation(math.radians(angle), 3, axis) @ turn
    base.rotation_euler = (rest.transposed() @ turn @ rest).to_euler("XYZ", base.rotation_euler)
    for foot in rig["feet"]:
        place = key.get("feet", {}).get(foot["name"], {})
        pose = armature.pose.bones[foot["name"]]
        pose.location = place.get("shift_m", (0.0, 0.0, 0.0))
        pose.rotation_euler = (0.0, 0.0, math.radians(place.get("direction_deg", 0.0)))
    for name in controls(rig)[1]:
        armature.pose.bones[name].rotation_euler = (math.radians(key.get("joints_deg", {}).get(name, 0.0)), 0.0, 0.0)
    if rig["eyes"]:
        number = look_number(rig, key.get("eyes", "neutral"))
        armature.pose.bones[EYES_BONE].location = (number * EYES_STEP_M, 0.0, 0.0)


def set_handles(armature, keys, rate):
    """Set interpolation and lengths of handles of every curve from keyframes."""
    times = [key["time_s"] * rate for key in keys]
    for curve in curves_of(armature):
        for number, point in enumerate(curve.keyframe_points):
            key = keys[number]
            point.interpolation = "LINEAR" if key.get("interpolation") == "linear" else "BEZIER"
            point.handle_left_type = point.handle_right_type = "FREE"
            if number:
                point.handle_left = (
                    times[number] - key.get("arrive", DEFAULT_HANDLE) * (times[number] - times[number - 1]),
                    point.co[1],
                )
            if number + 1 < len(keys):
                point.handle_right = (
                    times[number] + key.get("leave", DEFAULT_HANDLE) * (times[number + 1] - times[number]),
                    point.co[1],
                )


# --- solved motions -------------------------------------------------------------------------------------------------


def read_motion(path):
    """Return robot, times, coordinates, joint names and eyes of a motion in NPZ, JSON or CSV; raises RigError."""
    path = Path(path)
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                meta = json.loads(str(arrays["meta"]))
                names = [str(name) for name in arrays["joint_names"]]
                return meta["robot"], arrays["time_s"], arrays["qpos"], names, meta.get("eyes", [])
        if path.suffix == ".json":
            table = json.loads(path.read_text("utf-8"))
            return (
                table["robot"],
                np.array(table["time_s"]),
                np.array(table["qpos"]),
                table["joint_names"],
                table["meta"].get("eyes", []),
            )
        if path.suffix == ".csv":
            return read_csv(path)
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise RigError(f"{path.name} is not a motion of strut: {error}.") from error
    raise RigError(f"{path.name} ends in {path.suffix}; give .npz, .json or .csv.")


def read_csv(path):
    """Return a motion from a table: base columns, then joints that end in _rad."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    head = rows[0]
    table = np.array(rows[1:], dtype=float)
    base = [k for k, name in enumerate(head) if name.startswith("base_")]
    joints = [k for k, name in enumerate(head) if name.endswith("_rad") and k not in base]
    return None, table[:, 0], table[:, base + joints], [head[k][: -len("_rad")] for k in joints], []


def import_motion(path, rig, key, context):
    """Show a solved motion as an action of a second, transparent body beside the rig; raises RigError."""
    robot, time_s, qpos, names, eyes = read_motion(path)
    bones = rig["bones"]
    if robot not in (None, rig["robot"]) or names != [bone["name"] for bone in bones[1:]]:
        raise RigError(
            f"{Path(path).name} is a motion of {robot or 'another robot'}, and this is the rig of {rig['robot']}."
        )
    numbers = [(start_s, look_number(rig, name)) for start_s, name in eyes]
    armature = build(rig, key, posable=False, context=context, label=f"{rig['robot']} {Path(path).stem}")
    heads = np.array([bone["start_m"] for bone in bones])
    armature.location = (0.0, -1.5 * float(np.ptp(heads, axis=0).max()), 0.0)  # to the right of the rig
    new_action(armature, Path(path).stem)
    rate = context.scene.render.fps / context.scene.render.fps_base
    time_s = time_s - time_s[0]
    frames = math.floor(time_s[-1] * rate + 1e-6) + 1
    before = None
    for frame in range(frames):
        now = np.array([np.interp(frame / rate, time_s, column) for column in qpos.T])
        before = key_bones(armature, rig, now, frame, before)
        if rig["eyes"]:
            shown = [number for start_s, number in numbers if start_s <= frame / rate + 1e-9]
            pose = armature.pose.bones[EYES_BONE]
            pose.location = (shown[-1] * EYES_STEP_M if shown else 0.0, 0.0, 0.0)
            pose.keyframe_insert("location", frame=frame)
    for curve in curves_of(armature):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT" if f'"{EYES_BONE}"' in curve.data_path else "LINEAR"
    context.scene.frame_end = max(context.scene.frame_end, frames - 1)
    context.scene.frame_set(context.scene.frame_current)
    return armature


def key_bones(armature, rig, qpos, frame, before):
    """Pose and key all bones for coordinates; returns the base's quaternion, whose sign the next one keeps."""
    head, axes = rig["bones"][0]["rest"]
    base = armature.pose.bones[rig["bones"][0]["name"]]
    size = {"floating": 7, "platform": 3, "fixed": 0}[rig["base"]]
    world = matrix(head, axes)
    if size == 7:
        world = Matrix.Translation(qpos[:3].tolist()) @ quaternion(qpos[3:7]).to_matrix().to_4x4()
    elif size == 3:
        world = Matrix.Translation((qpos[0], qpos[1], 0.0)) @ Matrix.Rotation(qpos[2], 4, "Z") @ world
    local = matrix(head, axes).inverted() @ world
    base.location = local.to_translation()
    turn = local.to_quaternion()
    if before is not None and turn.dot(before) < 0.0:
        turn.negate()
    base.rotation_quaternion = turn
    base.keyframe_insert("location", frame=frame)
    base.keyframe_insert("rotation_quaternion", frame=frame)
    for bone, angle in zip(rig["bones"][1:], qpos[size:]):
        pose = armature.pose.bones[bone["name"]]
        pose.rotation_euler = (float(angle) - bone["angle_rad"], 0.0, 0.0)
        pose.keyframe_insert("rotation_euler", index=0, frame=frame)
    return turn.copy()


def quaternion(wxyz):
    """Return a unit quaternion."""
    return Quaternion((np.asarray(wxyz) / np.linalg.norm(wxyz)).tolist())


# --- operators and panel ----------------------------------------------------------------------------------------------


def active_rig(context):
    """Return the active armature and its description; raises RigError."""
    armature = context.object
    if armature is not None and armature.type != "ARMATURE":
        armature = armature.parent
    if armature is None or "strut_rig" not in armature:
        raise RigError("Select a rig of strut first.")
    return armature, find_rig(armature["strut_rig"])


class SafeOperator:
    """An operator that reports a RigError as one sentence."""

    def execute(self, context):
        """Run the operator, or report the error."""
        try:
            self.run(context)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class STRUT_OT_import_rig(SafeOperator, bpy.types.Operator, ImportHelper):
    """Build the rig of a robot from a file of `strut export ROBOT --to rig`"""

    bl_idname = "strut.import_rig"
    bl_label = "strut rig (.json)"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def run(self, context):
        """Build it."""
        armature = import_rig(self.filepath, context)
        self.report(
            {"INFO"}, f"{armature.name}: move its base and its feet; the scene has {FRAMES_PER_S} frames a second."
        )


class STRUT_OT_import_animation(SafeOperator, bpy.types.Operator, ImportHelper):
    """Open a keyframe animation on the rig"""

    bl_idname = "strut.import_animation"
    bl_label = "Open animation (.toml)"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default="*.toml", options={"HIDDEN"})

    def run(self, context):
        """Read it."""
        armature, rig = active_rig(context)
        import_animation(self.filepath, armature, rig, context)


class STRUT_OT_import_motion(SafeOperator, bpy.types.Operator, ImportHelper):
    """Show a solved motion beside the rig"""

    bl_idname = "strut.import_motion"
    bl_label = "Import motion (.npz, .json, .csv)"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default="*.npz;*.json;*.csv", options={"HIDDEN"})

    def run(self, context):
        """Import it, and select the rig again."""
        armature, rig = active_rig(context)
        import_motion(self.filepath, rig, armature["strut_rig"], context)
        select_only(armature, context)


class STRUT_OT_export_animation(SafeOperator, bpy.types.Operator, ExportHelper):
    """Write the keyframes as an animation for `strut animate`"""

    bl_idname = "strut.export_animation"
    bl_label = "Export animation (.toml)"
    filename_ext = ".toml"
    filter_glob: StringProperty(default="*.toml", options={"HIDDEN"})
    title: StringProperty(name="Title", default="")
    emotion: StringProperty(name="Emotion", default="", description="One of `strut emotions`")

    def run(self, context):
        """Write it."""
        armature, rig = active_rig(context)
        title = self.title or armature.get("strut_title", "") or Path(self.filepath).stem
        emotion = self.emotion or armature.get("strut_emotion", "") or "neutral"
        Path(self.filepath).write_text(format_toml(read_animation(armature, rig, context, title, emotion)), "utf-8")
        self.report({"INFO"}, f"Wrote {self.filepath}; next: strut animate {Path(self.filepath).name}")


class STRUT_OT_export_glb(SafeOperator, bpy.types.Operator, ExportHelper):
    """Write every frame of the rig's movement as GLB for `strut animate`"""

    bl_idname = "strut.export_glb"
    bl_label = "Export movement (.glb)"
    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb", options={"HIDDEN"})

    def run(self, context):
        """Write it with Blender's exporter, which samples the result of drivers."""
        armature, rig = active_rig(context)
        frames = keyed_frames(armature, rig)
        if len(frames) < 2:
            raise RigError(f"{armature.name} has {len(frames)} keyframes; a movement needs two or more (Key pose).")
        scene = context.scene
        before = scene.frame_start, scene.frame_end
        scene.frame_start = math.floor(frames[0])
        scene.frame_end = math.ceil(frames[-1])
        select_only(armature, context)
        wanted = {
            "filepath": self.filepath,
            "export_format": "GLB",
            "use_selection": True,
            "export_animations": True,
            "export_force_sampling": True,
            "export_frame_range": True,
            "export_frame_step": 1,
            "export_yup": True,
            "export_nla_strips": False,
            "export_animation_mode": "ACTIVE_ACTIONS",
            "export_def_bones": False,
            "export_optimize_animation_size": False,
            "export_current_frame": False,
        }
        known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
        try:
            bpy.ops.export_scene.gltf(**{name: value for name, value in wanted.items() if name in known})
        finally:
            scene.frame_start, scene.frame_end = before
        self.report(
            {"INFO"}, f"Wrote {self.filepath}; next: strut animate {Path(self.filepath).name} --robot {rig['robot']}"
        )


class STRUT_OT_key_pose(SafeOperator, bpy.types.Operator):
    """Put a keyframe on base, feet, joints and eyes"""

    bl_idname = "strut.key_pose"
    bl_label = "Key pose"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context):
        """Key it."""
        armature, rig = active_rig(context)
        key_pose(armature, rig, context.scene.frame_current)


class STRUT_OT_clamp(SafeOperator, bpy.types.Operator):
    """Set handles so that curves do not overshoot, as strut interpolates"""

    bl_idname = "strut.clamp"
    bl_label = "Interpolate as strut does"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context):
        """Set the handles."""
        clamp_handles(active_rig(context)[0])


class STRUT_OT_eyes(SafeOperator, bpy.types.Operator):
    """Give the eyes an expression from this frame on"""

    bl_idname = "strut.eyes"
    bl_label = "Eyes"
    bl_options = {"REGISTER", "UNDO"}
    look: StringProperty()

    def run(self, context):
        """Set and key it."""
        armature, rig = active_rig(context)
        number = list(rig["eyes"]["looks_deg"]).index(self.look)
        armature.pose.bones[EYES_BONE].location = (number * EYES_STEP_M, 0.0, 0.0)
        armature.keyframe_insert(f'pose.bones["{EYES_BONE}"].location', frame=context.scene.frame_current)
        clamp_handles(armature)


class STRUT_PT_panel(bpy.types.Panel):
    """Operators of a rig, and the distances of feet from their targets"""

    bl_idname = "STRUT_PT_panel"
    bl_label = "strut"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "strut"

    def draw(self, context):
        """Draw the panel."""
        layout = self.layout
        layout.operator("strut.import_rig")
        try:
            armature, rig = active_rig(context)
        except RigError as error:
            layout.label(text=str(error))
            return
        if armature.get("strut_posable"):
            layout.operator("strut.key_pose")
            layout.operator("strut.clamp")
            for foot in rig["feet"]:
                missed_m = _missed_m.get((armature["strut_rig"], foot["name"]), 0.0)
                if missed_m > MAX_MISS_M:
                    layout.label(text=f"{foot['name']} misses its target by {missed_m * 1e3:.0f} mm", icon="ERROR")
            for name in WALK:
                layout.prop(armature, f'["{name}"]')
            if rig["eyes"]:
                grid = layout.grid_flow(columns=3, align=True)
                for look in rig["eyes"]["looks_deg"]:
                    grid.operator("strut.eyes", text=look).look = look
            layout.operator("strut.import_animation")
            layout.operator("strut.export_animation")
            layout.operator("strut.export_glb")
        layout.operator("strut.import_motion")


CLASSES = (
    STRUT_OT_import_rig,
    STRUT_OT_import_animation,
    STRUT_OT_import_motion,
    STRUT_OT_export_animation,
    STRUT_OT_export_glb,
    STRUT_OT_key_pose,
    STRUT_OT_clamp,
    STRUT_OT_eyes,
    STRUT_PT_panel,
)


def menu(self, _context):
    """Add the import to Blender's menu."""
    self.layout.operator("strut.import_rig")


@persistent
def register_drivers(*_):
    """Register the functions of drivers, again after a file is loaded, and clear the caches of the last file."""
    _rigs.clear()
    _missed_m.clear()
    bpy.app.driver_namespace["strut_leg"] = strut_leg
    bpy.app.driver_namespace["strut_eye"] = strut_eye


def register():
    """Install the add-on."""
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.TOPBAR_MT_file_import.append(menu)
    bpy.app.handlers.load_post.append(register_drivers)
    register_drivers()


def unregister():
    """Remove the add-on."""
    bpy.app.handlers.load_post.remove(register_drivers)
    bpy.types.TOPBAR_MT_file_import.remove(menu)
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)


if __name__ == "__main__":
    register()
