"""Motion library: found by meaning, the same ID for the same motion, and damaged or foreign files in one sentence."""

import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from strut.errors import LibraryError, UnknownNameError
from strut.library.motion_library import MotionLibrary
from strut.motion import Motion


def motion_of(robot="cassie", emotion="sad", duration_s=4.0, distance_m=0.0):
    qpos = np.zeros((11, 9))
    qpos[:, 0] = np.linspace(0.0, distance_m, 11)
    qpos[:, 3] = 1.0
    return Motion(
        robot=robot,
        time_s=np.linspace(0.0, duration_s, 11),
        qpos=qpos,
        joint_names=("a", "b"),
        contact=np.ones((11, 2), dtype=bool),
        foot_names=("left", "right"),
        meta={"emotion": emotion, "robot_fingerprint": "f00"},
    )


@pytest.fixture
def library(tmp_path):
    made = MotionLibrary(tmp_path / "deep" / "motions.db")
    made.add(motion_of(), title="Nobody came")
    made.add(motion_of(duration_s=7.0), title="Long tears")
    made.add(motion_of(emotion="happy", distance_m=2.0), title="Off we go")
    made.add(motion_of(robot="alice", emotion="happy", duration_s=3.0), title="Small dance")
    return made


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("sad, standing, under 6 s", ["Nobody came"]),
        ("sadness over 4 s", ["Long tears"]),
        ("at least 4s and at most 4 s", ["Nobody came", "Off we go"]),
        ("happy walking", ["Off we go"]),
        ("alice", ["Small dance"]),
        ('"tears"', ["Long tears"]),
        ("", ["Small dance", "Nobody came", "Off we go", "Long tears"]),
        ("angry", []),
    ],
)
def test_motions_are_found_by_what_they_mean(library, text, titles):
    assert sorted(entry.title for entry in library.query(text)) == sorted(titles)


def test_a_sequence_is_found_by_each_of_its_emotions(library):
    show = motion_of(emotion=None, duration_s=9.0)
    show = replace(show, meta={**show.meta, "title": "walk 1 m, then tears", "feelings": ["happy", "sad"]})
    entry = library.add(show)
    assert entry.emotion == "happy, sad"
    for text in ("happy over 8 s", "sad over 8 s"):
        assert [found.id for found in library.query(text)] == [entry.id]
    assert library.query("angry") == []


def test_shortest_comes_first(library):
    assert [entry.duration_s for entry in library.query()] == [3.0, 4.0, 4.0, 7.0]


def test_the_same_motion_has_the_same_id_and_is_kept_once(library):
    again = library.add(motion_of(), title="Another title")
    assert again.title == "Nobody came"
    assert len(library.query()) == 4
    assert len({entry.id for entry in library.query()}) == 4
    other = MotionLibrary(library.path.with_name("other.db"))
    assert other.add(motion_of()).id == again.id


def test_a_motion_comes_back_as_it_went_in(library):
    entry = library.query("sad under 6 s")[0]
    motion = library.motion(entry.id[:6])
    np.testing.assert_array_equal(motion.qpos, motion_of().qpos)
    assert motion.robot == "cassie"
    assert entry.fingerprint == "f00"


def test_words_without_a_meaning_are_refused(library):
    with pytest.raises(UnknownNameError, match="There is no word 'saad'"):
        library.query("saad")


def test_unknown_and_doubtful_ids_are_refused(library):
    with pytest.raises(LibraryError, match="no motion with the ID 'zzz'"):
        library.motion("zzz")
    with pytest.raises(LibraryError, match="4 motions whose ID begins with ''"):
        library.entry("")


def test_what_is_no_library_is_said_in_one_sentence(tmp_path, library):
    with pytest.raises(LibraryError, match="there is no library"):
        MotionLibrary(tmp_path / "none.db").query()
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"not a database at all, and long enough to be looked at" * 20)
    with pytest.raises(LibraryError, match="damaged or no library"):
        MotionLibrary(noise).add(motion_of())
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as store:
        store.execute("CREATE TABLE birds (name TEXT)")
    for use in (lambda: MotionLibrary(foreign).query(), lambda: MotionLibrary(foreign).add(motion_of())):
        with pytest.raises(LibraryError, match="database of something else"):
            use()
    with sqlite3.connect(library.path) as store:
        store.execute("PRAGMA user_version = 7")
    with pytest.raises(LibraryError, match="version 7; this strut reads 1"):
        library.query()


def test_a_damaged_motion_is_said_so(library):
    with sqlite3.connect(library.path) as store:
        store.execute("UPDATE motion SET body = ?", (b"junk",))
    with pytest.raises(LibraryError, match="in it is damaged"):
        library.motion(library.query("alice")[0].id)
