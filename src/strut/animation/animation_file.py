"""Animation files: keyframes in TOML, or the motion of a rig in GLB or BVH (docs/how_to/animate_a_story.md)."""

from __future__ import annotations

from pathlib import Path

from strut.animation.keyframe_extraction import ExtractedKeyframes, extract_keyframes
from strut.animation.rig_movement import expressions, slider_m
from strut.errors import AnimationError, FileError
from strut.formats.reader import read_file
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.plumbing.regular_file import check_regular
from strut.robot import Robot
from strut.schemas.keyframes import Animation
from strut.schemas.toml_file import TomlFile
from strut.viewer.eyes import expression_times


def load_animation(path: Path | str) -> Animation:
    """Read a keyframe animation; raises AnimationError with line and field.

    Example:
        >>> strut.load_animation(strut.animation.story_path("cassie", "curious")).emotion
        'curious'
    """
    try:
        check_regular(Path(path))
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise AnimationError(str(path), "", f"is not UTF-8 text: {error.reason}.") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}.") from error
    return TomlFile(text, str(path), AnimationError).decode(Animation)


def import_animation(
    path: Path | str, robot: Robot | str, *, emotion: str = "neutral", title: str | None = None
) -> ExtractedKeyframes:
    """Return the motion of a rig in a GLB or BVH file as a keyframe animation; raises RigFileError.

    Args:
        path: File of a rig that was built from `strut export ROBOT --to rig`.
        robot: The rig's robot or its name.
        emotion: Emotion that it expresses; the formats do not hold it.
        title: Title for people; the file's name if None.

    Example:
        >>> strut.animation.import_animation("hop.glb", "cassie", emotion="happy").animation.duration_s
    """
    body = as_robot(robot)
    motion = read_file(Motion, Path(path), robot=body)
    eyes = expressions(slider_m(expression_times(motion.meta), motion.time_s))
    return extract_keyframes(body, motion.qpos, eyes, title=title or Path(path).stem, emotion=emotion)
