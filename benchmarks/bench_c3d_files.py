"""Are C3D files of other programs, and damaged copies of them, read or refused with a reason, and how quickly?

    python benchmarks/bench_c3d_files.py [--folder FOLDER] [--copies 2000]

Files are those of FOLDER, else of ../shared/data. A copy has 1, 5 or 40 random bytes in the header, in the parameters
or anywhere; one in five is also truncated. Any outcome but a recording or an error class of strut is a fault.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from record import RECORDINGS, Row, benchmark_parser, record, recordings, skip
from strut.errors import BadRecordingError
from strut.formats.reader import FormatError, decode
from strut.recording import Recording

SMALLEST = 1024
LARGEST = 900_000  # bytes of files that are damaged: large ones only take longer
DAMAGED_BYTES = (1, 5, 40)
HEADER = 512
PARAMETERS = 512 * 12
CUT_SHARE = 0.2


def outcome(content: bytes) -> tuple[str, float]:
    """Return the outcome of reading a file, and its processor time [s]."""
    started = process_time()
    try:
        decode(Recording, content, "file.c3d")
        found = "read"
    except (FormatError, BadRecordingError):
        found = "refused"
    except Exception as error:  # every other kind is what is looked for
        found = f"fault: {type(error).__name__}"
    return found, process_time() - started


def damage(content: bytes, chance: random.Random) -> bytes:
    """Return a copy with some random bytes, perhaps truncated."""
    copy = bytearray(content)
    for _ in range(chance.choice(DAMAGED_BYTES)):
        reach = min(len(copy), chance.choice((HEADER, PARAMETERS, len(copy))))
        copy[chance.randrange(reach)] = chance.randrange(256)
    return bytes(copy[: chance.randrange(len(copy))] if chance.random() < CUT_SHARE else copy)


def row(case: str, found: list[tuple[str, float]]) -> Row:
    counts = Counter(words for words, _ in found)
    faults = {words: count for words, count in counts.items() if words.startswith("fault")}
    return {
        "case": case,
        "files": len(found),
        "read": counts["read"],
        "refused": counts["refused"],
        "faults": sum(faults.values()),
        "slowest_s": round(max(taken for _, taken in found), 3),
        "which": "; ".join(faults),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read every file and its damaged copies; quick: ten copies of the first small files."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--folder", type=Path, help="C3D files; else those of ../shared/data")
    parser.add_argument("--copies", type=int, default=2000, help="damaged copies")
    options = parser.parse_args(arguments)
    folder = options.folder or recordings()
    paths = sorted(folder.rglob("*.[cC]3[dD]"))
    if options.quick:
        paths = [path for path in paths if path.stat().st_size <= LARGEST][:3]
    files = [path.read_bytes() for path in paths]
    small = [content for content in files if SMALLEST <= len(content) <= LARGEST]
    if not small:
        skip(f"{folder} holds no C3D file of {SMALLEST} to {LARGEST} bytes.")
    chance = random.Random(0)
    count = 10 if options.quick else options.copies
    copies = [outcome(damage(chance.choice(small), chance)) for _ in range(count)]
    name = "shared data" if folder == RECORDINGS else folder.name
    rows = [
        row(f"{name}: as they are", [outcome(content) for content in files]),
        row(f"{name}: damaged copies", copies),
    ]
    record("c3d_files", rows, packages=["numpy"], quick=options.quick)


if __name__ == "__main__":
    main()
