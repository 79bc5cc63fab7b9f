"""Everything strut raises on purpose. Each message names the value, the cause and the next step."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from strut.plumbing.number_text import format_amount

if TYPE_CHECKING:
    from strut.receipt import Reason, Receipt

MOST_REASONS = 3  # of a refusal, that one sentence holds


class StrutError(Exception):
    """Something the user can fix; the command line prints it as one sentence and exits with 2."""


class OutOfRangeError(StrutError):
    """A number lies outside what it can mean."""


class WrongTypeError(StrutError, TypeError):
    """An argument is of another type than a function takes: a path in the place of a motion, a word for a number."""

    def __init__(self, function: str, argument: str, given: str, wanted: str) -> None:
        super().__init__(function, argument, given, wanted)
        self.function = function
        self.argument = argument
        self.given = given
        self.wanted = wanted

    def __str__(self) -> str:
        return f"{self.function}: {self.argument} is {self.given}; it must be of type {self.wanted}."


class UnknownNameError(StrutError):
    """A name is not in a list of known names."""

    def __init__(self, kind: str, name: str, known: Sequence[str], where: str) -> None:
        super().__init__(kind, name, known, where)  # all of them, or the error cannot cross a process pool
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.where = where

    def __str__(self) -> str:
        known = {name.lower(): name for name in self.known}
        near = ", ".join(known[name] for name in get_close_matches(self.name.lower(), known, cutoff=0.4))
        words = f"nearest: {near}" if near else f"there are {', '.join(self.known)}"
        return f"There is no {self.kind} '{self.name}' ({words}); {self.where} lists them all."


class BadTableError(StrutError):
    """A robot's data file lacks something or holds something else."""


class OutOfReachError(StrutError):
    """A leg cannot reach its target; carries which one and by how much."""

    def __init__(self, leg: str, distance_m: float, shortest_m: float, longest_m: float) -> None:
        super().__init__(leg, distance_m, shortest_m, longest_m)
        self.leg = leg
        self.distance_m = distance_m
        self.shortest_m = shortest_m
        self.longest_m = longest_m

    def __str__(self) -> str:
        return (
            f"Leg {self.leg} would have to span {self.distance_m * 1e3:.1f} mm from hip to ankle, "
            f"but it reaches from {self.shortest_m * 1e3:.1f} to {self.longest_m * 1e3:.1f} mm."
        )


class UnreachablePostureError(StrutError):
    """No posture of two legs meets a target; carries which one, the kind of reason and the reason in words."""

    def __init__(self, sample: int, kind: str, detail: str) -> None:
        super().__init__(sample, kind, detail)
        self.sample = sample
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class BadFootstepsError(StrutError):
    """A list of footsteps cannot be read or cannot be walked; the message names the step."""


class ImpossibleStepError(StrutError):
    """The neutral gait itself cannot do what an option asks; lengths in metres, speeds in metres per second."""

    def __init__(
        self, what: str, asked_m: float, reason: str, usual_m: float, works_m: float | None, unit: str = "mm"
    ) -> None:
        super().__init__(what, asked_m, reason, usual_m, works_m, unit)
        self.what = what
        self.asked_m = asked_m
        self.reason = reason
        self.unit = unit
        self.usual_m = usual_m
        self.works_m = works_m

    def __str__(self) -> str:
        extreme = "largest" if abs(self.asked_m) > abs(self.usual_m) else "smallest"
        advice = (
            f"the {extreme} that works is {self._told(self.works_m)}."
            if self.works_m is not None
            else f"nor does the usual {self._told(self.usual_m)} work: change the other step options too."
        )
        return f"A {self.what} of {self._told(self.asked_m)} is impossible ({self.reason}); {advice}"

    def _told(self, value: float) -> str:
        return format_amount(value, self.unit)


class UnreachablePathError(StrutError):
    """A hand cannot follow its path; carries the first frame that fails and by how much."""

    def __init__(self, task: str, frame: int, time_s: float, off_m: float, turned_rad: float) -> None:
        super().__init__(task, frame, time_s, off_m, turned_rad)
        self.task = task
        self.frame = frame
        self.time_s = time_s
        self.off_m = off_m
        self.turned_rad = turned_rad

    def __str__(self) -> str:
        return (
            f"The hand cannot follow {self.task}: at frame {self.frame} ({self.time_s:.2f} s) it is "
            f"{self.off_m * 1e3:.1f} mm and {self.turned_rad:.3f} rad off; move the path nearer or slow it down."
        )


class RefusedError(StrutError):
    """A motion is refused for all of its `reasons`; the command line exits with 3."""

    def __init__(self, reasons: Sequence[Reason], advice: str, receipt: Receipt | None = None) -> None:
        super().__init__(reasons, advice, receipt)
        self.reasons = tuple(reasons)
        self.advice = advice
        self.receipt = receipt

    def __str__(self) -> str:
        more = len(self.reasons) - MOST_REASONS
        rest = f"; and {more} more (all of them with --json)" if more > 0 else ""
        return f"Refused: {'; '.join(map(str, self.reasons[:MOST_REASONS]))}{rest}. {self.advice}"


