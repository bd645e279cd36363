#!/usr/bin/env python3
"""Checks `kinetoscope diff` on real runs: a made slowdown of one operator is found and named, and nothing else is; a run
against itself has not changed; exit codes are those of the gate.

    python3 tests/diff_test.py --kinetoscope PATH [--data FOLDER]
"""

import argparse
import bisect
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.resolve()
RUNS = ("samples_resnet50_num_workers_0__worker0.pt.trace.json.gz", "samples_resnet50_num_workers_4__worker0.pt.trace.json.gz")
STRETCHED = "aten::cudnn_convolution_backward_input"
KERNELS = ("Kernel", "kernel")
TIMES = 1000  # ts in us become ns, so that 5 % of a short kernel is not rounded away


def stretched(events, operator, percent):
    """The same run in which the operator's kernels take longer, and all that comes after them comes later."""
    ids = {event["args"].get("External id") for event in events if event.get("ph") == "X" and event["name"] == operator}
    grown = sorted((event["ts"] + event["dur"], event["dur"] * TIMES * percent // 100) for event in events
                   if event.get("cat") in KERNELS and event["args"].get("external id", -1) in ids)
    ends = [end for end, _ in grown]
    sums = [0]
    for _, extra in grown:
        sums.append(sums[-1] + extra)

    def moved_ns(ts):
        return ts * TIMES + sums[bisect.bisect_right(ends, ts)]

    for event in events:
        if "ts" not in event:
            continue
        begin = event["ts"]
        begin_ns = moved_ns(begin)
        if "dur" in event:
            end_ns = moved_ns(begin + event["dur"])
            event["dur"] = (end_ns - begin_ns) / TIMES
        event["ts"] = begin_ns / TIMES if begin_ns % TIMES else begin_ns // TIMES
    return events


def write(events, path):
    # Times as text with three digits: a double has not enough for ns since 1970.
    base = min(event["ts"] for event in events if "ts" in event and event.get("ph") == "X")
    for event in events:
        if "ts" in event:
            event["ts"] = round(event["ts"] - base, 3)
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100"}],
                                "traceEvents": events}))


def run(program, *arguments):
    done = subprocess.run([program, "diff", "--no-cache", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def events_of(path):
    with gzip.open(path) as file:
        document = json.load(file)
    return document if isinstance(document, list) else document["traceEvents"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--kinetoscope", required=True)
    options.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data")
    options = options.parse_args()
    traces = [options.data / "kineto/kineto" / name for name in RUNS]
    if not all(path.exists() for path in traces):
        print("[left out for want of real files] a made slowdown is found and named")
        return 0
    program = options.kinetoscope
    failures = []

    def check(holds, what):
        if not holds:
            failures.append(what)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for side, percent in (("a", 0), ("b", 5)):
            (folder / side).mkdir()
            for number, path in enumerate(traces):
                write(stretched(events_of(path), STRETCHED, percent), folder / side / f"run{number}.json")
        both = (folder / "a", folder / "b", "--by", "operator", "--steps-a", "1:", "--steps-b", "1:")
        code, out, error = run(program, *both, "--format", "json", "--fail-if", f"kernel_time{{operator:{STRETCHED}}}>+2%",
                               "--fail-if", "kernels>0", "--fail-if", "kernel_time{operator:aten::cudnn_batch_norm}>+1%")
        check(code == 2, f"the slowdown fails the gate: {code}, {error}")
        if out:
            answer = json.loads(out)
            flagged = [(row["key"], row["cause"], row["status"]) for row in answer["rows"] if row["status"] != "same"]
            check(flagged == [(STRETCHED, "compute", "slower")], f"only the stretched operator is flagged: {flagged}")
            check([it["result"] for it in answer["gate"]] == ["failed", "passed", "passed"], f"conditions: {answer['gate']}")
            row = next(it for it in answer["rows"] if it["key"] == STRETCHED)
            share = (row["sum_b"] / row["sum_a"] - 1) * 100
            check(4.9 < share < 5.1, f"it is slower by 5 %: {share}")
        code, out, error = run(program, folder / "a", folder / "a", "--format", "json", "--fail-if", "step>+1%")
        check(code == 0, f"a run against itself passes: {code}, {error}")
        if out:
            answer = json.loads(out)
            check(answer["verdict"] == "no significant change", answer["verdict"])
            check(answer["statuses"].keys() == {"same"}, f"all rows are the same: {answer['statuses']}")

        # A baseline gives what its trace gives.
        code, record, error = run(program, traces[0], "--format", "json")
        check(code == 0, f"a record is printed: {error}")
        (folder / "base.json").write_text(record)
        _, by_trace, _ = run(program, traces[0], traces[1], "--format", "json")
        _, by_record, _ = run(program, "--baseline", folder / "base.json", traces[1], "--format", "json")
        check(by_trace == by_record and by_trace, "a baseline stands for its trace")

        # Exit codes.
        check(run(program, traces[0])[0] == 1, "one run alone is told as JSON only")
        check(run(program, traces[0], traces[1], "--fail-if", "step>>1")[0] == 1, "a condition that cannot be read")
        check(run(program, folder / "none.json", traces[1])[0] == 1, "a file that is not there")
        (folder / "bad.json").write_text(record[: len(record) // 2])
        check(run(program, "--baseline", folder / "bad.json", traces[1])[0] == 1, "half a record")
        few = (traces[1], traces[0], "--steps-a", "0:2", "--steps-b", "0:2", "--fail-if", "step>+1%")
        check(run(program, *few)[0] == 0, "undecided passes")
        check(run(program, *few, "--strict")[0] == 4, "and is 4 with --strict")

        others = [options.data / "kineto/tracelens" / f"traces_{gpu}__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
                  for gpu in ("h100", "mi300")]
        if all(path.exists() for path in others):
            code, out, _ = run(program, *others, "--fail-if", "step>+1%")
            check(code == 3 and "%)" not in out, f"other GPUs are not comparable: {code}\n{out}")
            check(run(program, *others, "--force")[0] == 0, "unless forced")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
