"""Groups: participants who see different motions or read different instructions, in balanced numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from strut.schemas.toml_file import TomlFile
from strut.study.design.text_fields import NonBlankText, check_languages, check_texts


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """A group: its stimuli (all if none is named) and its instruction by language.

    Args:
        name: Its name, a column of the answers.
        stimuli: Names of the stimuli that it sees; all if empty.
        instruction: What it reads first, by language.
    """

    name: NonBlankText
    stimuli: tuple[NonBlankText, ...] = ()
    instruction: dict[str, NonBlankText] = {}


def check_groups(file: TomlFile, groups: Sequence[Group], names: Sequence[str], languages: Sequence[str]) -> None:
    """Refuse a single group, a name used twice, unknown stimuli, and an instruction that lacks a language."""
    if len(groups) == 1:
        raise file.field_error(("group",), "there is one; groups are compared, so two or more are needed.")
    for index, group in enumerate(groups):
        path = ("group", index)
        if group.name in [other.name for other in groups[:index]]:
            raise file.field_error((*path, "name"), f"is '{group.name}' like that of another group.")
        check_texts(file, (*path, "stimuli"), group.stimuli, one_of=names)
        if len(group.stimuli) == 1:
            raise file.field_error((*path, "stimuli"), "holds one; the tests compare within people, who must see two.")
        if group.instruction:
            check_languages(file, (*path, "instruction"), group.instruction, languages)


def balanced_group(groups: Sequence[Group], counts: Mapping[str, int], rng: np.random.Generator) -> str:
    """Return the group with the fewest people so far, at random among equals; an empty name without groups."""
    if not groups:
        return ""
    random_order = rng.permutation(len(groups))
    fewest = min(range(len(groups)), key=lambda k: (counts.get(groups[k].name, 0), random_order[k]))
    return groups[fewest].name
