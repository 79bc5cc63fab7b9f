"""Hand path files as spreadsheets write them; tests/pipeline has what is wrong with a path."""

import numpy as np
import pytest

from strut.gaits.hand_task.hand_path_file import load_hand_path
from strut.models.catalogue import load_robot

ROWS = "time_s,x_m,y_m,z_m\n0,0.2,-0.2,0.8\n1,0.21,-0.2,0.8\n2,0.22,-0.2,0.81\n3,0.2,-0.2,0.8\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_table_is_read_with_and_without_a_byte_order_mark(encoding, newline, tmp_path):
    (tmp_path / "path.csv").write_bytes(ROWS.replace("\n", newline).encode(encoding))
    path = load_hand_path(load_robot("pepper"), tmp_path / "path.csv", "right")
    np.testing.assert_allclose(path.poses(np.array([1.0])).position_m[0], [0.21, -0.2, 0.8])
