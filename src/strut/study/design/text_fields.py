"""Text fields: texts of a design file, and checks of lists of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from strut.schemas.toml_file import FieldPath, TomlFile

NonBlankText = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]


def check_texts(file: TomlFile, path: FieldPath, texts: Sequence[str], one_of: Sequence[str] = ()) -> None:
    """Refuse a list that holds a text twice, or a text that is not one of the known ones."""
    for text in texts:
        if one_of and text not in one_of:
            raise file.field_error(path, f"holds '{text}', which is none of {', '.join(one_of)}.")
        if list(texts).count(text) > 1:
            raise file.field_error(path, f"holds '{text}' twice.")


def check_languages(file: TomlFile, path: FieldPath, texts: Mapping[str, Any], languages: Sequence[str]) -> None:
    """Refuse a text that lacks a language of the study."""
    missing = [code for code in languages if code not in texts]
    if missing:
        raise file.field_error(path, f"lacks the language '{missing[0]}': write {path[-1]}.{missing[0]}.")
