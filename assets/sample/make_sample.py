#!/usr/bin/env python3
"""Writes sample.pt.trace.json.gz, the trace that Kinetoscope opens without arguments.

    python3 assets/sample/make_sample.py [OUT.json.gz]

The trace is made up, not recorded: four training steps of an eight-layer GPT (383 M parameters, bfloat16, 8 x 1024
tokens) under DistributedDataParallel on two H100, as rank 0 sees them. It is laid out as Kineto writes it for
PyTorch 2.6 with record_shapes, profile_memory and with_stack: the same fields in the same order, times in
decimal microseconds relative to baseTimeNanoseconds.

A small simulation makes it consistent (training.py, with operators.py, kernels.py and machine.py); this file writes
it. Each CPU thread has a clock that its slices advance, so they nest. Each GPU stream runs its kernels one after
another, never before their launch or the events that they wait for. An allocator keeps the totals of the [memory]
events. The output does not depend on time or machine, and its bytes are equal everywhere.

It contains two problems to find:
  - ProfilerStep#11 starts late on the GPU: the data loader reads a shard from a cold disk (_read_shard).
  - In ProfilerStep#13 one all-reduce waits 11 ms for the other rank, and the optimizer waits for it.
"""

import gzip
import json
import os
import sys

from machine import Fixed
from recording import AUTOGRAD, BASE_NS, COMPUTE, COPY, MAIN, NCCL, PID, START_NS, WATCHDOG
from training import Training


def microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def written(value):
    return f"{value:.6f}" if isinstance(value, Fixed) else json.dumps(value)


def arguments(args, separator=", "):
    """Formats an event like Kineto, which omits the space after External id and indents CUDA's fields in the line."""
    cells = [f'"{key}": {written(value)}' for key, value in args.items()]
    if cells and cells[0].startswith('"External id"') and len(cells) > 1:
        cells = [cells[0] + "," + ("      " if separator != ", " else "") + cells[1]] + cells[2:]
    return ", ".join(cells)


def complete(event, pid, separator=", "):
    head = (f'    "ph": "X", "cat": "{event["cat"]}", "name": {json.dumps(event["name"])}, "pid": {pid}, '
            f'"tid": {event["tid"]},\n    "ts": {microseconds(event["ts"])}, "dur": {microseconds(event["dur"])}')
    return f'{head},\n    "args": {{\n      {arguments(event["args"], separator)}\n    }}\n'


def instant(event):
    return (f'    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",\n    "pid": {PID}, '
            f'"tid": {event["tid"]},\n    "ts": {microseconds(event["ts"])},\n    "args": {{\n      '
            f'{arguments(event["args"])}\n    }}\n')


def flow(phase, number, pid, tid, ts, category):
    end = ', "bp": "e"' if phase == "f" else ""
    return (f'    "ph": "{phase}", "id": {number}, "pid": {pid}, "tid": {tid}, "ts": {microseconds(ts)},\n'
            f'    "cat": "{category}", "name": "{category}"{end}\n')


def metadata(name, pid, tid, key, value):
    return (f'    "name": "{name}", "ph": "M", "ts": {microseconds(START_NS)}, "pid": {pid}, "tid": {tid},\n'
            f'    "args": {{\n      "{key}": {json.dumps(value)}\n    }}\n')


def cpu_records(machine):
    flows = {}
    for number, (forward, backward) in enumerate(machine.forward_backward, 1):
        flows[id(forward)] = flow("s", number, PID, forward["tid"], forward["ts"], "fwdbwd")
        flows[id(backward)] = flow("f", number, PID, backward["tid"], backward["ts"], "fwdbwd")
    order = {AUTOGRAD: 0, MAIN: 1}
    events = sorted(machine.cpu, key=lambda e: (order[e["tid"]], e["ph"] == "i", e["cat"] == "python_function", e["ts"]))
    for index, event in enumerate(events):
        event["args"]["Ev Idx"] = index
        yield instant(event) if event["ph"] == "i" else complete(event, PID)
        if id(event) in flows:
            yield flows[id(event)]


