# Covers: index_command, slurm_script, rank_file, cached_ranks
"""Checks `kinetoscope index`: the files that it writes and skips, jobs that open from them, and the script for Slurm.

    python3 tests/index_test.py --kinetoscope build/release/kinetoscope
"""

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WORLD = 3


def trace_of(rank, events=(), world=WORLD):
    """Returns the trace of a rank. The last rank is late to each all-reduce, so the others wait for it."""
    rows = list(events)
    for i in range(30):
        begin = 1000 * i + 37 * (i * i % 7)
        late = 300 if rank == world - 1 else 0
        rows.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0,
                     "tid": 7, "ts": begin + late, "dur": 500 - late,
                     "args": {"stream": 7, "Collective name": "allreduce", "In msg nelems": 64,
                              "Out msg nelems": 64, "Group size": world, "dtype": "Float",
                              "Process Group Name": "0", "Process Group Ranks": str(list(range(world)))}})
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1759386474000000000, "displayTimeUnit": "ms",
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world,
                                "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": list(range(world))}]},
            "traceEvents": rows}


class Checks:
    def __init__(self, program, folder):
        self.program = str(Path(program).resolve())
        self.folder = folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
        self.jobs = folder / "it's a job"
        self.jobs.mkdir()
        for rank in range(WORLD):
            (self.jobs / f"rank{rank}.json").write_text(json.dumps(trace_of(rank)))

    def run(self, *arguments, cwd=None):
        return subprocess.run([self.program, *map(str, arguments)], env=self.environment, text=True,
                              capture_output=True, check=False, cwd=cwd)

    def index(self, *arguments, code=0):
        done = self.run("index", *arguments)
        assert done.returncode == code, (done.returncode, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def job(self, folder):
        done = self.run("info", folder, "--json")
        assert done.returncode == 0, done.stderr
        job = json.loads(done.stdout)["job"]
        for rank in job["ranks"]:
            rank["file"] = Path(rank["file"]).name
        return job

    def check_written_and_skipped(self):
        before = self.job(self.jobs)
        assert before["verdict"].startswith("Rank 2 makes the others wait"), before["verdict"]
        lines, _ = self.index(self.jobs)
        assert [line["rank"] for line in lines] == [0, 1, 2], lines
        assert all(line["communication_kernels"] == 30 and line["slices"] == 30 for line in lines), lines
        assert not any(line["skipped"] for line in lines)
        assert all(Path(line["digest"]).is_file() and Path(line["index"]).is_file() for line in lines)
        assert all(line["skipped"] for line in self.index(self.jobs)[0])
        assert self.job(self.jobs) == before

    def check_current_folder(self):
        here = self.folder / "here"
        here.mkdir()
        shutil.copy(self.jobs / "rank0.json", here)
        done = self.run("index", "rank0.json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert sorted(path.name for path in here.iterdir()) == ["rank0.json", "rank0.json.kinoindex", "rank0.json.kinorank"]

    def check_changed_and_damaged(self):
        damaged = self.jobs / "rank0.json.kinorank"
        damaged.write_bytes(damaged.read_bytes()[:-1])
        more = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40000, "dur": 5}
        (self.jobs / "rank1.json").write_text(json.dumps(trace_of(1, [more])))
        (self.jobs / "rank2.json.kinoindex").unlink()
        lines, _ = self.index(self.jobs)
        assert [line["skipped"] for line in lines] == [False, False, False], lines
        assert [line["slices"] for line in lines] == [30, 31, 30], lines

    def check_digests_alone(self):
        out = self.folder / "digests"
        out.mkdir()
        _, told = self.index(self.jobs, "--out", out / "missing", code=1)
        assert "There is no such folder" in told, told
        lines, _ = self.index(self.jobs, "--out", out, "--digest-only")
        assert sorted(it.name for it in out.iterdir()) == [f"rank{rank}.json.kinorank" for rank in range(WORLD)]
        assert "index" not in lines[0]
        assert self.job(out) == self.job(self.jobs)
        older = self.folder / "older"
        older.mkdir()
        for digest in out.iterdir():
            content = bytearray(digest.read_bytes())
            content[8] ^= 1
            (older / digest.name).write_bytes(content)
        done = self.run("info", older)
        assert done.returncode == 1 and "skipped digests that are damaged or of another version: 3" in done.stderr, done.stderr

    def check_sql(self):
        done = self.run("query", self.jobs, "SELECT rank, COUNT(*) FROM kernel GROUP BY rank ORDER BY rank", "--format", "csv")
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[1:] == ["0,30", "1,31", "2,30"], done.stdout
        done = self.run("query", self.folder / "digests", "SELECT 1")
        assert done.returncode == 1 and "rank0.json" in done.stderr, done.stderr

    def check_failures(self):
        bad = self.folder / "bad.json"
        bad.write_text("no trace")
        lines, told = self.index(bad, self.jobs / "rank0.json", self.folder / "missing.json", code=1)
        assert ["error" in line for line in lines] == [True, False, True], lines
        assert "bad.json" in told and "missing.json" in told, told
        assert not Path(str(bad) + ".kinorank").exists()
        twin = self.folder / "twin"
        twin.mkdir()
        shutil.copy(self.jobs / "rank1.json", twin / "rank0.json")
        out = self.folder / "one"
        out.mkdir()
        _, told = self.index(self.jobs / "rank0.json", twin / "rank0.json", "--out", out, code=1)
        assert "would overwrite" in told, told

    def check_without_index(self):
        """A trace for which no index can be written is skipped if its digest is up to date."""
        packed = self.folder / "packed.json.xz"
        packed.write_bytes(lzma.compress(json.dumps(trace_of(0)).encode()))
        for skipped in (False, True):
            lines, _ = self.index(packed)
            assert [line["skipped"] for line in lines] == [skipped], lines
        assert not Path(str(packed) + ".kinoindex").exists()
        assert Path(str(packed) + ".kinorank").exists()

    def check_full_stdout(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([self.program, "info", self.jobs], env=self.environment, text=True, stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1 and "summary" in done.stderr, done

    def check_slurm_script(self):
        for left in self.jobs.glob("*.kino*"):
            left.unlink()
        script = self.run("index", "--slurm", "--digest-only", self.jobs).stdout
        assert f"#SBATCH --array=0-{WORLD - 1}\n" in script, script
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "kinetoscope").symlink_to(Path(self.program).resolve())
        (tools / "scontrol").write_text('#!/bin/sh\necho "$@" >> "$0.log"\n')
        (tools / "sleep").write_text("#!/bin/sh\n")
        for tool in ("scontrol", "sleep"):
            (tools / tool).chmod(0o755)
        environment = dict(self.environment, PATH=f"{tools}:{os.environ['PATH']}", SLURM_ARRAY_JOB_ID="9")

        def task(number, **more):
            return subprocess.run(["bash", "-c", script], env=environment | {"SLURM_ARRAY_TASK_ID": str(number)} | more,
                                  capture_output=True, text=True, check=False)

        assert task(1).returncode == 0
        assert [it.name for it in self.jobs.glob("*.kinorank")] == ["rank1.json.kinorank"]
        (self.jobs / "rank2.json").write_text("")
        log = tools / "scontrol.log"
        assert task(2).returncode == 1
        assert log.read_text() == "requeue 9_2\n", log.read_text()
        assert task(2, SLURM_RESTART_COUNT="2").returncode == 1
        assert log.read_text() == "requeue 9_2\n", log.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinetoscope", required=True)
    program = parser.parse_args().kinetoscope
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(program, Path(folder))
        for check in (checks.check_written_and_skipped, checks.check_current_folder, checks.check_changed_and_damaged,
                      checks.check_digests_alone, checks.check_sql, checks.check_failures, checks.check_without_index,
                      checks.check_full_stdout, checks.check_slurm_script):
            check()
            print(check.__name__, "passed")


if __name__ == "__main__":
    sys.exit(main())
