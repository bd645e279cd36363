#!/usr/bin/env python3
# Covers: export_command, pack_command, packing, sqlite_writer, parquet_writer, capsule_bundle
"""Checks `kinetoscope export` and `kinetoscope pack`. sqlite3 must read the same tables as the program, and all commands
must accept capsules like the original files.

    python3 tests/send_test.py --kinetoscope build/release/kinetoscope
"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SNAPSHOT = SOURCE / "tests/fuzz/seeds/snapshot_protocol4.pickle"


def python(name, begin, length):
    return {"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": length}


TRACE = {"traceEvents": [
    python("train.py(7): main", 0, 100), python("net.py(3): forward", 1, 50),
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 2, "dur": 20, "args": {}}]}


def run(program, *arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode} {done.stderr}"
    return done.stdout if code == 0 else done.stderr


def exports(program, folder):
    trace = folder / "trace.json"
    trace.write_text(json.dumps(TRACE))
    run(program, "export", trace, folder / "out.sqlite")
    with sqlite3.connect(folder / "out.sqlite") as database:
        stacks = database.execute(
            "SELECT s.name, k.depth, k.function, k.filename, k.line FROM stack k JOIN slice s ON s.id = k.slice_id "
            "ORDER BY s.name, k.depth").fetchall()
    main = ("main", "train.py", 7)
    forward = ("forward", "net.py", 3)
    # Only slices that are not Python functions have a stack.
    assert stacks == [("aten::mm", 0, *forward), ("aten::mm", 1, *main)], stacks
    run(program, "export", trace, folder / "tables", "--parquet")
    assert (folder / "tables/stack.parquet").read_bytes()[:4] == b"PAR1"


def packs_snapshots(program, folder):
    out = folder / "s.kino"
    summary = run(program, "pack", SNAPSHOT, out)
    assert "events, " in summary, summary
    tables = json.loads(run(program, "query", SNAPSHOT, "--format", "json", "SELECT COUNT(*) AS n FROM allocation"))
    assert json.loads(run(program, "query", out, "--format", "json", "SELECT COUNT(*) AS n FROM allocation")) == tables
    for table in ("live", "growth", "segments", "allocations", "events", "what-if", "advice"):
        assert run(program, "table", table, out) == run(program, "table", table, SNAPSHOT), table
    info = json.loads(run(program, "info", out, "--json"))
    assert info["kind"] == "snapshot" and info["capsule"]["title"] == SNAPSHOT.name, info["capsule"]
    run(program, "report", out, folder / "report.html")
    run(program, "pack", SNAPSHOT, folder / "hidden.kino", "--redact")
    assert json.loads(run(program, "info", folder / "hidden.kino", "--json"))["capsule"]["redacted"]
    assert "packed completely" in run(program, "pack", SNAPSHOT, out, "--range", "1ms..2ms", code=1)
    # Packing a trace and a snapshot makes an archive of both.
    run(program, "pack", folder / "trace.json", SNAPSHOT, folder / "both.kino")
    assert json.loads(run(program, "info", f"{folder}/both.kino#trace.kino", "--json"))["kind"] == "trace"
    assert json.loads(run(program, "info", f"{folder}/both.kino#snapshot_protocol4.kino", "--json"))["kind"] == \
        "snapshot"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    program = os.path.abspath(parser.parse_args().kinetoscope)
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name + "/cache"
        exports(program, pathlib.Path(name))
        packs_snapshots(program, pathlib.Path(name))


if __name__ == "__main__":
    main()
