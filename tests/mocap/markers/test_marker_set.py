"""Markers are known by their own names, by those of other laboratories, and by those of a mapping file."""

from __future__ import annotations

import numpy as np
import pytest

from strut.errors import MappingFileError, MarkerSetError, UnknownNameError
from strut.mocap.markers.marker_set import built_in_marker_set, marker_set_names, match_markers, read_marker_set
from strut.recording import Recording

LOWER_BODY = (
    *("LASI", "RASI", "LPSI", "RPSI", "LKNE", "RKNE", "LANK", "RANK", "LTOE", "RTOE", "LHEE", "RHEE"),
    *("LTHI", "RTHI", "LTIB", "RTIB"),
)


def named(*names):
    return Recording("trial", 100.0, names, np.zeros((2, len(names), 3)))


def test_plug_in_gait_is_built_in_and_mirrored():
    landmarks = built_in_marker_set("plug_in_gait").landmarks
    assert landmarks["LKNE"].segment == "ShankLeft"
    assert landmarks["RKNE"].segment == "ShankRight"
    assert landmarks["RKNE"].at[1] == -landmarks["LKNE"].at[1]
    assert {"clusters", "helen_hayes_letters", "joint_centres", "plug_in_gait"} == set(marker_set_names())
    with pytest.raises(UnknownNameError, match="There is no marker set 'helen_hayes'"):
        built_in_marker_set("helen_hayes")


def test_a_lower_body_is_enough():
    chosen, found = match_markers(named(*LOWER_BODY, "LKneeAngles", "*12"))
    assert chosen.title == "Plug-in Gait"
    assert set(found) == set(LOWER_BODY)


def test_other_laboratories_names_are_known_whatever_their_case():
    renamed = [
        {"LKNE": "llkn", "LANK": "L.Ankle", "LPSI": "VSAC"}.get(name, name) for name in LOWER_BODY if name != "RPSI"
    ]
    _, found = match_markers(named(*renamed))
    assert (found["LKNE"], found["LANK"], found["SACR"]) == ("llkn", "L.Ankle", "VSAC")


def test_the_sacrum_stands_in_for_the_hind_spines_only_where_they_are_missing():
    assert "SACR" not in match_markers(named(*LOWER_BODY, "SACR"))[1]


def test_what_is_missing_is_named():
    names = [name for name in LOWER_BODY if name not in ("LANK", "RTOE", "RHEE")]
    with pytest.raises(MarkerSetError, match="still needs LANK or LSK1, RTOE or RHEE or RMT5; found are LASI"):
        match_markers(named(*names))
    with pytest.raises(MarkerSetError, match=r"Hardly ever seen, so not used: LANK\."):
        match_markers(named(*names), unseen=["LANK"])


def test_french_names_of_landmarks_are_known():
    """Epine antero-superieure, condyle lateral, malleole laterale: a laboratory whose files name them so."""
    french = {"ASI": "EAS", "PSI": "EPS", "KNE": "CL", "ANK": "ML", "HEE": "CAL"}
    renamed = [f"{name[0]}{french.get(name[1:], name[1:])}" for name in LOWER_BODY]
    _, found = match_markers(named(*renamed))
    assert (found["LASI"], found["RPSI"], found["LKNE"], found["RANK"]) == ("LEAS", "REPS", "LCL", "RML")


def test_a_mapping_file_translates_names_and_adds_markers(tmp_path):
    path = tmp_path / "mine.toml"
    aliases = "\n".join(f'"mine {index}" = "{name}"' for index, name in enumerate(LOWER_BODY))
    path.write_text(
        f'based_on = "plug_in_gait"\n[alias]\n{aliases}\n'
        '[marker.WAND]\nsegment = "ThighLeft"\nat = [0.0, 0.1, -0.1]\nspread_m = [0.05, 0.05, 0.1]\n'
    )
    chosen = read_marker_set(path)
    _, found = match_markers(named(*(f"mine {index}" for index in range(len(LOWER_BODY))), "wand"), chosen)
    assert found["LASI"] == "mine 0"
    assert found["WAND"] == "wand"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('based_on = "plug_in"\n', "line 1, based_on: is 'plug_in', which is none of clusters, "),
        ('based_on = "plug_in_gait"\n[alias]\nx = "LFOO"\n', "line 3, alias.x: is 'LFOO', which is no landmark"),
        ('[marker.A]\nsegment = "Pelvis"\nat = [0, 0]\n', "at"),
        ("spread = 1\n", "there is no such field here"),
    ],
)
def test_a_wrong_mapping_file_is_refused_with_line_and_field(tmp_path, text, sentence):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(MappingFileError, match=sentence):
        read_marker_set(path)
    with pytest.raises(MappingFileError, match=r"absent.toml: there is no such file\."):
        read_marker_set(tmp_path / "absent.toml")
