"""Runs SQL and returns the result."""

from __future__ import annotations

import collections
import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from .errors import KinetoscopeError
from .frames import Row, can_read_parquet, frame_of, frame_of_parquet
from .program import run_program


def query_frame(sql: str, files: Sequence[str], form: str, *, timeout: float, memory_mib: int) -> Any:
    """Returns the result of the last statement as a list of dicts or a data frame. Raises KinetoscopeError.

    The transport is Parquet if the installed libraries read it. Otherwise it is JSON, which is as exact.
    """
    arguments = ["query", *files, "-", "--limit=0", f"--timeout={timeout}", f"--memory={memory_mib}"]
    if can_read_parquet(form):
        frame = frame_of_parquet(run_program([*arguments, "--format=parquet"], given=sql), form)
        check_names(list(frame.column_names if form == "arrow" else frame.columns))
        return frame
    lines = run_program([*arguments, "--format=jsonl"], given=sql).decode("utf-8").split("\n")
    rows: list[Row] = [json.loads(line) for line in lines if line]
    if rows:
        pairs: list[tuple[str, Any]] = json.loads(lines[0], object_pairs_hook=list)
        names = [name for name, _ in pairs]
    else:  # JSON without rows has no columns
        names = next(csv.reader(io.StringIO(run_program([*arguments, "--format=csv"], given=sql).decode("utf-8"))), [])
    check_names(names)
    return frame_of(rows, names, form)


def check_names(names: Sequence[str]) -> None:
    """Raises KinetoscopeError if two columns have the same name, since a row as a dict would then lack one of them."""
    for name, count in collections.Counter(names).items():
        if count > 1:
            raise KinetoscopeError(f"{count} columns have the name {name}; rename them with AS")
