"""A compiled model as MJCF text with all digits, for oracles that read files: bodies, joints, rotors and inertias."""

from xml.etree import ElementTree as ET

KINDS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def text_of(model):
    root = ET.Element("mujoco", model="robot")
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(root, "option", gravity=numbers(model.opt.gravity))
    bodies = {0: ET.SubElement(root, "worldbody")}
    for body in range(1, model.nbody):
        place = {"pos": numbers(model.body_pos[body]), "quat": numbers(model.body_quat[body])}
        own = bodies[body] = ET.SubElement(
            bodies[int(model.body_parentid[body])], "body", place, name=model.body(body).name
        )
        first = model.body_jntadr[body]
        for joint in range(first, first + model.body_jntnum[body]):
            _add_joint(own, model, joint)
        if model.body_mass[body] > 0.0:
            inertia = {"pos": numbers(model.body_ipos[body]), "quat": numbers(model.body_iquat[body])}
            moments = {"mass": repr(float(model.body_mass[body])), "diaginertia": numbers(model.body_inertia[body])}
            ET.SubElement(own, "inertial", inertia | moments)
        for site in range(model.nsite):
            if model.site_bodyid[site] == body:
                ET.SubElement(own, "site", name=model.site(site).name, pos=numbers(model.site_pos[site]))
    return ET.tostring(root, encoding="unicode")


def _add_joint(body, model, joint):
    name = model.joint(joint).name
    kind = KINDS[int(model.jnt_type[joint])]
    if kind == "free":
        ET.SubElement(body, "freejoint", name=name)
        return
    made = ET.SubElement(body, "joint", name=name, type=kind, axis=numbers(model.jnt_axis[joint]))
    made.set("pos", numbers(model.jnt_pos[joint]))
    made.set("armature", repr(float(model.dof_armature[model.jnt_dofadr[joint]])))
    if model.jnt_limited[joint]:
        made.set("range", numbers(model.jnt_range[joint]))
