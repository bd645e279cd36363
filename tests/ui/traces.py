"""Writes small traces for the UI test, in Kineto's form, with known slices at known times."""

import gzip
import json
import zlib

PID, THREAD, STREAM = 4242, 4242, 7


def us(time_ns):
    """Converts ns to microseconds that JSON prints with all digits."""
    return round(time_ns / 1000, 3)


def slice_event(name, start_ns, duration_ns, tid=THREAD, pid=PID, category="cpu_op", **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": us(start_ns), "dur": us(duration_ns),
            "args": args}


def kernel(name, start_ns, duration_ns, stream=STREAM, **args):
    return slice_event(name, start_ns, duration_ns, stream, 0, "kernel", device=0, stream=stream, **args)


def metadata(what, pid, tid=0, **args):
    return {"name": what, "ph": "M", "ts": 0, "pid": pid, "tid": tid, "args": args}


HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}}
NAMES = [metadata("process_name", PID, name="python"), metadata("process_labels", PID, labels="CPU"),
         metadata("process_name", 0, name="python"), metadata("process_labels", 0, labels="GPU 0"),
         metadata("thread_name", PID, THREAD, name="python"), metadata("thread_name", 0, STREAM, name="stream 7")]


def write(path, events, compressed=False, **head):
    text = json.dumps({**HEAD, **head, "traceEvents": NAMES + events, "traceName": path.name}, indent=1)
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    return path


