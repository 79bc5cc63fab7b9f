"""Stories: the keyframe animations that come with a robot, by name."""

from __future__ import annotations

from pathlib import Path

from strut.errors import UnknownNameError
from strut.models.catalogue import HOME


def story_names(robot: str, *, walking: bool = False) -> tuple[str, ...]:
    """Return the names of the stories that come with a robot: standing ones, or walking ones.

    Example:
        >>> strut.animation.story_names("cassie")[:3]
        ('angry', 'curious', 'fearful')
    """
    folder = HOME / robot / ("walking_stories" if walking else "stories")
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def story_path(robot: str, name: str) -> Path:
    """Return the file of a story that comes with a robot; raises UnknownNameError.

    Example:
        >>> strut.animation.story_path("cassie", "sad").name
        'sad.toml'
    """
    walking = story_names(robot, walking=True)
    known = (*story_names(robot), *walking)
    if name not in known:
        raise UnknownNameError("story", name, known or ("none",), f"The folder of {robot}")
    return HOME / robot / ("walking_stories" if name in walking else "stories") / f"{name}.toml"
