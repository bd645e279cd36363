#!/usr/bin/env python3
# Covers: diff_command, diff_json, diff_layers, diff_report, diff_sides, diff_text, run_comparison, run_key, gate,
#   rank_comparison, snapshot_diff
"""Checks `kinetoscope diff` on real runs. It reports an artificial slowdown of one operator and no other change. A run
compared with itself has no change. Exit codes follow the gate.

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
    """Makes the kernels of an operator longer, and delays all later events."""
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
    # Times relative to the first slice: a double cannot represent ns since 1970.
    base = min(event["ts"] for event in events if "ts" in event and event.get("ph") == "X")
    for event in events:
        if "ts" in event:
            event["ts"] = round(event["ts"] - base, 3)
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100"}],
                                "traceEvents": events}))


def small_run(path, kernel_us, rank=0, world=1, waits_us=0, cut=False):
    """Writes six steps with one kernel each. With several ranks, each step also has a collective that waits for `waits_us`.
    `cut`: the first step is longer because of a kernel that was launched before the recording."""
    events = []
    for step in range(6):
        begin = 20_000 * step
        length = kernel_us + 7 * (step % 3)
        more = 1000 if cut and step == 0 else 0
        kernels = [("gemm", begin + 30, length, 7)]
        if world > 1:
            kernels.append(("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + 60 + length, 500 + waits_us, 8))
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin,
                       "dur": length + 2000 + waits_us + more})
        if more:
            events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": begin + 100 + length, "dur": more,
                           "args": {"correlation": 4711, "device": 0, "stream": 7}})
        for i, (name, start, duration, stream) in enumerate(kernels):
            number = 10 * step + i + 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 10 + i,
                           "dur": 1, "args": {"correlation": number}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": duration,
                           "args": {"correlation": number, "device": 0, "stream": stream,
                                    **({"Collective name": "allreduce", "Group size": world, "Process Group Name": "0",
                                        "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float"} if i else {})}})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100"}],
                                "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
                                "baseTimeNanoseconds": 1_700_000_000_000_000_000, "traceEvents": events}))


def check_runs(program, folder, check):
    """Checks several runs per side, measured noise, keys and ranks."""
    for side, kernel_us in (("before", 8000), ("alike", 8020), ("after", 9000)):
        for number in range(5):
            small_run(folder / side / f"run{number}.json", kernel_us + 40 * ((number * 3) % 5))
    before, alike, after = (folder / side for side in ("before", "alike", "after"))
    code, out, error = run(program, before, after, "--format", "json")
    check(code == 0, f"runs are compared: {error}")
    answer = json.loads(out)
    check(answer["verdict"] == "slower" and answer["step"]["n"] == [5, 5], f"the run is the sample: {answer['verdict']}")
    check(json.loads(run(program, before, alike, "--format", "json")[1])["verdict"] == "no significant change", "A/A")
    code, out, _ = run(program, before, after, "--noise-from", before)
    check("noise measured from 5 runs: " in out, f"the noise is measured: {out}")
    # With 12 % of noise, a change of 10 % is not significant.
    for number in range(2):
        small_run(folder / "noisy" / f"run{number}.json", 8000 + 1300 * number)
    code, out, _ = run(program, before, after, "--noise-from", folder / "noisy")
    check("no significant change" in out.splitlines()[0], f"a change within the noise is not reported: {out}")
    for key in ("name", "short", "operator", "shape", "module", "step"):
        code, out, error = run(program, before / "run0.json", after / "run0.json", "--by", key, "--format", "json")
        rows = json.loads(out)["rows"] if out else []
        total = sum(row["change_x_na_nb"] for row in rows if row["cause"] == "compute")
        check(code == 0 and total == 36 * 1_000_000, f"by {key}: {total} {error}")
    code, out, _ = run(program, before / "run0.json", after / "run0.json", "--by", "module")
    check("no modules are recorded" in out, f"without modules: {out}")
    check_jobs(program, folder, check)
    check_first_step(program, folder, check)
    check_ledger(program, before / "run0.json", after / "run0.json", folder, check)
    check_layers(program, folder, check)


def check_ledger(program, before, after, folder, check):
    """Checks that rows of the step ledger are compared and gated, and that records contain them."""
    row = "ledger:matrix:unknown>+0.5ms"
    for form in ("text", "md", "json"):
        out = run(program, before, after, "--format", form)[1]
        check("matrix:unknown" not in out, f"the ledger is computed only if it is needed: {out}")
        code, out, error = run(program, before, after, "--format", form, "--fail-if", row)
        check(code == 2 and out.count("matrix:unknown") >= 2, f"a row fails the gate and is listed in {form}: {out} {error}")
    answer = json.loads(run(program, before, after, "--format", "json", "--ledger")[1])
    changes = {it["row"]: it["change_of_mean_x_na_nb"] for it in answer["ledger"]}
    check(changes["matrix:unknown"] == 36 * 1_000_000, f"the change of a row: {changes}")
    check(sum(changes.values()) == answer["step_change_of_mean_x_na_nb"], f"the rows add up to the change: {changes}")
    record = json.loads(run(program, before, "--format", "json")[1])
    windows = record["runs"][0]["windows"]
    check(all(sum(it["ledger"].values()) == it["end_ns"] - it["begin_ns"] for it in windows), "rows of a record add up")
    (folder / "ledger.json").write_text(json.dumps(record))
    check(run(program, "--baseline", folder / "ledger.json", after, "--fail-if", row)[0] == 2, "a record is gated")
    for window in windows:
        del window["ledger"]  # earlier versions did not write it
    (folder / "ledger.json").write_text(json.dumps(record))
    code, out, _ = run(program, "--baseline", folder / "ledger.json", after, "--fail-if", row, "--ledger", "--strict")
    check(code == 4 and out.count("the record of A contains no step ledger") == 2, f"a record without ledgers: {out}")
    code, _, error = run(program, before, after, "--fail-if", "ledger:idle:host>1ms")
    check(code == 1 and "idle:python" in error, f"unknown rows are rejected with a list: {error}")


def layered_run(path, layers=6, slow_layer=None):
    """Writes five steps of a model whose layers have six kernels each; `slow_layer` takes twice as long."""
    events = []
    for step in range(5):
        begin = 20_000 * step
        kernels = [("embed", 50)]
        for layer in range(layers):
            kernels += [(name, 200 if layer == slow_layer else 100) for name in ("norm", "qkv", "flash", "proj", "up", "down")]
        kernels += [("head", 50), ("loss", 50)]
        at = begin + 100
        for i, (name, duration) in enumerate(kernels):
            number = 1000 * step + i + 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 10 + 2 * i,
                           "dur": 1, "args": {"correlation": number}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": duration,
                           "args": {"correlation": number, "device": 0, "stream": 7}})
            at += duration + 1
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin,
                       "dur": at + 10 - begin})
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100"}], "traceEvents": events}))


def check_layers(program, folder, check):
    """Checks that layers are compared if requested, also with a record, and that other layers have a note instead of rows."""
    names = ("even", "slow", "deep")
    even, slow, deep = (folder / f"{name}.json" for name in names)
    layered_run(even)
    layered_run(slow, slow_layer=3)
    layered_run(deep, layers=9)
    check("layers" not in json.loads(run(program, even, slow, "--format", "json")[1]), "layers are folded only if requested")
    code, out, error = run(program, even, slow, "--layers", "--format", "json")
    check(code == 0, f"layers are compared: {error}")
    answer = json.loads(out)["layers"]
    changes = [row["change_ns"] for row in answer["rows"]]
    check(changes == [0, 0, 0, 600_000, 0, 0], f"the slow layer changed: {answer}")
    check([row["stands_out"] for row in answer["rows"]] == [False] * 3 + [True] + [False] * 2, f"one layer stands out: {answer}")
    for form in ("text", "md"):
        out = run(program, even, slow, "--layers", "--format", form)[1]
        check("Layer 3" in out and "+100.0 %" in out, f"the slow layer is listed as {form}: {out}")
    (folder / "layers_record.json").write_text(run(program, even, "--format", "json")[1])
    out = run(program, "--baseline", folder / "layers_record.json", slow, "--layers", "--format", "json")[1]
    check(json.loads(out)["layers"] == answer, f"a record contains the layers: {out}")
    record = json.loads((folder / "layers_record.json").read_text())
    del record["runs"][0]["layers"]  # earlier versions did not write them
    (folder / "layers_record.json").write_text(json.dumps(record))
    out = run(program, "--baseline", folder / "layers_record.json", slow, "--layers")[1]
    check("The record of A contains no layers." in out, f"a record without layers: {out}")
    answer = json.loads(run(program, even, deep, "--layers", "--force", "--format", "json")[1])["layers"]
    check(answer["rows"] == [] and len(answer["notes"]) == 2, f"other numbers of layers: {answer}")


def check_jobs(program, folder, check):
    """Checks jobs: each rank is compared with itself. The rank whose own work grew is the root cause; the others only wait."""
    for rank in range(4):
        small_run(folder / "job_a" / f"rank{rank}.json", 8000, rank, 4)
        slow = rank == 2
        small_run(folder / "job_b" / f"rank{rank}.json", 9000 if slow else 8000, rank, 4, 0 if slow else 1000)
        small_run(folder / "job_c" / f"rank{rank}.json", 9000, rank, 4)
        small_run(folder / "job_d" / f"rank{rank + 4}.json", 8000, rank + 4, 4)
    jobs = folder / "job_a", folder / "job_b"
    root = "Rank 2: its own work takes 1 ms more per step. The other 3 ranks wait for it, and their communication takes 1 ms more."
    answer = json.loads(run(program, *jobs, "--format", "json")[1])
    check(answer["job"]["roots"] == [2] and answer["job"]["compared_rank"] == 2, f"the root: {answer['job']}")
    check(answer["job"]["sentence"] == root, answer["job"]["sentence"])
    check(answer["verdict"] == "slower" and answer["waterfall"][1]["cause"] == "compute" and
          answer["waterfall"][1]["change_of_mean_x_na_nb"] == 36 * 1_000_000, f"the root's own causes: {answer['waterfall']}")
    ranks = {rank["rank"]: rank for rank in answer["ranks"]}
    check(all(rank["verdict"] == "slower" for rank in ranks.values()), "all ranks' steps are longer")
    check([rank["own_change_ns"] for rank in answer["job"]["ranks"]] == [0, 0, 1_000_000, 0], f"own work: {answer['job']}")
    for form in ("text", "md", "junit"):
        out = run(program, *jobs, "--format", form, "--fail-if", "compute>+5%")
        check(out[0] == 2 and root in out[1], f"the root in {form}: {out}")
    out = run(program, jobs[1], jobs[0])[1]
    check("Rank 2: its own work takes 1 ms less per step. The other 3 ranks wait for it, and their communication takes 1 ms less" in out, f"and back: {out}")
    out = run(program, jobs[0], folder / "job_c")[1]
    check("On most ranks, own work takes 1 ms more per step" in out and "No rank is an outlier" in out, f"all of them: {out}")
    code, out, error = run(program, jobs[0], folder / "job_d")
    check(code == 1 and "no rank in common" in error, f"other ranks: {error}")
    code, out, error = run(program, *jobs, "--rank", "0", "--format", "json")
    answer = json.loads(out)
    check(answer["waterfall"][0]["change_of_mean_x_na_nb"] == 36 * 1_000_000 and "job" not in answer, f"one rank alone: {out[:200]}")
    # A record replaces its job, and a trace is compared with the same rank of a job.
    (folder / "job.json").write_text(run(program, jobs[0], "--format", "json")[1])
    check(json.loads(run(program, "--baseline", folder / "job.json", jobs[1], "--format", "json")[1])["job"]["roots"] == [2],
          "the root by a record")
    answer = json.loads(run(program, jobs[0], jobs[1] / "rank2.json", "--format", "json")[1])
    check(answer["waterfall"][1]["change_of_mean_x_na_nb"] == 36 * 1_000_000, "a job and a trace of rank 2")


def check_first_step(program, folder, check):
    """Comparison, gate and record leave out a first step that holds work launched before the recording."""
    small_run(folder / "cut.json", 8000, cut=True)
    small_run(folder / "whole.json", 8000)
    answer = json.loads(run(program, folder / "cut.json", folder / "whole.json", "--format", "json")[1])
    check(answer["first_steps_left_out"] == [1, 0] and answer["steps_used"][0] == ["1", "2", "3", "4", "5"], f"{answer['steps_used']}")
    text = run(program, folder / "cut.json", folder / "whole.json")[1]
    check("A: steps 1 to 5. Step 0 is excluded, because the launches of 11.1 % of its GPU time are not in the trace" in text, text)
    kept = json.loads(run(program, folder / "cut.json", folder / "whole.json", "--steps-a", "0:", "--format", "json")[1])
    check(len(kept["steps_a"]) == 6, "requested steps are included")
    record = json.loads(run(program, folder / "cut.json", "--format", "json")[1])
    check(record["runs"][0]["first_left_out"] == 1 and len(record["runs"][0]["windows"]) == 5, "of a record, too")
    del record["runs"][0]["first_left_out"], record["runs"][0]["step_notes"]  # earlier versions did not write these
    (folder / "older.json").write_text(json.dumps(record))
    code, out, error = run(program, "--baseline", folder / "older.json", folder / "whole.json", "--fail-if", "step>+5%")
    check(code == 0 and "A: this record was stored by an earlier version" in out, f"a record of an earlier version: {out} {error}")
    one = run(program, folder / "cut.json", folder / "whole.json", "--steps-a", "1:2", "--steps-b", "1:2")[1]
    check("no test was possible" in one and " same" not in one, f"one step a side: {one}")
    # A change within the noise has no shares.
    check("of the change" not in text and "of A's step" in text, f"an insignificant change has no shares: {text}")


def run(program, *arguments):
    done = subprocess.run([program, "diff", "--no-cache", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def events_of(path):
    with gzip.open(path) as file:
        document = json.load(file)
    return document if isinstance(document, list) else document["traceEvents"]


def check_real_runs(program, folder, traces, data, check):
    """Checks an artificial slowdown, a run compared with itself, records and exit codes."""
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

    # A baseline and its trace give the same result.
    code, record, error = run(program, traces[0], "--format", "json")
    check(code == 0, f"a record is printed: {error}")
    (folder / "base.json").write_text(record)
    _, by_trace, _ = run(program, traces[0], traces[1], "--format", "json")
    _, by_record, _ = run(program, "--baseline", folder / "base.json", traces[1], "--format", "json")
    check(by_trace == by_record and by_trace, "a baseline replaces its trace")

    # Exit codes.
    check(run(program, traces[0])[0] == 1, "one run alone is only printed as JSON")
    check(run(program, traces[0], traces[1], "--fail-if", "step>>1")[0] == 1, "a malformed condition")
    check(run(program, folder / "none.json", traces[1])[0] == 1, "a missing file")
    (folder / "bad.json").write_text(record[: len(record) // 2])
    check(run(program, "--baseline", folder / "bad.json", traces[1])[0] == 1, "half a record")
    few = (traces[1], traces[0], "--steps-a", "0:2", "--steps-b", "0:2", "--fail-if", "step>+1%")
    check(run(program, *few)[0] == 0, "an undecided gate passes")
    check(run(program, *few, "--strict")[0] == 4, "with --strict, an undecided gate ends with 4")

    others = [data / "kineto/tracelens" / f"traces_{gpu}__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
              for gpu in ("h100", "mi300")]
    if all(path.exists() for path in others):
        code, out, _ = run(program, *others, "--fail-if", "step>+1%")
        check(code == 3 and "%)" not in out, f"other GPUs are not comparable: {code}\n{out}")
        check(run(program, *others, "--force")[0] == 0, "unless forced")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--kinetoscope", required=True)
    options.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data")
    options = options.parse_args()
    traces = [options.data / "kineto/kineto" / name for name in RUNS]
    program = options.kinetoscope
    failures = []

    def check(holds, what):
        if not holds:
            failures.append(what)

    with tempfile.TemporaryDirectory() as folder:
        check_runs(program, pathlib.Path(folder) / "made", check)
        if all(path.exists() for path in traces):
            check_real_runs(program, pathlib.Path(folder), traces, options.data, check)
        else:
            print("[left out for want of real files] an artificial slowdown is reported")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
