"""Groups: people who see different motions or read different instructions, assigned so that groups grow alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from strut.schemas.toml_file import TomlFile
from strut.study.design.text_fields import NonBlankText, check_languages, check_texts


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """A group: which stimuli it sees (all if none is named), and what it reads first, by language."""

    name: NonBlankText
    stimuli: tuple[NonBlankText, ...] = ()
    instruction: dict[str, NonBlankText] = {}


def check_groups(file: TomlFile, groups: Sequence[Group], names: Sequence[str], languages: Sequence[str]) -> None:
    """Refuse a group alone, twice, with stimuli that are not there, or without words in a language of the study."""
    if len(groups) == 1:
        raise file.field_error(("group",), "there is one; groups are compared, so it takes two or more.")
    for index, group in enumerate(groups):
        place = ("group", index)
        if group.name in [other.name for other in groups[:index]]:
            raise file.field_error((*place, "name"), f"is '{group.name}' like that of another group.")
        check_texts(file, (*place, "stimuli"), group.stimuli, one_of=names)
        if len(group.stimuli) == 1:
            raise file.field_error((*place, "stimuli"), "holds one; the tests compare within people, who must see two.")
        if group.instruction:
            check_languages(file, (*place, "instruction"), group.instruction, languages)


def balanced_group(groups: Sequence[Group], counts: Mapping[str, int], rng: np.random.Generator) -> str:
    """Return the group with the fewest people so far, ties by lot; no name where there are no groups."""
    if not groups:
        return ""
    lot = rng.permutation(len(groups))
    fewest = min(range(len(groups)), key=lambda k: (counts.get(groups[k].name, 0), lot[k]))
    return groups[fewest].name
