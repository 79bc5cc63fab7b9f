"""Errors: the exceptions that strut raises for mistakes of its user; messages name value, cause and next step."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from strut.plumbing.number_text import format_amount

if TYPE_CHECKING:
    from strut.receipt import Reason, Receipt

MAX_REASONS = 3  # of a refusal in its sentence; JSON has all


class StrutError(Exception):
    """A mistake that the user can fix; the command line prints one sentence and exits with 2."""


class OutOfRangeError(StrutError):
    """A number is outside its valid range."""


class WrongTypeError(StrutError, TypeError):
    """An argument has the wrong type: a path instead of a motion, text instead of a number."""

    def __init__(self, function: str, argument: str, given: str, wanted: str) -> None:
        super().__init__(function, argument, given, wanted)
        self.function = function
        self.argument = argument
        self.given = given
        self.wanted = wanted

    def __str__(self) -> str:
        return f"{self.function}: {self.argument} is {self.given}; it must be of type {self.wanted}."


class UnknownNameError(StrutError):
    """A name is not among the known names."""

    def __init__(self, kind: str, name: str, known: Sequence[str], where: str) -> None:
        super().__init__(kind, name, known, where)  # pickle, and so a process pool, needs every argument
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.where = where

    def __str__(self) -> str:
        known = {name.lower(): name for name in self.known}
        nearest = ", ".join(known[name] for name in get_close_matches(self.name.lower(), known, cutoff=0.4))
        hint = f"nearest: {nearest}" if nearest else f"there are {', '.join(self.known)}"
        return f"There is no {self.kind} '{self.name}' ({hint}); {self.where} lists them all."


class BadTableError(StrutError):
    """A data file of a robot lacks an entry or has an invalid one."""


class OutOfReachError(StrutError):
    """A leg cannot reach its target.

    Args:
        leg: Name of the leg.
        distance_m: Distance from hip to ankle that the target needs.
        shortest_m: Shortest distance that the leg reaches.
        longest_m: Longest one.
    """

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
    """No configuration of two legs meets a target.

    Args:
        sample: Index of the target.
        kind: Kind of the reason.
        detail: The reason as a sentence.
    """

    def __init__(self, sample: int, kind: str, detail: str) -> None:
        super().__init__(sample, kind, detail)
        self.sample = sample
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class BadFootstepsError(StrutError):
    """A list of footsteps is invalid or not feasible; the message names the step."""


class ImpossibleStepError(StrutError):
    """A chosen option is infeasible even in neutral; values are in SI units.

    Args:
        what: Name of the option for people.
        asked_m: The chosen value.
        reason: The limit that it breaks.
        usual_m: The usual value.
        feasible_m: The feasible value nearest to the chosen one; None if there is none.
        unit: Unit in the message: `mm`, `mm/s` or `°/s`.
    """

    def __init__(
        self, what: str, asked_m: float, reason: str, usual_m: float, feasible_m: float | None, unit: str = "mm"
    ) -> None:
        super().__init__(what, asked_m, reason, usual_m, feasible_m, unit)
        self.what = what
        self.asked_m = asked_m
        self.reason = reason
        self.unit = unit
        self.usual_m = usual_m
        self.feasible_m = feasible_m

    def __str__(self) -> str:
        extreme = "largest" if abs(self.asked_m) > abs(self.usual_m) else "smallest"
        advice = (
            f"the {extreme} feasible one is {self._format(self.feasible_m)}."
            if self.feasible_m is not None
            else f"the usual {self._format(self.usual_m)} is not feasible either: change the other step options, too."
        )
        return f"A {self.what} of {self._format(self.asked_m)} is not feasible ({self.reason}); {advice}"

    def _format(self, value: float) -> str:
        return format_amount(value, self.unit)


class UnreachablePathError(StrutError):
    """A hand cannot follow its path.

    Args:
        task: Name of the task.
        frame: Index of the first sample that fails.
        time_s: Its time.
        off_m: Distance of the hand from its target.
        turned_rad: Angle of the hand from its target.
    """

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
    """A motion is refused because of its `reasons`; the command line exits with 3."""

    def __init__(self, reasons: Sequence[Reason], advice: str, receipt: Receipt | None = None) -> None:
        super().__init__(reasons, advice, receipt)
        self.reasons = tuple(reasons)
        self.advice = advice
        self.receipt = receipt

    def __str__(self) -> str:
        more = len(self.reasons) - MAX_REASONS
        rest = f"; and {more} more (all of them with --json)" if more > 0 else ""
        return f"Refused: {'; '.join(map(str, self.reasons[:MAX_REASONS]))}{rest}. {self.advice}"


class StoppedError(StrutError):
    """The user or a callback stopped a search or a solver."""


class FileError(StrutError):
    """A file cannot be read or written, for a reason."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class MotionFileError(FileError):
    """A motion file is damaged or of another kind."""


