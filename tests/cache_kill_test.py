#!/usr/bin/env python3
# Covers: trace_cache, cache_keeper, index_file, new_file
"""Kills one or two programs at random times while they open traces and store them in the cache. The next program must
report the same about the trace, and the cache folder must contain nothing but cached traces.

    cache_kill_test.py --kinetoscope PROGRAM [--rounds N] [--seed N]
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

TEXT_BYTES = 34 << 20


def write_trace(path):
    event = ('{{"ph": "X", "cat": "cpu_op", "name": "aten::op{0}", "pid": 1, "tid": {1}, "ts": {2}, "dur": 7, '
             '"args": {{"External id": {3}, "Input Dims": [[64, 1024], [1024, 1024], []]}}}}')
    with open(path, "w") as file:
        file.write('{"traceEvents": [\n')
        size = 0
        number = 0
        while size < TEXT_BYTES:
            text = event.format(number % 400, 1 + number % 3, 10 * number, number) + ",\n"
            size += file.write(text)
            number += 1
        file.write(event.format(0, 1, 10 * number, number) + "]}\n")
    return path


class Runner:
    def __init__(self, program, folder):
        self.program = program
        self.cache = folder / "cache" / "kinetoscope"
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))

    def start(self, path, *options):
        return subprocess.Popen([self.program, "info", "--json", *options, str(path)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def summary(self, path, *options):
        """Returns the output of `info`, and whether the trace was loaded from the cache."""
        process = self.start(path, *options)
        out, error = process.communicate()
        if process.returncode != 0 or error:
            raise SystemExit(f"info failed: {error.decode()}")
        summary = json.loads(out)
        return summary, summary.pop("load")["from_cache"]

    def kill_after(self, path, seconds, count):
        processes = [self.start(path, "--keep") for _ in range(count)]
        for process in processes:
            time.sleep(seconds / count)
            process.send_signal(signal.SIGKILL)
        for process in processes:
            process.communicate()

    def strange_files(self):
        return [file for file in self.cache.glob("*") if file.suffix != ".kinoindex"] if self.cache.exists() else []


def run(program, rounds, seed):
    chance = random.Random(seed)
    found = 0
    with tempfile.TemporaryDirectory(prefix="kinetoscope-kill-") as name:
        folder = pathlib.Path(name)
        plain = write_trace(folder / "trace.json")
        packed = folder / "trace.json.gz"
        with open(plain, "rb") as text, gzip.open(packed, "wb", compresslevel=1) as out:
            out.write(text.read())
        runner = Runner(program, folder)
        expected = {path: runner.summary(path, "--no-cache")[0] for path in (plain, packed)}
        if runner.cache.exists() and any(runner.cache.iterdir()):
            raise SystemExit("--no-cache has written to the cache")
        begin = time.monotonic()
        runner.summary(packed, "--keep")
        whole = time.monotonic() - begin
        subprocess.run([program, "cache", "--clear"], env=runner.environment, check=True)
        for _ in range(rounds):
            path = chance.choice([plain, packed])
            runner.kill_after(path, chance.uniform(0, 1.2 * whole), chance.choice([1, 1, 2]))
            if strange := runner.strange_files():
                raise SystemExit(f"left behind: {strange}")
            summary, from_cache = runner.summary(path)
            found += from_cache
            if summary != expected[path]:
                raise SystemExit(f"{path.name} has another summary than before (from the cache: {from_cache})")
            if chance.random() < 0.7:
                subprocess.run([program, "cache", "--clear"], env=runner.environment, check=True)
        for path in (plain, packed):
            runner.summary(path, "--keep")
            if runner.summary(path) != (expected[path], True):
                raise SystemExit(f"{path.name} is not loaded from the cache in the end")
    print(f"{rounds} rounds; in {found} of them the trace was cached before the kill")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    run(options.kinetoscope, options.rounds, options.seed)


if __name__ == "__main__":
    sys.exit(main())
