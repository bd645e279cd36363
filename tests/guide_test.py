#!/usr/bin/env python3
# Covers: no unit
"""Checks README.md and assets/guide: every command runs, every option and link exists, generated tables are up to date.

    python3 tests/guide_test.py build/release/kinetoscope SOURCE_FOLDER

Each line of an ```sh block that calls `kinetoscope` runs in a folder with small files under the names that the guide
uses. It must end with exit code 0, or with the code that its comment states (`# exit 1`). Lines in blocks of other
languages do not run, because they need a window, a cluster or files of a reader. Their options are checked as well.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else __file__ + "/../..").resolve()
sys.path += [str(SOURCE / "tests"), str(SOURCE / "tests/ui")]

import check_hang
import check_snapshot_sets
import check_snapshots
import diff_test
import traces

README = SOURCE / "README.md"
GUIDE = SOURCE / "assets/guide"
PAGES = [README, *sorted(GUIDE.glob("*.md"))]
README_BYTES = 10_000

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
RUN = re.compile(r"^(?:.*\| )?kinetoscope ")
CALL = re.compile(r"(?<![\w.%-])kinetoscope(?: |$)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
EXIT_CODE = re.compile(r"\s# exit (\d)$")
# Options of other programs that the guide names: cmake, app/run, tests/run, nsys, the benchmark and the magic of notebooks.
FOREIGN = {"--preset", "--build", "--install", "--uninstall", "--sanitize", "--type", "--only", "--ranks", "--no-stack", "--no-shapes",
           "--no-memory", "--profiler-config"}


# ---- Files under the names that the guide uses ----

def make_files(folder):
    sample = SOURCE / "assets/sample/sample.pt.trace.json.gz"
    shutil.copy(sample, folder / "trace.json.gz")
    text = gzip.decompress(sample.read_bytes())
    (folder / "truncated.json").write_bytes(text[:len(text) // 2])
    for name, kernel_us in (("before", 8000), ("after", 9000), ("a", 8000), ("b", 8500)):
        diff_test.small_run(folder / f"{name}.json", kernel_us)
    for number in range(5):
        diff_test.small_run(folder / f"runs_a/run{number}.json", 8000 + 10 * number)
        diff_test.small_run(folder / f"runs_b/run{number}.json", 9000 + 10 * number)
    for rank in range(4):
        diff_test.small_run(folder / f"job_a/rank{rank}.json", 8000, rank, 4, 1000)
        diff_test.small_run(folder / f"job_b/rank{rank}.json", 9000 if rank == 2 else 8000, rank, 4, 0 if rank == 2 else 1000)
    traces.job(folder / "job")
    for rank in range(2):
        shutil.copy(folder / f"job/rank{rank}.json", folder)
    (folder / "hang").mkdir()
    for rank in range(2):
        (folder / f"hang/nccl_trace_rank_{rank}.json").write_text(json.dumps(check_hang.dump(rank, 10 - rank)))
    for name in ("snapshot", "memory"):
        check_snapshots.write(folder / f"{name}.pickle", [check_snapshots.recording()])
    check_snapshots.write(folder / "before.pickle", [check_snapshots.recording(oom=False)])
    (folder / "snapshots").mkdir()
    for rank in range(4):
        check_snapshot_sets.rank(folder / "snapshots", rank, more=(300 << 20) * (rank == 3), oom=rank == 3)
    for size in (8, 16):
        check_snapshot_sets.rank(folder, size, more=size * 10 << 20).rename(folder / f"bs{size}.pickle")
    (folder / "traces").mkdir()
    shutil.copy(folder / "trace.json.gz", folder / "traces/rank0.json.gz")
    shutil.copy(folder / "before.pickle", folder / "traces")
    (folder / "categories.json").write_text('[{"category": "Attention", "name": "my_kernel"}, "built in"]')
    (folder / "late_launches.sql").write_text("SELECT name, launch_delay FROM kernel ORDER BY launch_delay DESC LIMIT 3")


# ---- Checks: each one yields what is wrong ----

def joined_lines(block):
    return re.sub(r"\\\n\s*", "", block).splitlines()


def command_errors(page, program):
    lines = [line for language, block in FENCE.findall(page.read_text(encoding="utf-8")) if language == "sh"
             for line in joined_lines(block) if RUN.match(line)]
    if not lines:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/kinetoscope").symlink_to(program)
        work = folder / "work"
        work.mkdir()
        make_files(work)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                       **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}}
        for line in lines:
            found = EXIT_CODE.search(line)
            expected = int(found[1]) if found else 0
            done = subprocess.run(["bash", "-c", line], cwd=work, env=environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120, check=False)
            if done.returncode != expected:
                yield f"{line}\n  ends with exit code {done.returncode}, not {expected}: {done.stderr.strip()[:400]}"


def help_options(program):
    """Returns the options of each command from its --help. The key of the window's options is empty."""
    def text(*command):
        return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout

    commands = re.findall(r"^  kinetoscope ([a-z]+) ", text(), re.MULTILINE)
    return {command: set(OPTION.findall(text(*command.split()))) for command in ["", *commands]}


def option_errors(page, options, every):
    text = page.read_text(encoding="utf-8")
    code = [line for _, block in FENCE.findall(text) for line in joined_lines(block)]
    spans = INLINE_CODE.findall(FENCE.sub("", text))
    for line in code + spans:
        for part in re.split(r"\||&&|;", line):
            call = CALL.search(part)
            if not call:
                continue
            words = part[call.end():].split()
            command = words[0] if words and words[0] in options else ""
            for option in OPTION.findall(part[call.end():]):
                if option not in options[command]:
                    yield f"`kinetoscope {command}` has no option {option}: {line}"
    for span in spans:
        for option in OPTION.findall(span):
            if option not in every | FOREIGN:
                yield f"no command has the option {option}"


def anchors(page):
    """Returns the anchors of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_errors(page):
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"there is no {link}"
        elif anchor and anchor not in anchors(target):
            yield f"{path or page.name} has no heading for {link}"
        elif page != README and not target.is_relative_to(GUIDE) and target.parent != SOURCE / "assets/screenshots":
            yield f"{link} is not installed beside the guide"


def missing_names(program, options):
    """Yields commands and tables of --help that no page of the guide mentions as code."""
    tables = subprocess.run([program, "table", "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z][\w-]+) {2,}\S", tables[tables.index("\nTables of"):], re.MULTILINE)
    words = {word for page in PAGES for code in INLINE_CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
             for word in code.split()}
    for name in sorted({*names, *filter(None, options)} - words):
        yield f"assets/guide does not name the command or table {name}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    options = help_options(program)
    every = set().union(*options.values())
    if len(options) < 10:
        sys.exit("guide_test.py: the commands of --help were not found")
    errors = list(missing_names(program, options))
    for page in PAGES:
        for error in (*link_errors(page), *option_errors(page, options, every), *command_errors(page, program)):
            errors.append(f"{page.relative_to(SOURCE)}: {error}")
    if README.stat().st_size >= README_BYTES:
        errors.append(f"README.md has {README.stat().st_size} bytes, {README_BYTES - 1} are allowed")
    done = subprocess.run([sys.executable, "-B", GUIDE / "make_tables.py", program, "--check"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        errors.append(done.stdout + done.stderr)
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
