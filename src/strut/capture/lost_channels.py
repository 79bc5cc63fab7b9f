"""Lost channels: what a recording holds beside its markers, and a file of markers alone does not."""

from __future__ import annotations

from strut.recording import Recording


def beside_markers(recording: Recording) -> tuple[str, ...]:
    """Return which of analog channels, plates and events a recording has."""
    has = {"analog": recording.analog is not None, "plates": recording.plates, "events": recording.events}
    return tuple(name for name, there in has.items() if there)
