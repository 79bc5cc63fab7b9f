"""Width: widths of pictures and films by the number of robots side by side."""

from __future__ import annotations

from dataclasses import dataclass

from strut.errors import OutOfRangeError

MIN_PX = 60  # of one robot
MAX_PX = 4000  # of a picture


@dataclass(frozen=True, slots=True)
class Widths:
    """Default widths of the panels of robots side by side.

    Args:
        one_px: Width of a single panel, and largest width of any.
        all_px: Width of all panels together.
        min_px: Smallest width of a panel, so that its text is readable.
    """

    one_px: int
    all_px: int
    min_px: int

    def panel_px(self, count: int, width_px: int | None = None) -> int:
        """Return the width of each panel: the default, or a share of a given width of all panels."""
        if width_px is None:
            return min(self.one_px, max(self.min_px, self.all_px // count))
        check_width(width_px, count)
        return width_px // count


def check_width(width_px: int | None, count: int) -> None:
    """Raise OutOfRangeError if a picture of that many robots cannot have a width."""
    if width_px is not None and not MIN_PX * count <= width_px <= MAX_PX:
        room = f"{MIN_PX * count} to {MAX_PX}"
        raise OutOfRangeError(f"A picture {width_px} pixels wide cannot be drawn; choose {room}.")


PICTURE = Widths(one_px=840, all_px=1260, min_px=420)
FILM = Widths(one_px=720, all_px=1280, min_px=200)
