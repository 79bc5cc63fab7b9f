"""Atomic files: links that lead nowhere or in a circle are refused before any work is done for them."""

import pytest

from strut.errors import FileError
from strut.plumbing.atomic_files import check_may_be_folder, check_not_input, write_atomically, write_files


@pytest.fixture
def dangling(tmp_path):
    link = tmp_path / "table.csv"
    link.symlink_to(tmp_path / "nowhere.csv")
    return link


@pytest.fixture
def circle(tmp_path):
    first = tmp_path / "first.csv"
    second = tmp_path / "second.csv"
    first.symlink_to(second)
    second.symlink_to(first)
    return first


def test_a_dangling_link_is_written_through_only_by_force(dangling):
    with pytest.raises(FileError, match=r"is a link to .*nowhere\.csv, which does not exist"):
        write_atomically(dangling, b"x", force=False)
    assert not dangling.exists()
    write_atomically(dangling, b"x", force=True)
    assert dangling.is_symlink()
    assert dangling.resolve().read_bytes() == b"x"


def test_a_dangling_link_in_a_folder_is_replaced_only_by_force(dangling):
    with pytest.raises(FileError, match="which does not exist"):
        write_files(dangling.parent, {"page.html": b"y", dangling.name: b"x"}, last="page.html", force=False)
    assert dangling.is_symlink()
    assert not (dangling.parent / "page.html").exists()


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["", "inside.csv"])
def test_links_in_a_circle_are_no_file_and_no_folder(circle, name, force):
    with pytest.raises(FileError, match="its links lead in a circle"):
        write_atomically(circle / name, b"x", force=force)
    with pytest.raises(FileError, match="its links lead in a circle"):
        check_may_be_folder(circle / name)


def test_a_dangling_link_is_no_folder(dangling):
    with pytest.raises(FileError, match="which does not exist; remove it"):
        check_may_be_folder(dangling)


def test_a_file_is_not_written_over_what_it_is_made_from(tmp_path, circle):
    source = tmp_path / "walk.npz"
    source.touch()
    link = tmp_path / "link.npz"
    link.symlink_to(source)
    with pytest.raises(FileError, match="is the file to read"):
        check_not_input(link, source)
    with pytest.raises(FileError, match="circle"):
        check_not_input(circle, source)
    check_not_input(tmp_path / "other.npz", source)