class StoppedError(StrutError):
    """Whoever watched a search told it to stop."""


class FileError(StrutError):
    """A file cannot be read or written; carries which one and why."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class MotionFileError(FileError):
    """A motion file is damaged or foreign."""


class RigFileError(FileError):
    """A GLB or BVH file is damaged, or is no rig of the robot."""


class LibraryError(FileError):
    """A motion library is damaged, foreign or of another version, or does not hold what is asked for."""


class SchedulerError(StrutError):
    """A cluster's scheduler cannot be reached, or was lost; carries its address and why."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address = address
        self.reason = reason

    def __str__(self) -> str:
        return f"The scheduler at {self.address} {self.reason}"


class BadMotionError(StrutError):
    """Arrays do not make a motion: shapes disagree, time runs backwards, samples are not finite."""


class CannotListenError(StrutError):
    """Nothing can be served at an address; carries it, and whether its host or its port is to blame."""

    def __init__(self, host: str, port: int, reason: str, blame: Literal["host", "port"] = "port") -> None:
        super().__init__(host, port, reason, blame)
        self.host = host
        self.port = port
        self.reason = reason
        self.blame = blame

    def __str__(self) -> str:
        if self.blame == "host":
            return (
                f"This machine cannot listen on the host '{self.host}' ({self.reason}); choose 127.0.0.1 for this "
                "machine alone or 0.0.0.0 for everybody who can reach it."
            )
        return (
            f"Cannot listen on {self.host}:{self.port} ({self.reason}); stop what listens there or choose another port."
        )


class MissingExtraError(StrutError):
    """A verb needs packages that were not installed."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(extra, package)
        self.extra = extra
        self.package = package

    def __str__(self) -> str:
        return f"This needs the package {self.package}; install it with `pip install 'strut[{self.extra}]'`."


class AnswersError(StrutError):
    """A table of answers is no such table, or too small for a test; carries the file and, where known, the line."""

    def __init__(self, source: str, reason: str, line: int | None = None) -> None:
        super().__init__(source, reason, line)
        self.source = source
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        return f"{self.source}{f', line {self.line}' if self.line else ''}: {self.reason}"


class FieldError(StrutError):
    """A field of a TOML file does not hold what belongs there; carries the file, the field, the reason and the line."""

    def __init__(self, source: str, field: str, reason: str, line: int | None = None) -> None:
        super().__init__(source, field, reason, line)
        self.source = source
        self.field = field
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        where = f", line {self.line}" if self.line else ""
        return f"{self.source}{where}{f', {self.field}' if self.field else ''}: {self.reason}"


class BadFieldError(FieldError, BadTableError):
    """A field of a robot's folder does not hold what belongs there."""


class AnimationError(FieldError):
    """An animation file is malformed; carries the file, the field, the reason and the line."""


class UnreachableFrameError(StrutError):
    """A body cannot take the pose of a frame of an animation; carries which frame, which foot and how far."""

    def __init__(self, frame: int, time_s: float, foot: str, off_m: float) -> None:
        super().__init__(frame, time_s, foot, off_m)
        self.frame = frame
        self.time_s = time_s
        self.foot = foot
        self.off_m = off_m

    def __str__(self) -> str:
        return (
            f"Frame {self.frame} at {self.time_s:.2f} s cannot be reached: foot {self.foot} stays "
            f"{self.off_m * 1e3:.1f} mm (or mrad of tilt) away from where it shall be; move base or foot less there."
        )


class DesignError(FieldError):
    """A study's design file is malformed."""


class StudyError(StrutError):
    """A study's folder or database is not what it should be."""


class BadReplyError(StudyError):
    """A participant's form holds something that the study did not ask; the page says so and nothing is stored."""


class TooLargeError(BadReplyError):
    """A form is larger than any of ours."""


class OutOfTurnError(StudyError):
    """An answer came for a trial that this participant has not reached, or that the study does not have."""


class ClosedStudyError(StudyError):
    """A study takes nobody else, or not this person again; `reason` is a text of the survey's languages."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnknownParticipantError(StudyError):
    """There is no participant behind a private link."""


class VideoError(StrutError):
    """ffmpeg is missing, or cannot write a film."""


class NotAdoptedError(StrutError):
    """A model of others is no legged robot that can be moved; says why, and where."""

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(reason, source)
        self.reason = reason
        self.source = source

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}" if self.source else self.reason


class BadRecordingError(StrutError):
    """Markers, channels or plates do not make a recording, or not one that can be used for what is asked."""


class RecordingFileError(FileError):
    """A file of a motion-capture laboratory is damaged, foreign, or of a kind that is not read."""


class MarkerSetError(StrutError):
    """The markers of a recording are not those of a body that can be fitted; the message says which are missing."""


class MappingFileError(FieldError):
    """A file that maps markers, or a subject's file, does not hold what belongs there."""
