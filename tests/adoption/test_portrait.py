"""Portraits: labels are beside the robot, near what they name, and do not overlap."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from strut.adoption.note import Note
from strut.adoption.portrait import EDGE_PX, SIZE_PX, place_labels, portrait_page, portrait_png
from strut.models.catalogue import load_robot


@pytest.mark.parametrize("limbs", [1, 4, 12, 30])
def test_labels_do_not_overlap_each_other_or_the_body_and_are_inside_the_picture(limbs: int) -> None:
    rng = np.random.default_rng(limbs)
    line_px = 22.0
    body = (230.0, 770.0)
    anchors = rng.uniform((body[0], 300.0), (body[1], 700.0), (limbs, 2))
    widths = rng.uniform(60.0, 160.0, limbs)
    positions = place_labels(anchors, widths, line_px, body)
    assert (positions[:, 0] >= EDGE_PX).all()
    assert (positions[:, 0] + widths <= SIZE_PX[0] - EDGE_PX).all()
    assert ((positions[:, 0] + widths < body[0]) | (positions[:, 0] > body[1])).all()
    assert (positions[:, 1] > line_px / 2).all()
    assert (positions[:, 1] < SIZE_PX[1] - line_px / 2).all()
    for side in (positions[:, 0] < 500.0, positions[:, 0] > 500.0):
        rows = positions[side, 1][np.argsort(anchors[side, 1])]
        assert (np.diff(rows) >= line_px - 1e-9).all()  # in the order of their anchors, so that lines do not cross


def test_a_single_label_is_beside_its_limb() -> None:
    (position,) = place_labels(np.array([[300.0, 400.0]]), np.array([100.0]), 20.0, (230.0, 770.0))
    assert position[0] + 100.0 < 230.0
    assert abs(position[1] - 400.0) <= 20.0


@pytest.fixture(scope="module")
def drawn():
    """Return the figure of the portrait of Mr. Pete, with all that is in it."""
    figures = []
    original = Figure.savefig
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda self, *a, **k: figures.append(self) or original(self, *a, **k))
        content = portrait_png(load_robot("mrpete"))
    with Image.open(io.BytesIO(content)) as picture:
        assert picture.size == SIZE_PX
    return figures[0].axes[0]


def test_a_portrait_names_the_robot_its_feet_and_its_front(drawn) -> None:
    texts = {text.get_text(): text for text in drawn.texts}
    title = texts["Mr. Pete, 28-joint quadruped"] if "Mr. Pete, 28-joint quadruped" in texts else texts["Mr. Pete"]
    assert title.get_position()[0] == EDGE_PX
    assert 0 < title.get_position()[1] < 40
    (arrow,) = [text for text in drawn.texts if text.get_text() == "" and hasattr(text, "xyann")]
    front = texts["front"]
    tip = np.array(arrow.xy)
    assert 0.0 < np.linalg.norm(np.array(front.get_position()) - tip) < 20.0
    assert np.linalg.norm(tip - np.array(arrow.xyann)) > 20.0
    assert tip[0] > arrow.xyann[0]  # seen from ahead and its right
    assert tip[1] > arrow.xyann[1]
    for foot in load_robot("mrpete").foot_names:
        assert any(foot in text for text in texts)


def test_lines_lead_from_the_inner_end_of_each_label_to_what_it_names(drawn) -> None:
    named = [text for text in drawn.texts if text.get_fontsize() == 13 and text.get_text() not in ("", "front")]
    lines = [line for line in drawn.lines if line.get_marker() == "None" and len(line.get_xdata()) == 2]
    dots = [line for line in drawn.lines if line.get_marker() == "o"]
    assert len(lines) == 2 * len(named)  # each with a white edge
    assert len(dots) == len(named)
    renderer = drawn.figure.canvas.get_renderer()
    for text, dark, dot in zip(named, lines[1::2], dots, strict=True):
        x, y = text.get_position()
        (start, end), (start_row, end_row) = dark.get_xdata(), dark.get_ydata()
        width = text.get_window_extent(renderer).width
        assert start == pytest.approx(x + width + 4.0 if x < end else x - 4.0, abs=1.0)
        assert start_row == y
        np.testing.assert_allclose([end, end_row], np.ravel(dot.get_xydata()))
        assert 200.0 < end < 800.0


def test_the_page_of_a_portrait_lists_notes_by_kind_and_joints_with_their_limits() -> None:
    robot = load_robot("mrpete")
    notes = (Note.assumption("It was <assumed>."), Note.fault("It is broken."))
    text = portrait_page(robot, notes).decode()
    assert text.index("What is wrong in the file") < text.index("It is broken.") < text.index("What was assumed")
    assert "It was &lt;assumed&gt;." in text
    assert "What was found" not in text
    assert f"{robot.mass_kg:.1f} kg, {len(robot.joint_names)} joints" in text
    for index in (0, len(robot.joint_names) - 1):
        low, high = np.degrees([robot.joint_lower_rad[index], robot.joint_upper_rad[index]])
        row = text[text.index(f">{robot.joint_names[index]}<") :][:400]
        assert f"{low:.0f}° to {high:.0f}°" in row
        assert f"{robot.joint_speed_limit_rad_s[index]:.1f} rad/s" in row
        assert f"{robot.torque_limit_nm[index]:.1f} N m" in row
