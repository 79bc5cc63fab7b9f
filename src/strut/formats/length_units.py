"""Length units: what the names of units in files are in metres."""

METRES = {
    **dict.fromkeys(("mm", "millimeters", "millimetres", "millimeter", "mms"), 1e-3),
    **dict.fromkeys(("cm", "centimeters", "centimetres"), 1e-2),
    **dict.fromkeys(("m", "meters", "metres", "meter", "mete", "metr"), 1.0),  # some programs keep four letters
    **dict.fromkeys(("in", "inch", "inches"), 0.0254),
    "dm": 0.1,
}
