#!/usr/bin/env python3
# Covers: trim_command, screenshot_command, report_command, pack_command, export_command, shader_cache,
#   atomic_file, cache_keeper, mistyped_command, serve_hint
"""Checks commands that write files. A missing folder is an error and is not created, and a full disk does not crash a
command. Mistyped commands get a suggestion.

    python3 tests/output_test.py --kinetoscope build/release/kinetoscope
"""
import argparse
import contextlib
import gzip
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

from leak_search import leak_search_crashed

KERNELS = [event for i in range(2000) for event in (
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 3,
     "args": {"correlation": i + 1}},
    {"ph": "X", "cat": "kernel", "name": f"kernel_{i % 7}", "pid": 0, "tid": 7, "ts": 10 * i + 4, "dur": 5,
     "args": {"correlation": i + 1, "stream": 7, "device": 0}})]
MISSING = "The file cannot be created: No such file or directory"


TRIES = 5


def run(program, *arguments, **environment):
    """Runs the program. If a sanitizer's leak search crashed, runs it again, since the exit code is then meaningless."""
    for _ in range(TRIES):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment})
        if not leak_search_crashed(done.stderr):
            break
    return done


def refuses_missing_folders(program, folder, trace):
    missing = folder / "missing"
    for command, name, options in (("trim", "cut.json", ["--range", "0..1ms"]), ("screenshot", "out.png", []),
                                   ("report", "out.html", []), ("pack", "out.kino", []),
                                   ("export", "out.sqlite", []), ("export", "tables", ["--parquet"])):
        out = missing / name
        done = run(program, command, trace, out, *options)
        assert done.returncode == 1, (command, done.returncode, done.stderr)
        assert done.stderr == f"kinetoscope: {MISSING}: {out}\n", (command, done.stderr)
        assert not missing.exists(), command
    (folder / "file").write_text("")
    done = run(program, "report", trace, folder / "file/out.html")
    assert done.returncode == 1 and "Not a directory" in done.stderr, done.stderr
    # The folder for the tables is created.
    done = run(program, "export", trace, str(folder / "tables") + "/", "--parquet")
    assert done.returncode == 0 and (folder / "tables/slice.parquet").exists(), done.stderr


@contextlib.contextmanager
def full_disk(folder):
    """Yields a folder on a full disk; None if no disk can be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "kinetoscope-test", disk], capture_output=True,
                             check=False) if os.geteuid() == 0 else None
    if mounted is None or mounted.returncode != 0:
        yield None
        return
    try:
        with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def survives_a_full_disk(program, folder, trace, packed):
    with full_disk(folder) as disk:
        if disk is None:
            print("skipped: a full disk, since no tmpfs can be mounted here")
            return
        for environment in ({"XDG_CACHE_HOME": str(disk)}, {"XDG_CACHE_HOME": "", "HOME": str(disk)},
                            {"MESA_SHADER_CACHE_DIR": str(disk), "XDG_CACHE_HOME": str(folder / "cache")}):
            for command, name in (("screenshot", "full.png"), ("report", "full.html")):
                out = folder / name
                done = run(program, command, trace, out, **environment)
                assert done.returncode == 0, (environment, command, done.returncode, done.stderr)
                assert out.stat().st_size > 1000
                assert "compiled shaders are not cached because there is no space for them" in done.stderr, done.stderr
                out.unlink()
        for path in (trace, packed):
            for options in ([], ["--no-cache"]):
                done = run(program, "info", path, *options, XDG_CACHE_HOME=str(disk))
                assert done.returncode == 0 and "slices" in done.stdout, (path, options, done.stderr)
            done = run(program, "info", path, "--keep", XDG_CACHE_HOME=str(disk))
            assert done.returncode >= 0 and "too little space to cache the trace" in done.stderr, done.stderr
        # Failed writes are reported and leave no file.
        for command, name in (("report", "out.html"), ("export", "out.sqlite"), ("pack", "out.kino"),
                              ("screenshot", "out.png")):
            done = run(program, command, trace, disk / name, XDG_CACHE_HOME=str(folder / "cache"))
            assert done.returncode == 1 and done.stderr.startswith("kinetoscope: "), (command, done.stderr)
        assert sorted(path.name for path in disk.iterdir() if path.is_file()) == ["filler"], list(disk.iterdir())


def caches_shaders_where_there_is_room(program, folder, trace):
    done = run(program, "screenshot", trace, folder / "room.png", XDG_CACHE_HOME=str(folder / "cache"))
    assert done.returncode == 0 and "shaders" not in done.stderr, done.stderr


def names_mistyped_commands(program, folder, trace):
    done = run(program, "tabel", trace)
    assert done.returncode == 2 and not done.stdout, done
    assert done.stderr == 'kinetoscope: "tabel" is neither a file nor a command. Did you mean "table"?\n', done.stderr
    # A path with this file name is not a mistyped command.
    done = run(program, "info", folder / "tabel")
    assert done.returncode == 1 and "Did you mean" not in done.stderr, done.stderr


def shows_the_way_to_a_browser(program, trace):
    """Without a display, a summary is followed by one line with the commands for a browser."""
    nowhere = {"DISPLAY": ":4999", "WAYLAND_DISPLAY": "", "USER": "anna"}
    by_name = f"anna@{socket.gethostname()}"
    for connection, host in (("203.0.113.7 50000 127.0.0.1 22", "anna@127.0.0.1"), ("", by_name),
                             ("203.0.113.7 50000 192.0.2.1 22", by_name)):  # the address of another machine
        done = run(program, trace, **nowhere, SSH_CONNECTION=connection)
        assert done.returncode == 0 and "Time span" in done.stdout, done
        hint = done.stderr.splitlines()[-1]
        assert f"`kinetoscope serve {trace}`" in hint and f"`ssh -N -L 8642:127.0.0.1:8642 {host}`" in hint, done.stderr
        assert done.stderr.count("kinetoscope serve") == 1, done.stderr
    missing = run(program, trace.with_name("missing.json"), **nowhere)
    assert missing.returncode == 1 and "kinetoscope serve" not in missing.stderr, missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kinetoscope-output-") as name:
        folder = pathlib.Path(name)
        trace = folder / "trace.json"
        trace.write_text(json.dumps({"traceEvents": KERNELS}))
        packed = folder / "trace.json.gz"
        packed.write_bytes(gzip.compress(trace.read_bytes()))
        names_mistyped_commands(options.kinetoscope, folder, trace)
        shows_the_way_to_a_browser(options.kinetoscope, trace)
        refuses_missing_folders(options.kinetoscope, folder, trace)
        caches_shaders_where_there_is_room(options.kinetoscope, folder, trace)
        survives_a_full_disk(options.kinetoscope, folder, trace, packed)


if __name__ == "__main__":
    sys.exit(main())