SECOND = 1_000_000_000
LENGTH_NS = 10 * SECOND
# Kernels of the stream in order: two with equal names and a gap between them, and one of 1 ns in an idle range of 7.5 s.
FIRST_KERNEL = (1 * SECOND, SECOND // 2)
SECOND_KERNEL = (2 * SECOND, SECOND // 2)
LONE_KERNEL = (6_377_310_017, 1)


def landmarks(path):
    """Writes ten seconds: a thread with one slice that covers all and three nested ones, and the stream above."""
    events = [slice_event("whole", 0, LENGTH_NS),
              slice_event("aten::mm", 3 * SECOND, SECOND, shape="landmark argument"),
              slice_event("aten::addmm", 5 * SECOND, 2 * SECOND),
              slice_event("aten::add", 5 * SECOND + SECOND // 2, SECOND // 4),
              kernel("gemm_kernel", *FIRST_KERNEL, correlation=1), kernel("gemm_kernel", *SECOND_KERNEL, correlation=2),
              kernel("tiny_kernel", *LONE_KERNEL, correlation=3)]
    return write(path, events)


LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def idle_causes(path):
    """Writes a second in which the GPU waits for the data loader, and for late launches. The stream has annotations: of
    a step, of two kernels, and of the collective alone."""
    ms = 1_000_000
    launch = lambda start_ns, correlation: slice_event("cudaLaunchKernel", start_ns, ms, category="cuda_runtime",
                                                       correlation=correlation)
    annotate = lambda name, start_ns, duration_ns: slice_event(name, start_ns, duration_ns, STREAM, 0,
                                                               "gpu_user_annotation")
    events = [launch(10 * ms, 1), kernel("gemm_kernel", 20 * ms, 80 * ms, correlation=1),
              slice_event(LOADER, 100 * ms, 400 * ms), slice_event("aten::late", 500 * ms, 190 * ms),
              launch(700 * ms, 2), kernel("gemm_kernel", 720 * ms, 80 * ms, correlation=2),
              launch(701 * ms, 3), kernel("ncclDevKernel_AllReduce", 800 * ms, 180 * ms, correlation=3),
              slice_event("aten::last", 980 * ms, 20 * ms),
              annotate("ProfilerStep#1", 20 * ms, 960 * ms), annotate("forward", 20 * ms, 780 * ms),
              annotate("reduce_gradients", 800 * ms, 180 * ms)]
    return write(path, events)


def loader_steps(path, loads_ns):
    """Writes steps of one second. Each waits for the data loader for `loads_ns`, then one kernel runs to its end."""
    events = []
    for number, load_ns in enumerate(loads_ns):
        begin = number * SECOND
        launch = begin + load_ns
        events += [slice_event(f"ProfilerStep#{number}", begin, SECOND, category="user_annotation"),
                   slice_event(LOADER, begin, load_ns),
                   slice_event("cudaLaunchKernel", launch, 5_000, category="cuda_runtime", correlation=number + 1),
                   kernel("gemm_kernel", launch, begin + SECOND - launch, correlation=number + 1)]
    return write(path, events)


def many_threads(path, threads=80):
    """Writes more threads than the window can show without scrolling."""
    events = [slice_event(f"work {tid}", tid * 1_000_000, 50_000_000, tid) for tid in range(1, threads + 1)]
    return write(path, events)


def graph(path, streams=40, replays=3):
    """Writes a CUDA graph that is replayed on many streams: kernels, collectives of two groups, copies. Also writes two
    busy threads, of which the first one launches, and twelve threads that are almost idle."""
    events = [slice_event("work", 0, SECOND), slice_event("loader", 0, SECOND // 2, 77)]
    events += [slice_event("blink", 1000, 10, 200 + i) for i in range(12)]
    for replay in range(replays):
        start = replay * SECOND // replays
        events.append(slice_event("cudaGraphLaunch", start + 1000, 5000, category="cuda_runtime", correlation=replay + 1))
        for i in range(streams):
            time, args = start + 10_000 + i * 1_000_000, {"correlation": replay + 1}
            events.append(kernel("gemm_kernel", time, 900_000, 20 + i, **args))
            if i % 8 == 0:
                events.append(kernel("ncclDevKernel_AllReduce_Sum", time, 950_000, 20 + i,
                                     **args, **{"Process Group Description": "tp" if i % 16 else "dp"}))
        events.append(slice_event("Memcpy DtoD", start + 20_000, 10_000, 21, 0, "gpu_memcpy"))
    return write(path, events)


def busy(path, slices=20_000, compressed=False):
    """Writes one second of short kernels, for damage and for cells of merged slices."""
    step = SECOND // slices
    return write(path, [kernel(f"kernel_{i % 17}", i * step, step // 2) for i in range(slices)], compressed)


def cut(path, whole):
    """Writes the first half of a file."""
    data = whole.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    return path


def huge(path, megabytes):
    """Quickly writes a gzip file that takes seconds to read: one member, repeated."""
    block = "".join(json.dumps(kernel(f"kernel_{i % 50}", i * 1000, 900)) + ",\n" for i in range(40_000)).encode()

    def member(data):
        deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
        return deflate.compress(data) + deflate.flush()
    middle = member(block)
    with open(path, "wb") as file:
        file.write(member(b'{"schemaVersion": 1, "traceEvents": [\n'))
        for _ in range(megabytes * 1_000_000 // len(block) + 1):
            file.write(middle)
        file.write(member(b"{}]}\n"))
    return path


def growing(path, megabytes):
    """Writes a gzip file that takes seconds to read: known kernels, then text without kernels, then known kernels."""
    def member(text):
        deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
        return deflate.compress(text.encode()) + deflate.flush()

    def kernels(first, last):
        return ",\n".join(json.dumps(kernel(f"kernel_{i % 7}", i * SECOND // 1000, SECOND // 1250))
                          for i in range(first, last)) + ",\n"
    filler = {"ph": "i", "name": "filler", "pid": 0, "tid": STREAM, "ts": us(SECOND // 2), "args": {"text": "x" * 50_000}}
    block = member((json.dumps(filler) + ",\n") * 160)
    names = "".join(json.dumps(name) + ",\n" for name in NAMES)
    with open(path, "wb") as file:
        file.write(member('{"schemaVersion": 1, "traceEvents": [\n' + names + kernels(0, 1000)))
        for _ in range(megabytes // 8 + 1):
            file.write(block)
        file.write(member(kernels(1000, 2000) + "{}]}\n"))
    return path


def job(folder, ranks=4, late=2, steps=3, world=None, named="rank{0}.json", stages=1):
    """Writes a job with eight all-reduces per step, about 1 ms apart. Rank `late` is 400 us late to each. With several stages,
    neighboring ranks are one stage, and the last all-reduce of a step belongs to the pipeline's groups."""
    folder.mkdir(exist_ok=True)
    world = world or ranks
    files = []
    for rank in range(ranks):
        events = []
        each_stage = ranks // stages
        groups = [("0", "default_pg", list(range(world))),
                  ("1", "PIPELINE_MODEL_PARALLEL_GROUP", list(range(rank % each_stage, ranks, each_stage)))][:stages]
        for step in range(steps):
            base = step * 10_000_000
            events.append(slice_event(f"ProfilerStep#{step + 5}", base, 9_500_000, category="user_annotation"))
            for i in range(8):
                # Uneven distances, so that no shifted matching of the collectives fits.
                begin = base + 500_000 + i * 1_000_000 + (step * 8 + i) ** 2 % 11 * 9_000
                start = begin + (400_000 if rank == late else 7_000 * rank)
                number = step * 8 + i + 1
                name, description, members = groups[-1 if i == 7 else 0]
                events.append(slice_event("cudaLaunchKernel", begin - 200_000, 5000, category="cuda_runtime",
                                          correlation=number))
                events.append(kernel("gemm_kernel", begin - 150_000, start - begin + 140_000, 7))
                events.append(kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, begin + 450_000 - start, 20,
                                     correlation=number, **{
                                         "Collective name": "allreduce", "In msg nelems": 1_000_000,
                                         "Out msg nelems": 1_000_000, "Group size": len(members), "dtype": "Float",
                                         "Process Group Name": name, "Process Group Description": description,
                                         "Process Group Ranks": str(members)}))
        config = [{"pg_name": name, "pg_desc": description, "ranks": members} for name, description, members in groups]
        head = {**HEAD, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world, "pg_config": config}}
        path = folder / named.format(rank)
        path.write_text(json.dumps({**head, "traceEvents": NAMES + events, "traceName": path.name}))
        files.append(path)
    return files


def pipeline(folder, batches=4):
    """Writes two stages of a pipeline: rank 0 sends `batches` chunks of 2 ms forward, and rank 1 sends them back. Memory
    grows with each chunk."""
    folder.mkdir(exist_ok=True)
    millisecond = 1_000_000
    names = [metadata("process_name", PID, name="python"), metadata("process_labels", PID, labels="CPU")]
    for rank in range(2):
        events = [slice_event("ProfilerStep#5", 0, 60 * millisecond, category="user_annotation")]
        number = 0

        def launch(name, start, length, stream, **arguments):
            nonlocal number
            number += 1
            events.append(slice_event("cudaLaunchKernel", start - 5000, 2000, category="cuda_runtime", correlation=number))
            events.append(kernel(name, start, length, stream, correlation=number, **arguments))

        def message(start, length, forward):
            sends = forward == (rank == 0)
            launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", start, length, 20, **{
                "Collective name": "send" if sends else "recv", "In msg nelems": 1000, "Out msg nelems": 1000,
                "Group size": 2, "dtype": "Float", "Process Group Name": "1", "Process Group Description": "pp",
                "Process Group Ranks": "[0, 1]", "Dst Rank" if sends else "Src Rank": 1 - rank})
        for i in range(batches):
            there = (1 + 2 * i) * millisecond
            back = (20 + 3 * i) * millisecond
            # The receiver arrives before the sender.
            launch("gemm_forward", there + rank * 2 * millisecond, 1_800_000, 7)
            message(there + 1_820_000 - rank * 400_000, 40_000 + rank * 400_000, True)
            launch("gemm_backward", back + (1 - rank) * 3 * millisecond, 2_700_000, 7)
            message(back + 2_720_000 - (1 - rank) * 400_000, 40_000 + (1 - rank) * 400_000, False)
            events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": PID, "tid": THREAD,
                           "ts": us(there), "args": {"Device Type": 1, "Device Id": 0, "Addr": 4096 * (i + 1), "Bytes": 1000,
                                                     "Total Allocated": (i + 1) * 1000 + rank * 500, "Total Reserved": 9000}})
        head = {**HEAD, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2,
                                            "pg_config": [{"pg_name": "1", "pg_desc": "pp", "ranks": [0, 1]}]}}
        (folder / f"rank{rank}.json").write_text(json.dumps({**head, "traceEvents": names + events}))
    return folder
