"""Width: how wide pictures and films are, by how many robots stand side by side in them."""

from __future__ import annotations

from dataclasses import dataclass

from strut.errors import OutOfRangeError

LEAST_PX = 60
MOST_PX = 4000  # of one robot, and of a whole picture


@dataclass(frozen=True, slots=True)
class Widths:
    """How wide the panels of robots side by side are unless somebody asks.

    Args:
        one_px: Width of a single panel, and the most of any.
        all_px: Width of all panels together.
        least_px: The least of one, so that its words can be read.
    """

    one_px: int
    all_px: int
    least_px: int

    def panel_px(self, count: int, asked_px: int | None = None) -> int:
        """Return how wide each of so many panels is: the usual, or a share of the whole width that is asked for."""
        if asked_px is None:
            return min(self.one_px, max(self.least_px, self.all_px // count))
        check_width(asked_px, count)
        return asked_px // count


def check_width(asked_px: int | None, count: int) -> None:
    """Raise OutOfRangeError if a picture of so many robots cannot have the width that is asked for."""
    if asked_px is not None and not LEAST_PX * count <= asked_px <= MOST_PX:
        room = f"{LEAST_PX * count} to {MOST_PX}"
        raise OutOfRangeError(f"A picture {asked_px} pixels wide cannot be drawn; choose {room}.")


PICTURE = Widths(one_px=840, all_px=1260, least_px=420)
FILM = Widths(one_px=720, all_px=1280, least_px=200)
