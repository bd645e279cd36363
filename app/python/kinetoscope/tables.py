"""The tables of the program: which exist for a kind of recording, the meaning of their columns, and their rows."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from .errors import KinetoscopeError
from .frames import Row, frame_of
from .program import find_program, run_program

# Headings of `kinetoscope table --help` for each kind of `kinetoscope info --json`.
HEADINGS = {
    "trace": ("Tables of a trace:",),
    "snapshot": ("Tables of an allocator snapshot:",),
    "job": ("Tables of a job (", "Tables of a job that "),
    "snapshots": ("Tables of many allocator snapshots (",),
    "hang": ("Tables of the flight recorder dumps of a hung job:",),
}
# Columns with these units contain integers if they contain anything. Others contain text or floats.
INTEGER_UNITS = ("ns", "B", "number")
OptionValue = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]


@functools.lru_cache(maxsize=None)
def _help(program: str) -> str:
    del program  # the key: another program has another help
    return run_program(["table", "--help"]).decode("utf-8")


def table_names(kind: str) -> dict[str, str]:
    """Returns the names of the tables for a kind of recording, each with the sentence of the program's help, in its order."""
    found: dict[str, str] = {}
    name = ""
    for block in _help(find_program()).split("\n\n"):
        heading, *lines = block.splitlines() or [""]
        if not heading.startswith(HEADINGS.get(kind, ())):
            continue
        for line in lines:
            entry = re.match(r"  ([\w-]+) {2,}(\S.*)", line)
            if entry:
                name = entry[1]
                found[name] = entry[2]
            elif name:
                found[name] += " " + line.strip()
    return found


def check_name(name: str) -> None:
    """Raises KinetoscopeError if the name would be an option. The program reports other names that are unknown."""
    if not re.match(r"\w", name):
        raise KinetoscopeError(f"There is no table {name!r}")


def column_meanings(name: str) -> list[Row]:
    """Returns the columns of a table: `key`, `title`, `unit`, `group` (the grouping that has the column) and `definition`."""
    check_name(name)
    columns: list[Row] = json.loads(run_program(["table", name, "--columns", "--format", "json"]))
    return columns


def option_arguments(options: Mapping[str, OptionValue]) -> list[str]:
    """Returns the options as arguments. None and False are omitted, and a mapping repeats its option with KEY=VALUE."""
    arguments = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        values: Sequence[Any] = [value]
        if isinstance(value, Mapping):
            values = [f"{name}={setting}" for name, setting in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            values = [",".join(map(str, value))]
        for one in values:
            arguments += [f"--{key}"] if one is True else [f"--{key}={one}"]
    return arguments


def table_frame(name: str, files: Sequence[str], options: Mapping[str, OptionValue], form: str) -> Any:
    """Returns a table of the files as a list of dicts or a data frame. Raises KinetoscopeError.

    The transport is JSON, whose integers have all digits and whose floats are the shortest texts that denote the same double.
    """
    check_name(name)
    arguments = ["table", name, *files, *option_arguments({"limit": 0, **options})]
    rows: list[Row] = json.loads(run_program([*arguments, "--format=json"]))
    if rows:
        names = list(rows[0])
    else:  # JSON without rows has no columns
        names = next(csv.reader(io.StringIO(run_program([*arguments, "--format=csv"]).decode("utf-8"))), [])
    kinds = {}
    if form != "rows" and any(all(row[key] is None for row in rows) for key in names):
        for column in column_meanings(name):
            unit = column["unit"]
            kinds[column["key"]] = "text" if unit == "text" else "integer" if unit in INTEGER_UNITS else "real"
    return frame_of(rows, names, form, kinds)
