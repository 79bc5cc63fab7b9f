"""Can ezc3d, the C++ library, replace our reader of C3D files? What it does with the damaged copies of bench_c3d_files.

    python benchmarks/peer_ezc3d.py [--folder FOLDER] [--copies 2000]

It reads in a process of its own, which starts again after a crash, after 10 s without an answer, or with 2 GB in use.
"""

from __future__ import annotations

import random
import resource
import select
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from bench_c3d_files import DATA, LARGEST, SMALLEST, damage
from record import record

MAX_WAIT_S = 10.0
MAX_MEMORY_GB = 2.0
ADDRESS_SPACE_BYTES = 3 * 2**30  # beyond it, memory is refused, so that the machine survives


def read_files() -> None:
    """Read the files that stdin names, one per line, and print the outcome of each."""
    import ezc3d  # noqa: PLC0415 -- only the process that may crash imports it

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    for line in sys.stdin:
        try:
            ezc3d.c3d(line.strip())
            outcome = "read"
        except Exception as error:
            outcome = "memory" if isinstance(error, MemoryError) or "alloc" in str(error) else "exception"
        used_gb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print("memory" if used_gb > MAX_MEMORY_GB else outcome, flush=True)
        if used_gb > MAX_MEMORY_GB:
            return


def start() -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--read"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def outcomes(copies: list[bytes]) -> Counter[str]:
    """Return the number of copies by outcome."""
    counts = Counter[str]()
    reader = start()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.c3d"
        for copy in copies:
            path.write_bytes(copy)
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write(f"{path}\n")
            reader.stdin.flush()
            answers = select.select([reader.stdout], [], [], MAX_WAIT_S)[0]
            outcome = reader.stdout.readline().strip() or "crash" if answers else "hang"
            counts[outcome] += 1
            if outcome in ("crash", "hang", "memory"):
                reader.kill()
                reader.wait()
                reader = start()
    reader.kill()
    reader.wait()
    return counts


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=DATA, help="C3D files")
    parser.add_argument("--copies", type=int, default=2000, help="damaged copies")
    parser.add_argument("--read", action="store_true", help="used by the script itself")
    options = parser.parse_args()
    if options.read:
        read_files()
        return
    files = [path.read_bytes() for path in sorted(options.folder.rglob("*.[cC]3[dD]"))]
    small = [content for content in files if SMALLEST <= len(content) <= LARGEST]
    if not small:
        sys.exit(f"{options.folder} holds no C3D file of {SMALLEST} to {LARGEST} bytes.")
    chance = random.Random(0)
    counts = outcomes([damage(chance.choice(small), chance) for _ in range(options.copies)])
    kinds = ("read", "exception", "crash", "memory", "hang")
    record("c3d_ezc3d", [{"copies": options.copies, **{kind: counts[kind] for kind in kinds}}], packages=["ezc3d"])


if __name__ == "__main__":
    main()
