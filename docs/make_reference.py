"""Generate the reference pages: every verb, every name of `import strut`, every key of TOML files and receipts.

mkdocs runs this as a hook, so that the pages are never older than the code. `python docs/make_reference.py` writes the
JSON Schemas of the TOML files into docs/schemas, where editors find them; with a folder it writes the pages there.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
import typer

import strut
from strut.formats.format_options import format_options
from strut.human.analysis.naturalness import Naturalness
from strut.mocap.marker_fit.subject_model import SubjectModel
from strut.mocap.markers.marker_set import MarkerSetTable
from strut.motion import Motion
from strut.ocp.soundness import Soundness
from strut.receipt import LimitName, ReasonKind, Receipt
from strut.registry import VERBS, find, names
from strut.schemas.table_kinds import FILES, robot_forms
from strut.simulation.outcome import Outcome
from strut.study.design.design import design_tables
from strut.style import STYLE_PARAMETERS
from strut.verify.recorded_walk import RecordedSoundness

SOURCE = Path(strut.__file__).parent
SCHEMAS = Path(__file__).parent / "schemas"
UNITS = {  # of what a name ends in
    "_m_s": "m/s",
    "_mm_s": "mm/s",
    "_rad_s": "rad/s",
    "_deg_s": "°/s",
    "_nm_rad": "N m/rad",
    "_nm_s_rad": "N m s/rad",
    "_kg_m2": "kg m²",
    "_n_s": "N s",
    "_per_s": "1/s",
    "_m": "m",
    "_mm": "mm",
    "_rad": "rad",
    "_deg": "°",
    "_nm": "N m",
    "_kg": "kg",
    "_hz": "1/s",
    "_ms": "ms",
    "_s2": "s²",
    "_s": "s",
    "_n": "N",
}
RECEIPT_TABLES = {
    "naturalness": Naturalness,
    "soundness of a solved movement": Soundness,
    "soundness of a recording": RecordedSoundness,
    "Outcome of a simulation": Outcome,
}
STORED = ("joint angles", "contacts", "joint torques", "ground forces", "receipt", "notes")  # parts of a motion
POINT_FOOTED = "mrpete"  # forces at points are the ones that most formats store
GROUPS = {
    "Robots": ("robots", "adopt", "emotions", "distinguish"),
    "Motions": ("demo", "walk", "perform", "animate", "synthesize", "repair", "library"),
    "Recordings": ("fit", "capture", "reconstruct", "analyze", "explain"),
    "Judge and show": ("check", "simulate", "show", "drive", "export"),
    "People and papers": ("study", "stimuli", "reproduce"),
}


def pages() -> dict[str, str]:
    """Return every generated page by its path below `docs/`."""
    made = {"reference/commands/index.md": command_index()}
    made |= {f"reference/commands/{verb}.md": command_page(verb) for verb in VERBS}
    made |= {f"reference/python/{name}.md": page for name, page in python_pages()}
    made |= {f"reference/files/{name}.md": page for name, page in table_pages()}
    made["reference/files/index.md"] = table_index()
    made["reference/style_parameters.md"] = style_parameter_page()
    made["reference/receipt.md"] = receipt_page()
    made["reference/formats.md"] = format_page()
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


def table_index() -> str:
    """Return the list of TOML files."""
    lines = ["# Tables", "", "Every TOML file that strut reads, with all keys. Lengths are metres, angles radians.", ""]
    lines += ["| file | what it is for | JSON Schema |", "|---|---|---|"]
    for name, (words, _) in table_kinds().items():
        stem = name.removesuffix(".toml")
        lines.append(f"| [{name}]({stem}.md) | {words} | [{stem}.schema.json](../../schemas/{stem}.schema.json) |")
    words = (
        "Editors with Taplo (Even Better TOML in VS Code) complete and check a file whose first line names its schema: "
    )
    return "\n".join([*lines, "", f"{words}`#:schema PATH/docs/schemas/robot.schema.json`."])


def table_pages() -> Iterator[tuple[str, str]]:
    """Yield the page of each TOML file, with every key of its tables."""
    for name, (words, kinds) in table_kinds().items():
        lines = [f"# {name}", "", words, ""]
        seen: list[type] = []
        queue = list(dict.fromkeys(get_origin(kind) or kind for kind in kinds.values()))
        queue += [argument for kind in kinds.values() for argument in get_args(kind)[:1]]
        while queue:
            kind = queue.pop(0)
            if kind in seen:
                continue
            seen.append(kind)
            lines += _table_lines(kind)
            queue += [inner for inner in _inner_tables(kind) if inner not in seen]
        if any(is_table(kind) for kind in kinds.values()):
            stem = name.removesuffix(".toml")
            schema = f"[{stem}.schema.json](../../schemas/{stem}.schema.json)"
            lines += [
                "",
                f"Editors complete this file if its first line is `#:schema PATH/docs/schemas/{stem}.schema.json`:",
            ]
            lines[-1] += f" {schema}."
        yield name.removesuffix(".toml"), "\n".join(lines)


def table_kinds() -> dict[str, tuple[str, dict[str, type]]]:
    """Return the tables of each TOML file: what the file is for, and its forms by name."""
    gaits = {name: find("strut.tasks", name).table for name in names("strut.tasks")}
    made: dict[str, tuple[str, dict[str, type]]] = {
        "robot.toml": ("The body of a robot.", robot_forms()),
        "gait.toml": ("How a robot walks.", {name: table for name, table in gaits.items() if table is not None}),
    }
    made |= {name: (words, {"": kind}) for name, (words, kind) in FILES.items()}
    made["subject.toml"] = ("A person, as `strut fit` writes it.", {"": SubjectModel})
    made["marker_set.toml"] = ("Names and places of markers, for `--markers`.", {"": MarkerSetTable})
    made["design.toml"] = ("A study, in its folder. `[ask]` depends on the question.", design_tables())
    return made


def is_table(kind: Any) -> bool:
    """Return whether a kind is a structure of msgspec, with or without types of its parts."""
    return issubclass(get_origin(kind) or kind, msgspec.Struct)


def _table_lines(kind: type) -> list[str]:
    text, described = described_fields(kind)
    lines = [
        f"## {kind.__name__.lstrip('_')}",
        "",
        text,
        "",
        "| key | type | unit | default | meaning |",
        "|---|---|---|---|---|",
    ]
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    if info.tag is not None:
        lines.append(f'| `{info.tag_field}` | `"{info.tag}"` | | | says which table it is |')
    hints = get_type_hints(kind, include_extras=False)
    for field in info.fields:
        default = "" if field.required else _default(field)
        meaning = _cell(described.get(field.name, "") or style_meaning(field.name) or commented().get(field.name, ""))
        cells = [f"`{field.encode_name}`", _type_words(hints[field.name]), unit_of(field.name), default, meaning]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def unit_of(name: str) -> str:
    """Return the unit in which a value is given, from the end of its name."""
    if name in STYLE_PARAMETERS:
        return STYLE_PARAMETERS[name].unit
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), "")


def style_meaning(name: str) -> str:
    """Return what a style parameter is; nothing for any other name."""
    return STYLE_PARAMETERS[name].meaning if name in STYLE_PARAMETERS else ""


@cache
def commented() -> dict[str, str]:
    """Return what the comments of a new design.toml say of its keys."""
    text = (SOURCE / "study" / "pages" / "design.toml").read_text("utf-8")
    found = re.findall(r"(?m)^(?:# )?([\w.]+) = [^#\n]*# (.+)$", text)
    return {key: words for key, words in found if "{{" not in words}


def style_parameter_page() -> str:
    """Return the style parameters, and which robots that come with strut have a part for each."""
    own = sorted(path.parent.name for path in SOURCE.glob("robots/*/expression.toml"))
    robots = {name: strut.load_robot(name).expression for name in own}
    words = (
        "What an emotion can change on any body. Values are absolute; without an emotion they are neutral. x points "
        "forwards, y left, z up; pitch is a turn about y, so that positive bends forwards and down. The last columns "
        "say whether a robot has a part for it: in its published layer, or in the animated one alone. `direction` (1 "
        "or -1) and `postures` (key poses with their shares) are not numbers of this kind."
    )
    headings = ["parameter", "unit", "range", "neutral", "what it is", *robots]
    lines = ["# Style parameters", "", words, "", f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    for name, parameter in STYLE_PARAMETERS.items():
        most = "" if math.isinf(parameter.max) else f"{parameter.max:.3g}"
        span = f"{parameter.min:.3g} to {most}" if most else f"from {parameter.min:.3g}"
        cells = [f"`{name}`", parameter.unit, span, f"{parameter.neutral:g}", _cell(parameter.meaning)]
        for table in robots.values():
            has_part = table.with_animated().mapping(name) is not None
            cells.append(("published" if table.mapping(name) is not None else "animated") if has_part else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _default(field: msgspec.inspect.Field) -> str:
    """Return a default as text; nothing for a table or list that is empty if left out."""
    value = field.default if field.default is not msgspec.NODEFAULT else None
    is_empty = (
        value is None or isinstance(value, msgspec.Struct) or (not isinstance(value, bool | int | float) and not value)
    )
    return "" if is_empty else f"`{json.dumps(value)}`"


def _type_words(hint: object) -> str:
    """Return a type as TOML has it."""
    if any(isinstance(part, TypeVar) for part in (hint, *get_args(hint))):
        return "table"
    text = hint.__name__ if isinstance(hint, type) else re.sub(r"\b(?:[a-z_]+\.)+", "", str(hint))
    text = re.sub(r"Optional\[(.*)\]$", r"\1", text).removesuffix(" | None").replace("[_", "[").lstrip("_")
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
        structs = [kind for kind in kinds.values() if is_table(kind)]
        if structs:
            references, components = msgspec.json.schema_components(structs, ref_template="#/$defs/{name}")
            every = {kind.__name__: kind for top in structs for kind in _all_tables(get_origin(top) or top)}
            every |= {kind.__name__: kind for top in structs for kind in get_args(top)}
            for title, component in components.items():
                _, described = described_fields(every[title]) if title in every else ("", {})
                for key, entry in component.get("properties", {}).items():
                    if meaning := described.get(key) or style_meaning(key):
                        entry.setdefault("description", meaning)
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
    """Return every key of a receipt and of the tables within it, and the names of reasons and limits."""
    lines = ["# Receipt", "", "`--json` prints it; a motion file keeps it. What does not apply is null, never 0.", ""]
    lines += _field_lines(Receipt)
    lines += ["`reasons` is a list of tables with `kind`, `limit` and `text`.", ""]
    lines += ["| kind of a reason |", "|---|", *(f"| `{kind}` |" for kind in ReasonKind), ""]
    lines += ["| limit |", "|---|", *(f"| `{limit}` |" for limit in LimitName), ""]
    for title, kind in RECEIPT_TABLES.items():
        lines += [f"## {title}", "", described_fields(kind)[0].split("\n")[0], "", *_field_lines(kind)]
    return "\n".join(lines)


def _field_lines(kind: type) -> list[str]:
    """Return a table of the fields of a dataclass."""
    assert is_dataclass(kind)
    _, described = described_fields(kind)
    lines = ["| key | type | unit | meaning |", "|---|---|---|---|"]
    for field in fields(kind):
        cells = [f"`{field.name}`", _type_words(field.type), unit_of(field.name), _cell(described.get(field.name, ""))]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


# Formats


def format_page() -> str:
    """Return what each writer keeps of a motion that has everything, and what each reader reads."""
    motion = _whole_motion()
    words = (
        "`strut export FILE --to FORMAT` writes a motion and says what it leaves out; `strut check FILE --robot ROBOT` "
        "and every other verb read one back. Times and the joint angles of all samples are kept where nothing else "
        "is said."
    )
    lines = ["# Formats", "", words, "", "## Written", ""]
    lines += [
        f"| format | file | {' | '.join(STORED)} | also lost | what it writes |",
        f"|{'---|' * (len(STORED) + 4)}",
    ]
    for name in names("strut.writers"):
        writer = find("strut.writers", name)
        lost = writer.omitted(motion)
        kept = ["" if part in lost else "yes" for part in STORED]
        others = ", ".join(part for part in lost if part not in STORED)
        lines.append(f"| `{name}` | {writer.ending or 'folder'} | {' | '.join(kept)} | {others} | {_summary(writer)} |")
    lines += [
        "",
        "## Read",
        "",
        "| format | files | gives | options (`--read NAME=VALUE`) | what it reads |",
        "|---|---|---|---|---|",
    ]
    for name in names("strut.readers"):
        reader = find("strut.readers", name)
        options = ", ".join(f"`{option}`" for option in format_options(reader.read))
        kind = reader.returns.__name__.lower()
        lines.append(f"| `{name}` | {' '.join(reader.endings)} | {kind} | {options} | {_summary(reader)} |")
    return "\n".join([*lines, ""])


def _whole_motion() -> Motion:
    """Return a motion that has everything that a motion can have."""
    robot = strut.load_robot(POINT_FOOTED)
    count = 8
    feet = len(robot.foot_names)
    motion = Motion(
        robot=robot.name,
        time_s=np.arange(count) / 50.0,
        qpos=np.tile(robot.standing_qpos, (count, 1)),
        joint_names=robot.joint_names,
        contact=np.ones((count, feet), dtype=bool),
        foot_names=robot.foot_names,
        torque_nm=np.zeros((count, len(robot.joint_names))),
        ground_force_n=np.zeros((count, feet, 3)),
    )
    return replace(motion, receipt=strut.check(motion))


def _summary(thing: object) -> str:
    """Return the first paragraph of the description of a format, which its module begins with."""
    module = inspect.getmodule(type(thing))
    return _cell(inspect.cleandoc((module and module.__doc__) or "").split("\n\n")[0])


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
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]), pages())
    else:
        write(SCHEMAS, {f"{name}.schema.json": f"{text}\n" for name, text in schema_files()})
