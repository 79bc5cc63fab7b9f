"""Foot shape: where heel, ball and toes of a foot touch the ground, from the markers on it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

HEEL_SKIN_M = 0.020  # from the centre of a marker behind the heel forward to where a heel rolls; chosen
BALL_SHARE = 0.79  # of the length of a foot in a shoe, from the heel to a marker on the second metatarsal; chosen
HEEL_RADIUS_M = 0.012  # half a marker and the skin behind the heel
SHAPE_SD_M = 0.010
SHORTEST_M = 0.01


def foot_shape(places: Mapping[str, tuple[float, float, float]], side: str) -> dict[str, float]:
    """Return lengths of a foot that follow from its markers [m]; none without a marker on heel and ball.

    Args:
        places: Of the markers, in the foot's frame, by landmark.
        side: Right or Left.
    """
    heel = places.get(f"{side[0]}HEE")
    ball = places.get(f"{side[0]}TOE") or places.get(f"{side[0]}MT5")
    if heel is None or ball is None:
        return {}
    return {
        f"Foot{side}PosteriorPoint": max(-(heel[0] + HEEL_SKIN_M), SHORTEST_M),
        f"Foot{side}ForefootX": max(ball[0], SHORTEST_M),
        f"Foot{side}Length": float(np.clip((ball[0] - heel[0] + HEEL_RADIUS_M) / BALL_SHARE, 0.12, 0.40)),
    }
