# Covers: table_command
"""Tables as data frames."""
import csv
import io
import json

import pandas
import pytest

from kinetoscope import program


def printed(name, path, *options, format="csv"):
    """Returns the output of the program."""
    return program.run_program(["table", name, str(path), *options, f"--format={format}", "--limit=0"]).decode()


def assert_equal_to_csv(frame, text):
    """Compares every cell with the text of the program. The types of the frame decide how a cell is read."""
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(frame.columns) == next(csv.reader(io.StringIO(text)))
    assert len(frame) == len(rows)
    for name in frame.columns:
        for value, expected in zip(frame[name], (row[name] for row in rows)):
            if value is pandas.NA:
                assert expected == "", (name, expected)
            elif isinstance(value, float):
                assert value == float(expected), name
            else:
                assert str(value) == expected, name


def test_each_table_of_a_trace_equals_the_csv(trace):
    assert len(trace.tables()) > 30
    for name in ("steps", "kernels", "operators", "idle", "gaps", "launch", "layers", "copies", "flops", "summary"):
        assert_equal_to_csv(trace.table(name, as_="pandas"), printed(name, trace.paths[0]))


def test_options_select_rows(trace):
    path = trace.paths[0]
    assert_equal_to_csv(trace.table("kernels", step=12), printed("kernels", path, "--step", "12"))
    assert_equal_to_csv(trace.table("kernels", group="shape", sort=["calls:desc", "name"], range=(1_000_000, 90_000_000)),
                        printed("kernels", path, "--group", "shape", "--sort", "calls:desc,name", "--range", "1ms..90ms"))
    assert len(trace.table("kernels", limit=3)) == 3
    assert trace.table("what-if", set={"loader": 0, "compute": 0.5}, as_="rows")[0]["setting"] == "loader=0 compute=0.5"


def test_integers_are_nullable_and_64_bits_wide(trace):
    types = trace.table("kernels").dtypes
    assert types["total_ns"] == pandas.Int64Dtype() and types["mean_ns"] == pandas.Float64Dtype()
    assert types["name"] == pandas.StringDtype()
    slices = trace.query("SELECT MAX(ts) AS ts FROM slice")
    assert slices["ts"].dtype == pandas.Int64Dtype() and slices["ts"][0] > 1 << 60


def test_a_table_without_rows_has_its_columns(trace):
    empty = trace.table("kernels", range=(0, 1))
    assert len(empty) == 0 and list(empty.columns) == list(trace.table("kernels").columns)
    assert empty["total_ns"].dtype == pandas.Int64Dtype() and empty["name"].dtype == pandas.StringDtype()


def test_rows_need_no_library(trace):
    assert trace.table("steps", as_="rows") == json.loads(printed("steps", trace.paths[0], format="json"))


def test_columns_are_explained(trace):
    columns = {column["key"]: column for column in trace.columns("kernels")}
    assert columns["total_ns"]["unit"] == "ns" and columns["total_ns"]["definition"]


def test_a_summary_has_the_steps(trace):
    summary = trace.summary()
    assert summary["kind"] == trace.kind == "trace" and len(summary["steps"]) > 0
    assert trace.verdict()["sentence"]


def test_a_picture_is_a_png(trace):
    assert trace.picture(size="640x400").startswith(b"\x89PNG")


def test_a_job_has_the_tables_of_ranks(files):
    import kinetoscope
    job = kinetoscope.open(files / "job")
    assert job.kind == "job" and "ranks" in job.tables() and "kernels" not in job.tables()
    for name in ("ranks", "late", "collectives", "clocks"):
        assert_equal_to_csv(job.table(name), printed(name, files / "job"))
    ranks = [files / f"job/rank{rank}.json" for rank in range(4)]
    assert len(kinetoscope.open(*ranks).table("ranks")) == 4


def test_a_snapshot_has_tables_at_moments(files):
    import kinetoscope
    snapshot = kinetoscope.open(files / "snapshot.pickle")
    assert snapshot.kind == "snapshot" and "live" in snapshot.tables()
    for name in ("live", "segments", "allocations", "events", "growth"):
        assert_equal_to_csv(snapshot.table(name), printed(name, files / "snapshot.pickle"))
    assert len(snapshot.table("live", at="start")) == 0
    assert_equal_to_csv(snapshot.table("live", group="category", find=">1MB"),
                        printed("live", files / "snapshot.pickle", "--group", "category", "--find", ">1MB"))
    assert "allocations" in snapshot.tables()


@pytest.mark.parametrize("form, module", [("polars", "polars"), ("arrow", "pyarrow")])
def test_other_libraries_get_the_same_rows(trace, form, module):
    pytest.importorskip(module)
    for name, options in (("kernels", {}), ("kernels", {"range": (0, 1)}), ("steps", {})):
        frame = trace.table(name, as_=form, **options)
        rows = frame.to_dicts() if form == "polars" else frame.to_pylist()
        assert rows == trace.table(name, as_="rows", **options)
        column = frame["total_ns"]
        assert str(column.dtype if form == "polars" else column.type).lower() == "int64"
