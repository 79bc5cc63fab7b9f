"""Generate the reference pages: every verb, every name of `import strut`, every key of TOML files and receipts.

mkdocs runs this as a hook, so that the pages are never older than the code. `python docs/make_reference.py FOLDER`
writes the same pages into a folder.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import typer

import strut
from strut.receipt import LimitName, ReasonKind, Receipt
from strut.registry import VERBS, find, names
from strut.schemas.table_kinds import FILES, robot_forms

SOURCE = Path(strut.__file__).parent
GROUPS = {
    "Robots": ("robots", "adopt", "emotions", "distinguish"),
    "Motions": ("demo", "walk", "perform", "animate", "synthesize", "repair", "library"),
    "Recordings": ("fit", "capture", "reconstruct", "analyze", "explain"),
    "Judge and show": ("check", "simulate", "show", "drive", "export"),
    "People and papers": ("study", "stimuli", "reproduce"),
}


def pages() -> dict[str, str]:
    """Return every generated page and JSON Schema by its path below `docs/`."""
    made = {"reference/commands/index.md": command_index()}
    made |= {f"reference/commands/{verb}.md": command_page(verb) for verb in VERBS}
    made |= {f"reference/python/{name}.md": page for name, page in python_pages()}
    made |= {f"reference/files/{name}.md": page for name, page in table_pages()}
    made |= {f"schemas/{name}.schema.json": text for name, text in schema_files()}
    made["reference/receipt.md"] = receipt_page()
    return made


# Commands


def command_index() -> str:
    """Return the list of verbs in groups."""
    grouped = {verb for verbs in GROUPS.values() for verb in verbs}
    groups = {**GROUPS, "More": tuple(verb for verb in VERBS if verb not in grouped)}
    lines = ["# Commands", "", "`strut VERB --help` prints the same.", ""]
    for title, verbs in groups.items():
        lines += [f"## {title}", "", "| verb | what it does |", "|---|---|"]
        lines += [f"| [`strut {verb}`]({verb}.md) | {VERBS[verb].summary} |" for verb in verbs]
        lines.append("")
    return "\n".join(lines)


def command_page(verb: str) -> str:
    """Return the page of a verb, with a section for each command below it."""
    target = find("strut.verbs", verb)
    if isinstance(target, typer.Typer):
        app = target
    else:
        app = typer.Typer(add_completion=False)
        app.command()(target)
    lines = [f"# strut {verb}", ""]
    for path, command in _commands(f"strut {verb}", typer.main.get_command(app)):
        if path != f"strut {verb}":
            lines += [f"## {path}", ""]
        lines += _command_lines(path, command)
    return "\n".join(lines)


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _commands(f"{path} {name}", child)


def _command_lines(path: str, command: Any) -> list[str]:
    text, _, example = " ".join((command.help or "").split()).partition("Example: ")
    lines = [text.strip(), ""] if text else []
    if example:
        lines += ["```bash", example.strip().rstrip("."), "```", ""]
    context = command.make_context(path, [], resilient_parsing=True)
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    rows = [row for one in shown if (row := _option_row(one, context)) is not None]
    return [*lines, "| argument or option | meaning |", "|---|---|", *rows, ""] if rows else lines


def _option_row(parameter: Any, context: Any) -> str | None:
    record = parameter.get_help_record(context)
    if record is None or "--help" in record[0]:
        return None
    name, meaning = record
    return f"| `{_cell(name)}` | {_cell(meaning)} |"


# Python


def python_pages() -> Iterator[tuple[str, str]]:
    """Yield the page of `import strut` and of each room, with the names that its `__init__.pyi` lists."""
    for stub in sorted(SOURCE.rglob("__init__.pyi")):
        package = ".".join(("strut", *stub.parent.relative_to(SOURCE).parts))
        lines = [f"# {package}", "", ast.get_docstring(ast.parse(stub.read_text("utf-8"))) or "", ""]
        for heading, targets in _stub_groups(stub, package):
            lines += [f"## {heading}", ""] if heading else []
            for target in targets:
                lines += [f"::: {target}", "    options:", "      heading_level: 3", ""]
        yield package, "\n".join(lines)


def _stub_groups(stub: Path, package: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the comments of a stub as headings, each with the full names below it."""
    heading = ""
    targets: list[str] = []
    for block in re.split(r"(?m)^# ?", stub.read_text("utf-8")):
        first, _, rest = block.partition("\n")
        if targets:
            yield heading, targets
        heading = "" if block.startswith('"""') else first.strip()
        text = block if block.startswith('"""') else rest
        targets = []
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                targets += [f"{package}.{node.module}.{alias.name}" for alias in node.names]
    if targets:
        yield heading, targets


# Tables of TOML files


def table_pages() -> Iterator[tuple[str, str]]:
    """Yield the page of each TOML file, with every key of its tables."""
    for name, (words, kinds) in table_kinds().items():
        lines = [f"# {name}", "", words, ""]
        seen: list[type] = []
        queue = list(kinds.values())
        while queue:
            kind = queue.pop(0)
            if kind in seen:
                continue
            seen.append(kind)
            lines += _table_lines(kind)
            queue += [inner for inner in _inner_tables(kind) if inner not in seen]
        if any(issubclass(kind, msgspec.Struct) for kind in kinds.values()):
            stem = name.removesuffix(".toml")
            schema = f"[{stem}.schema.json](../../schemas/{stem}.schema.json)"
            lines += ["", f"Editors complete this file if its first line is `#:schema` and the path of {schema}."]
        yield name.removesuffix(".toml"), "\n".join(lines)