def cuda_records(machine):
    for event in machine.cuda:
        if event["ph"] == "X":
            yield complete(event, event.get("pid", PID), "cuda")
        else:
            yield flow(event["ph"], event["id"], event.get("pid", PID), event["tid"], event["ts"], "ac2g")
    for annotation, spans in machine.gpu_ranges:
        for stream, (start, end) in spans.items():
            yield complete({"cat": "gpu_user_annotation", "name": annotation["name"], "tid": stream, "ts": start,
                            "dur": end - start, "args": {"External id": annotation["args"]["External id"]}}, 0)


def metadata_records():
    for pid, name, label, index in [(PID, "python3.12", "CPU", PID), (0, "python3.12", "GPU 0", 5000000),
                                    (1, "python3.12", "GPU 1", 5000001)]:
        yield metadata("process_name", pid, 0, "name", name)
        yield metadata("process_labels", pid, 0, "labels", label)
        yield metadata("process_sort_index", pid, 0, "sort_index", index)
    for stream in (COMPUTE, NCCL, COPY):
        yield metadata("thread_name", 0, stream, "name", f"stream {stream} ")
        yield metadata("thread_sort_index", 0, stream, "sort_index", stream)
    for tid, name in ((MAIN, "python3.12"), (AUTOGRAD, "pt_autograd_0"), (WATCHDOG, "pt_nccl_watchdg")):
        yield metadata("thread_name", PID, tid, "name", f"thread {tid} ({name})")
        yield metadata("thread_sort_index", PID, tid, "sort_index", tid)


def closing_records(end):
    start = microseconds(START_NS)
    yield (f'    "ph": "X", "cat": "Trace", "ts": {start}, "dur": {microseconds(end - START_NS)},\n    "pid": "Spans", '
           '"tid": "PyTorch Profiler",\n    "name": "PyTorch Profiler (0)",\n    "args": {\n      "Op count": 0\n    }\n')
    yield (f'    "name": "process_sort_index", "ph": "M", "ts": {start},\n    "pid": "Spans", "tid": 0,\n'
           '    "args": {\n      "sort_index": 536870912\n    }\n')
    yield (f'    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",\n    "pid": "Traces", '
           f'"tid": "Trace PyTorch Profiler", "ts": {start}\n')
    yield (f'    "name": "Record Window End", "ph": "i", "s": "g",\n    "pid": "", "tid": "", '
           f'"ts": {microseconds(end + 1_250_000)}\n')


def header():
    device = ('    {{\n      "id": {}, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929347584,\n'
              '      "computeMajor": 9, "computeMinor": 0,\n'
              '      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,\n'
              '      "regsPerBlock": 65536, "warpSize": 32,\n      "sharedMemPerBlock": 49152, "numSms": 132\n'
              '    , "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448, '
              '"sharedMemPerMultiprocessor": 233472\n    }}')
    group = {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}
    distributed = {"backend": "nccl", "rank": 0, "world_size": 2, "pg_count": 1, "pg_config": [group],
                   "nccl_version": "2.21.5"}
    return ('\n  {\n    "schemaVersion": 1,\n    "deviceProperties": [\n'
            + ",\n".join(device.format(k) for k in range(2)) + '\n    ],\n'
            '      "cupti_version": 22,\n      "cuda_runtime_version": 12040,\n      "cuda_driver_version": 12040,\n'
            f'      "distributedInfo": {json.dumps(distributed)},\n'
            '      "with_flops": 0,\n      "record_shapes": 1,\n      "with_stack": 1,\n      "profile_memory": 1,\n'
            '      "with_modules": 0,\n      "trace_id": "5D1C0B7E6A2F4F5E9C1384E0B7A29D36",\n'
            f'  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": {BASE_NS},\n  "traceEvents": [\n  {{\n')


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "sample.pt.trace.json.gz")
    training = Training().run()
    machine = training.machine
    records = [*cpu_records(machine), *cuda_records(machine), *metadata_records(), *closing_records(training.end)]
    text = (header() + "  },\n  {\n".join(records)
            + '  }\n  ],\n  "traceName": "./traces/node0_41207.1773309762310442118.pt.trace.json"\n}\n').encode()
    # No name and no time in the gzip header, so that equal traces are equal files.
    with open(path, "wb") as out, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(text)
    print(f"{path}: {len(records)} events, {len(text)} bytes, {os.path.getsize(path)} compressed")


if __name__ == "__main__":
    main()
