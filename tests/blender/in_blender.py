"""Runs inside Blender: works with the add-on as a person would, and writes what Blender shows to a JSON file."""

import json
import os
import sys
from pathlib import Path

import bpy

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
ADDON = sys.argv[sys.argv.index("--") + 2]
EACH = 5
seen = {"version": list(bpy.app.version)}


def bones(armature, frames):
    """Return the matrices of an armature's bones in frames, as Blender evaluates them."""
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shown.append({bone.name: [list(row) for row in bone.matrix] for bone in evaluated.pose.bones})
    return shown


def refused(call, **options):
    """Return what an operator says that refuses."""
    try:
        call(**options)
    except RuntimeError as error:
        return str(error)
    return ""


def cassie():
    bpy.ops.strut.import_rig(filepath=str(FOLDER / "cassie.json"))
    armature = bpy.context.object
    bpy.ops.strut.import_animation(filepath=str(FOLDER / "story.toml"))
    last = bpy.context.scene.frame_end
    seen["last"] = last
    seen["story"] = bones(armature, range(0, last + 1, EACH))
    bpy.ops.strut.export_animation(filepath=str(FOLDER / "again.toml"))
    bpy.ops.strut.export_glb(filepath=str(FOLDER / "again.glb"))
    bpy.context.scene.frame_start = 0
    bpy.context.scene.frame_end = last
    bpy.ops.export_anim.bvh(filepath=str(FOLDER / "again.bvh"), frame_start=0, frame_end=last)
    bpy.ops.strut.import_motion(filepath=str(FOLDER / "solved.npz"))
    solved = next(o for o in bpy.data.objects if o.type == "ARMATURE" and not o["strut_posable"])
    seen["solved"] = bones(solved, range(0, last + 1, EACH))
    seen["action"] = solved.animation_data.action.name
    seen["aside"] = list(solved.location)
    bpy.ops.strut.import_motion(filepath=str(FOLDER / "solved.csv"))
    by_table = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o not in (armature, solved))
    seen["by_table"] = bones(by_table, [last])
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(FOLDER / "kept.blend"), use_scripts=True)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o["strut_posable"])
    seen["reopened"] = bones(armature, [EACH])
    return armature


def mistakes(armature):
    said = seen["said"] = {}
    bpy.context.view_layer.objects.active = armature
    bpy.context.scene.frame_set(0)
    armature.animation_data.action = None
    armature.pose.bones["pelvis"].location = (0.0, 0.0, 0.0)
    armature.pose.bones["pelvis"].rotation_euler = (0.0, 0.0, 0.0)
    bpy.ops.strut.key_pose()
    said["one keyframe"] = refused(bpy.ops.strut.export_animation, filepath=str(FOLDER / "one.toml"))
    bpy.context.scene.frame_set(20)
    armature.pose.bones["pelvis"].location = (0.0, 0.0, 0.3)
    bpy.ops.strut.key_pose()
    seen["unreachable"] = bones(armature, [20])
    said["unreachable"] = refused(bpy.ops.strut.export_animation, filepath=str(FOLDER / "far.toml"))
    said["no rig"] = refused(bpy.ops.strut.import_rig, filepath=str(FOLDER / "noise.json"))
    said["other robot"] = refused(bpy.ops.strut.import_motion, filepath=str(FOLDER / "paw.npz"))
    said["damaged"] = refused(bpy.ops.strut.import_motion, filepath=str(FOLDER / "noise.npz"))
    for name in ("cut", "empty", "winking"):
        said[name] = refused(bpy.ops.strut.import_motion, filepath=str(FOLDER / f"{name}.npz"))
    said["winking story"] = refused(bpy.ops.strut.import_animation, filepath=str(FOLDER / "winking.toml"))
    bpy.ops.strut.eyes(look="angry")
    seen["eyes"] = armature.pose.bones["eyes"].location.x


def others():
    bpy.ops.strut.import_rig(filepath=str(FOLDER / "pepper.json"))
    pepper = bpy.context.object
    pepper.pose.bones["LElbowRoll"].rotation_euler = (3.0, 0.5, 0.0)
    seen["pepper"] = bones(pepper, [0])
    bpy.ops.strut.import_rig(filepath=str(FOLDER / "mrpete.json"))
    mrpete = bpy.context.object
    bpy.ops.strut.import_animation(filepath=str(FOLDER / "paw.toml"))
    seen["mrpete"] = bones(mrpete, range(0, bpy.context.scene.frame_end + 1, EACH))
    bpy.ops.strut.export_animation(filepath=str(FOLDER / "paw_again.toml"))


bpy.ops.preferences.addon_install(filepath=ADDON)
bpy.ops.preferences.addon_enable(module="strut_rig")
bpy.ops.wm.read_homefile(use_empty=True)
mistakes(cassie())
others()
bpy.ops.preferences.addon_disable(module="strut_rig")
(FOLDER / "seen.json").write_text(json.dumps(seen))
if not bpy.app.binary_path:  # Blender as a module
    sys.stdout.flush()
    os._exit(0)  # 4.2 as a module crashes when Python unloads it, after everything was written
