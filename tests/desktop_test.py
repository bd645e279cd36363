#!/usr/bin/env python3
# Covers: no unit
"""Checks that the desktop opens traces and snapshots with Kinetoscope, and no other files: the file types that GLib
detects, and the default application of each type.

    tests/desktop_test.py
"""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("update-mime-database", "update-desktop-database", "gio")
OTHERS = ("application/json", "application/gzip", "application/zstd", "application/x-xz", "application/zip",
          "application/x-python-pickle", "text/plain", "application/octet-stream")

TRACE = b'{\n  "schemaVersion": 1,\n  "deviceProperties": [\n  ],\n  "traceEvents": []}'
CHROME = b'{"traceEvents": []}'
SNAPSHOT = pickle.dumps({"segments": [], "device_traces": []}, protocol=2)
GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\x03"

# File name, content and expected type.
FILES = [("a.pt.trace.json", TRACE, "application/x-pytorch-trace+json"),
         ("host_12.345.pt.trace.json.gz", GZIP, "application/x-pytorch-trace+gzip"),
         ("a.pt.trace.json.zst", b"\x28\xb5\x2f\xfd\0", "application/x-pytorch-trace+zstd"),
         ("a.pt.trace.json.xz", b"\xfd7zXZ\0", "application/x-pytorch-trace+xz"),
         ("trace.json", CHROME, "application/x-chrome-trace+json"),
         ("my_trace.json", CHROME, "application/x-chrome-trace+json"),
         ("trace.json.gz", GZIP, "application/x-chrome-trace+gzip"),
         ("my_trace.json.gz", GZIP, "application/x-chrome-trace+gzip"),
         ("without_a_name", TRACE, "application/x-pytorch-trace+json"),
         ("snapshot.pickle", SNAPSHOT, "application/x-pytorch-memory-snapshot"),
         ("snapshot.pkl", SNAPSHOT, "application/x-pytorch-memory-snapshot"),
         ("run.nsys-rep", b"NVIDIA Tegra Profiler Report 2024", "application/x-nsight-systems-report"),
         ("run.qdrep", b"NVIDIA Tegra Profiler Report 1.", "application/x-nsight-systems-report"),
         ("run.pftrace", b"\x0a\x02\x50\x01", "application/x-perfetto-trace"),
         ("nccl_trace_rank_3", pickle.dumps({"version": "2.9", "pg_config": {}, "entries": []}, protocol=2),
          "application/x-nccl-flight-recorder"),
         ("run.kino", b"Kinetoscope capsule 1\n{}\n", "application/x-kinetoscope-capsule"),
         ("sent", b"Kinetoscope capsule 1\n{}\n", "application/x-kinetoscope-capsule"),
         ("weights.pickle", pickle.dumps([1, 2, 3], protocol=2), "application/x-python-pickle"),
         ("package.json", b'{"name": "x"}', "application/json"),
         ("backup.json.gz", GZIP, "application/gzip"),
         ("backup.gz", GZIP, "application/gzip")]


def install(data):
    """Installs the desktop entry and the types into a data folder. The entry starts /bin/true, which exists."""
    (data / "mime/packages").mkdir(parents=True)
    (data / "applications").mkdir()
    shutil.copy(ROOT / "assets/desktop/kinetoscope.xml", data / "mime/packages")
    entry = (ROOT / "assets/desktop/kinetoscope.desktop").read_text(encoding="utf-8")
    (data / "applications/kinetoscope.desktop").write_text(entry.replace("Exec=kinetoscope", "Exec=/bin/true"),
                                                           encoding="utf-8")
    subprocess.run(["update-mime-database", data / "mime"], check=True, capture_output=True)
    subprocess.run(["update-desktop-database", data / "applications"], check=True)


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print("skipped because these programs are missing:", ", ".join(missing))
        return 0
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        install(folder / "data")
        environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
                       "HOME": str(folder), "LC_ALL": "C.UTF-8"}

        def gio(*arguments):
            return subprocess.run(["gio", *arguments], env=environment, capture_output=True, text=True).stdout

        ours = set()
        for name, content, wanted in FILES:
            path = folder / name
            path.write_bytes(content)
            info = gio("info", "-a", "standard::content-type", str(path))
            if f"standard::content-type: {wanted}\n" not in info + "\n":
                errors.append(f"{name} should be {wanted}: {info}")
            if "pytorch" in wanted or "chrome-trace" in wanted:
                ours.add(wanted)
        for kind in sorted(ours):
            if "kinetoscope.desktop" not in gio("mime", kind).split("\n", 1)[0]:
                errors.append(f"{kind} does not open with Kinetoscope: {gio('mime', kind)}")
        for kind in OTHERS:
            if "kinetoscope" in gio("mime", kind):
                errors.append(f"{kind} must not open with Kinetoscope: {gio('mime', kind)}")
    print("\n".join(errors) or "the desktop opens the right files")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
