"""Animation file: a story in keyframes, in one TOML text; see docs/animation.md. Errors name file, line and field."""

from __future__ import annotations

from pathlib import Path

from strut.errors import AnimationError, FileError, UnknownNameError
from strut.models.catalogue import HOME
from strut.tables.keyframes import Animation
from strut.toml_file import TomlFile


def load_animation(path: Path | str) -> Animation:
    """Read an animation; raises AnimationError that names line and field.

    Example:
        >>> strut.load_animation(strut.story_path("cassie", "curious")).emotion
        'curious'
    """
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise AnimationError(str(path), "", f"is no UTF-8 text: {error.reason}.") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}.") from error
    return TomlFile(text, str(path), AnimationError).decode(Animation)


def story_names(robot: str) -> tuple[str, ...]:
    """Return the names of the stories that come with a robot.

    Example:
        >>> strut.story_names("cassie")[:3]
        ('angry', 'curious', 'fearful')
    """
    return tuple(sorted(path.stem for path in (HOME / robot / "stories").glob("*.toml")))


def story_path(robot: str, name: str) -> Path:
    """Return the file of a story that comes with a robot; raises UnknownNameError.

    Example:
        >>> strut.story_path("cassie", "sad").name
        'sad.toml'
    """
    known = story_names(robot)
    if name not in known:
        raise UnknownNameError("story", name, known or ("none",), f"The folder of {robot}")
    return HOME / robot / "stories" / f"{name}.toml"
