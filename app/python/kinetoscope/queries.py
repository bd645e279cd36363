"""Runs SQL and returns the result."""

from __future__ import annotations

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
        return frame_of_parquet(run_program([*arguments, "--format=parquet"], given=sql), form)
    lines = run_program([*arguments, "--format=jsonl"], given=sql).decode("utf-8").split("\n")
    rows: list[Row] = [json.loads(line) for line in lines if line]
    if rows:
        pairs: list[tuple[str, Any]] = json.loads(lines[0], object_pairs_hook=list)
        names = [name for name, _ in pairs]
    else:  # JSON without rows has no columns
        names = next(csv.reader(io.StringIO(run_program([*arguments, "--format=csv"], given=sql).decode("utf-8"))), [])
    for name in names:
        if names.count(name) > 1:
            raise KinetoscopeError(f"Two columns have the name {name}; rename one with AS")
    return frame_of(rows, names, form)
