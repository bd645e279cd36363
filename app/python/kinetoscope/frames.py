"""Makes data frames of the rows that the program prints, without loss.

Integers become nullable 64-bit integers, other numbers become 64-bit floats, and the rest becomes text. A missing value is null.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import Any, Optional

from .errors import KinetoscopeError

Row = dict[str, Any]
FORMS = ("pandas", "polars", "arrow", "rows")
MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
INT64 = range(-(1 << 63), 1 << 63)
UINT64 = range(1 << 64)
# Dtypes of each library per kind of column.
PANDAS = {"integer": "Int64", "unsigned": "UInt64", "real": "Float64", "text": "string"}
POLARS = {"integer": "Int64", "unsigned": "UInt64", "real": "Float64", "text": "String"}
ARROW = {"integer": "int64", "unsigned": "uint64", "real": "float64", "text": "string"}


def chosen_form(as_: Optional[str]) -> str:
    """Returns the form of results: `as_`, else the first of pandas, polars and pyarrow that is imported, else installed.

    Raises KinetoscopeError if `as_` is unknown or not installed, or if none is installed.
    """
    if as_ is None:
        imported = [form for form, module in MODULES.items() if module in sys.modules]
        for form in imported or MODULES:
            if importlib.util.find_spec(MODULES[form]) is not None:
                return form
        raise KinetoscopeError('None of pandas, polars and pyarrow is installed; install one, or use as_="rows"')
    if as_ not in FORMS:
        raise KinetoscopeError(f"as_ must be one of {', '.join(FORMS)}, not {as_!r}")
    if as_ in MODULES and importlib.util.find_spec(MODULES[as_]) is None:
        raise KinetoscopeError(f'{MODULES[as_]} is not installed; install it, or use as_="rows"')
    return as_


def kind_of(values: Sequence[Any], when_empty: str) -> str:
    """Returns the kind of a column: integer, unsigned, real or text. `when_empty` is returned if all values are null.

    An integer beyond both ranges of 64 bits makes the column text, so that no digit is lost.
    """
    types = {type(value) for value in values} - {type(None)}
    if not types:
        return when_empty
    if types == {int}:
        numbers = [value for value in values if value is not None]
        least, most = min(numbers), max(numbers)
        if least in INT64 and most in INT64:
            return "integer"
        return "unsigned" if least in UINT64 and most in UINT64 else "text"
    return "real" if types <= {int, float} else "text"


def as_kind(values: Sequence[Any], kind: str) -> list[Any]:
    """Returns the values with the type of the kind. Only mixed columns change."""
    if kind == "real":
        return [None if value is None else float(value) for value in values]
    if kind == "text":
        return [value if value is None or isinstance(value, str) else str(value) for value in values]
    return list(values)


def frame_of(rows: Sequence[Row], names: Sequence[str], form: str, empty_kinds: Optional[dict[str, str]] = None) -> Any:
    """Returns the rows as a list of dicts or as a data frame with the columns `names`, all of which every row has.

    `empty_kinds` has the kinds of columns without values; the default is text.
    """
    if form == "rows":
        return list(rows)
    columns, kinds = {}, {}
    for name in names:
        values = [row[name] for row in rows]
        kinds[name] = kind_of(values, (empty_kinds or {}).get(name, "text"))
        columns[name] = as_kind(values, kinds[name])
    library: Any = importlib.import_module(MODULES[form])
    if form == "pandas":
        return library.DataFrame({name: library.array(columns[name], dtype=PANDAS[kinds[name]]) for name in names})
    if form == "polars":
        return library.DataFrame(columns, schema={name: getattr(library, POLARS[kinds[name]]) for name in names})
    return library.table({name: library.array(columns[name], type=getattr(library, ARROW[kinds[name]])()) for name in names})


def can_read_parquet(form: str) -> bool:
    """Whether the libraries for this form read Parquet. pandas needs pyarrow."""
    return form == "polars" or (form in ("pandas", "arrow") and importlib.util.find_spec("pyarrow") is not None)


def frame_of_parquet(content: bytes, form: str) -> Any:
    """Returns a Parquet file of the program as a data frame, with the same types as frame_of()."""
    if form == "polars":
        polars: Any = importlib.import_module("polars")
        return polars.read_parquet(content)
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    table = parquet.read_table(arrow.BufferReader(content))
    if form == "arrow":
        return table
    pandas: Any = importlib.import_module("pandas")
    dtypes = {arrow.int64(): pandas.Int64Dtype(), arrow.float64(): pandas.Float64Dtype(), arrow.string(): pandas.StringDtype()}
    return table.to_pandas(types_mapper=dtypes.get)