def table_kinds() -> dict[str, tuple[str, dict[str, type]]]:
    """Return the tables of each TOML file: what the file is for, and its forms by name."""
    gaits = {name: find("strut.tasks", name).table for name in names("strut.tasks")}
    made: dict[str, tuple[str, dict[str, type]]] = {
        "robot.toml": ("The body of a robot.", robot_forms()),
        "gait.toml": ("How a robot walks.", {name: table for name, table in gaits.items() if table is not None}),
    }
    return made | {name: (words, {"": kind}) for name, (words, kind) in FILES.items()}


def _table_lines(kind: type) -> list[str]:
    text, described = described_fields(kind)
    lines = [f"## {kind.__name__}", "", text, "", "| key | type | default | meaning |", "|---|---|---|---|"]
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    if info.tag is not None:
        lines.append(f'| `{info.tag_field}` | `"{info.tag}"` | | says which table it is |')
    hints = get_type_hints(kind, include_extras=False)
    for field in info.fields:
        default = "" if field.required else _default(field)
        meaning = _cell(described.get(field.name, ""))
        lines.append(f"| `{field.encode_name}` | {_type_words(hints[field.name])} | {default} | {meaning} |")
    return [*lines, ""]


def _default(field: msgspec.inspect.Field) -> str:
    """Return a default as text; nothing for a table or list that is empty if left out."""
    value = field.default if field.default is not msgspec.NODEFAULT else None
    is_empty = (
        value is None or isinstance(value, msgspec.Struct) or (not isinstance(value, bool | int | float) and not value)
    )
    return "" if is_empty else f"`{json.dumps(value)}`"


def _type_words(hint: object) -> str:
    """Return a type as TOML has it."""
    text = hint.__name__ if isinstance(hint, type) else re.sub(r"\b(?:[a-z_]+\.)+", "", str(hint))
    text = re.sub(r"Optional\[(.*)\]$", r"\1", text).removesuffix(" | None")
    return f"`{text}`".replace("|", "\\|")


def _inner_tables(kind: type) -> Iterator[type]:
    """Yield the tables within a table."""
    for hint in get_type_hints(kind).values():
        yield from _structs_in(hint)


def _structs_in(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for argument in getattr(hint, "__args__", ()):
        yield from _structs_in(argument)


def described_fields(kind: type) -> tuple[str, dict[str, str]]:
    """Return the text of a class and what its docstring says of each field, also those of its bases."""
    described: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        described |= _arguments(inspect.cleandoc(base.__dict__.get("__doc__") or ""))
    text, _, _ = inspect.cleandoc(kind.__doc__ or "").partition("\nArgs:")
    return text.strip(), described


def _arguments(docstring: str) -> dict[str, str]:
    """Return the `Args:` section of a docstring."""
    _, _, section = docstring.partition("Args:\n")
    section = re.split(r"(?m)^\S", section)[0]
    found = re.findall(r"(?ms)^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", section)
    return {name: " ".join(text.split()) for name, text in found}


def schema_files() -> Iterator[tuple[str, str]]:
    """Yield a JSON Schema of each TOML file, with what every key means."""
    for name, (_, kinds) in table_kinds().items():
        structs = [kind for kind in kinds.values() if issubclass(kind, msgspec.Struct)]
        if structs:
            references, components = msgspec.json.schema_components(structs, ref_template="#/$defs/{name}")
            every = {kind.__name__: kind for top in structs for kind in _all_tables(top)}
            for title, component in components.items():
                _, described = described_fields(every[title]) if title in every else ("", {})
                for key, entry in component.get("properties", {}).items():
                    if key in described:
                        entry.setdefault("description", described[key])
            schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
            schema |= references[0] if len(references) == 1 else {"anyOf": list(references)}
            yield name.removesuffix(".toml"), json.dumps(schema | {"$defs": components}, indent=1)


def _all_tables(kind: type, seen: frozenset[type] = frozenset()) -> Iterator[type]:
    if kind in seen:
        return
    yield kind
    for inner in _inner_tables(kind):
        yield from _all_tables(inner, seen | {kind})


# Receipts


def receipt_page() -> str:
    """Return every key of a receipt, and the names of reasons and limits."""
    assert is_dataclass(Receipt)
    _, described = described_fields(Receipt)
    lines = ["# Receipt", "", "`--json` prints it; a motion file keeps it. What does not apply is null, never 0.", ""]
    lines += ["| key | type | meaning |", "|---|---|---|"]
    for field in fields(Receipt):
        lines.append(f"| `{field.name}` | {_type_words(field.type)} | {_cell(described.get(field.name, ''))} |")
    lines += ["", "`reasons` is a list of tables with `kind`, `limit` and `text`.", ""]
    lines += ["| kind of a reason |", "|---|", *(f"| `{kind}` |" for kind in ReasonKind), ""]
    lines += ["| limit |", "|---|", *(f"| `{limit}` |" for limit in LimitName), ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# mkdocs


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the site."""
    from mkdocs.structure.files import File  # noqa: PLC0415 -- only mkdocs calls this

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Write pages into a folder."""
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), pages())