class RigFileError(FileError):
    """A GLB or BVH file is damaged, or is not a rig of the robot."""


class LibraryError(FileError):
    """A motion library is damaged or of another kind or version, or lacks the requested motion."""


class SchedulerError(StrutError):
    """The scheduler of a cluster cannot be reached, or the connection to it was lost."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address = address
        self.reason = reason

    def __str__(self) -> str:
        return f"The scheduler at {self.address} {self.reason}"


class BadMotionError(StrutError):
    """Arrays do not form a motion: shapes disagree, time does not increase, or samples are not finite."""


class CannotListenError(StrutError):
    """A server cannot listen on an address; `blame` says whether because of its host or its port."""

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
                "machine alone or 0.0.0.0 for its whole network."
            )
        return (
            f"Cannot listen on {self.host}:{self.port} ({self.reason}); stop the program that listens there, "
            "or choose another port."
        )


class MissingExtraError(StrutError):
    """A verb needs optional packages that are not installed."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(extra, package)
        self.extra = extra
        self.package = package

    def __str__(self) -> str:
        return (
            f"This needs the package {self.package}: `pip install {self.package}`, or in a clone of strut "
            f"`pip install '.[{self.extra}]'` for all that goes with it."
        )


class AnswersError(StrutError):
    """A table of answers is invalid or too small for a test."""

    def __init__(self, source: str, reason: str, line: int | None = None) -> None:
        super().__init__(source, reason, line)
        self.source = source
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        return f"{self.source}{f', line {self.line}' if self.line else ''}: {self.reason}"


class FieldError(StrutError):
    """A field of a TOML file is invalid; the message names file, line, field and reason."""

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
    """A field in the folder of a robot is invalid."""


class AnimationError(FieldError):
    """A field of an animation file is invalid."""


class ScoreError(FieldError):
    """A field of a score file is invalid."""


class UnreachableFrameError(StrutError):
    """A body cannot take the pose of a frame of an animation.

    Args:
        frame: Index of the frame.
        time_s: Its time.
        foot: The foot that misses its target most.
        off_m: Its distance from the target.
    """

    def __init__(self, frame: int, time_s: float, foot: str, off_m: float) -> None:
        super().__init__(frame, time_s, foot, off_m)
        self.frame = frame
        self.time_s = time_s
        self.foot = foot
        self.off_m = off_m

    def __str__(self) -> str:
        return (
            f"Frame {self.frame} at {self.time_s:.2f} s cannot be reached: foot {self.foot} stays "
            f"{self.off_m * 1e3:.1f} mm (or mrad of tilt) away from its target; move base or foot less there."
        )


class DesignError(FieldError):
    """A field of the design file of a study is invalid."""


class StudyError(StrutError):
    """The folder or database of a study is invalid."""


class BadReplyError(StudyError):
    """A form has answers that the study did not ask for; the page reports it, and nothing is stored."""


class TooLargeError(BadReplyError):
    """A form is larger than any form of the study can be."""


class OutOfTurnError(StudyError):
    """An answer belongs to a trial that the participant has not reached, or that the study does not have."""


class ClosedStudyError(StudyError):
    """A study accepts no more participants, or not this one again; `reason` is a key of the survey texts."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ForeignPageError(StudyError):
    """A page of another site asks for the researcher's page."""


class UnknownParticipantError(StudyError):
    """A private link belongs to no participant."""


class VideoError(StrutError):
    """ffmpeg is missing, or cannot write a film."""


class NotAdoptedError(StrutError):
    """A URDF or MJCF file cannot be imported as a legged robot."""

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(reason, source)
        self.reason = reason
        self.source = source

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}" if self.source else self.reason


class BadRecordingError(StrutError):
    """Markers, channels or plates do not form a valid recording, or not one for the requested analysis."""


class RecordingFileError(FileError):
    """A file of a motion-capture laboratory is damaged or of an unsupported kind."""


class MarkerSetError(StrutError):
    """A recording lacks markers that the fit of a body needs; the message names them."""


class MappingFileError(FieldError):
    """A field of a marker mapping or of a subject file is invalid."""
