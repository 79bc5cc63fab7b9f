"""Published subject: the subject of a human model, whose lengths and markers nobody has measured."""

from strut.mocap.marker_fit.subject_model import MeasuredLength, PlacedMarker, SubjectModel


def subject_model_of(robot):
    """Return the subject of a human model with published lengths and markers; nothing is known of their uncertainty."""
    table = robot.subject
    markers = {
        name: PlacedMarker(segment=segment, at_m=place)
        for segment, own in robot.markers.segment.items()
        for name, place in own.items()
    }
    lengths = {name: MeasuredLength(m=value) for name, value in table.lengths_m.items()}
    return SubjectModel(
        name=table.name, height_m=table.height_m, mass_kg=table.mass_kg, length=lengths, marker=markers, sex=table.sex
    )
