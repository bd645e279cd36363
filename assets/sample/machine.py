"""The simulated machine: events, CPU threads with their clocks, GPU streams and the allocator."""

import math
from contextlib import contextmanager

from kernels import KERNELS
from recording import AUTOGRAD, BF16, COMPUTE, COPY, MAIN, NCCL, SIZE, START_NS, TRACING_COST, WATCHDOG, jitter


class Machine:
    """All recorded events, in order of creation."""

    def __init__(self):
        self.cpu = []          # Slices of the threads and [memory] instants; they carry an Ev Idx.
        self.cuda = []         # Runtime calls and GPU work with their flows, ready to be written.
        self.gpu_ranges = []   # (annotation, {stream: [first start, last end]})
        self.forward_backward = []
        self.correlation = 88100
        self.python_id = 0
        self.ids_taken = 0
        self.streams = {COMPUTE: START_NS, COPY: START_NS, NCCL: START_NS}
        self.allocator = Allocator(self)
        self.main = Thread(self, MAIN)
        self.autograd = Thread(self, AUTOGRAD)
        self.watchdog = Thread(self, WATCHDOG)
        self.sequence = 5312
        self.collective_sequence = 411


class Thread:
    """A CPU thread: a clock, the stack of open slices, and a block of External ids, which the profiler assigns in blocks."""

    def __init__(self, machine, tid):
        self.machine, self.tid, self.now = machine, tid, START_NS
        self.open_ids, self.annotations, self.python_parents = [], [], []
        self.next_id = self.last_id = 0

    def spend(self, us):
        self.now += max(40, int(us * 1000 * TRACING_COST * jitter(0.75, 1.35)))

    def take_id(self):
        if self.next_id == self.last_id:
            self.next_id = self.machine.ids_taken + 1
            self.machine.ids_taken += 2048
            self.last_id = self.next_id + 2048
        self.next_id += 1
        return self.next_id - 1

    @contextmanager
    def slice(self, category, name, args, before, after):
        event = {"ph": "X", "cat": category, "name": name, "tid": self.tid, "ts": self.now, "args": args}
        self.machine.cpu.append(event)
        self.spend(before)
        yield event
        self.spend(after)
        event["dur"] = self.now - event["ts"]
        self.spend(0.35)

    @contextmanager
    def op(self, name, inputs=None, node=None, extra=None, before=1.6, after=0.9, category="cpu_op"):
        """A cpu_op. `inputs` are tensors, lists of tensors, texts of scalars or None; `node` an autograd node."""
        args = {"External id": self.take_id()}
        if node is not None:
            args |= {"Sequence number": node.sequence, "Fwd thread id": 0 if self.tid == MAIN else 1}
        args["Record function id"] = 0
        if extra:
            args |= extra
        if inputs is not None:
            args |= described(inputs)
        self.open_ids.append(args["External id"])
        with self.slice(category, name, args, before, after) as event:
            yield event
        self.open_ids.pop()

    def leaf(self, name, inputs=None, **how):
        with self.op(name, inputs, before=how.pop("cost", 0.8), after=0.2, **how):
            pass

    @contextmanager
    def annotation(self, name, inputs=None):
        """A user_annotation. Work launched inside becomes its range on the GPU."""
        spans = {}
        self.annotations.append(spans)
        with self.op(name, inputs, before=1.2, after=0.8, category="user_annotation") as event:
            yield event
        self.annotations.pop()
        self.machine.gpu_ranges.append((event, spans))

    @contextmanager
    def python(self, name, before=0.9, after=0.6, module=None):
        self.machine.python_id += 1
        args = {"Python parent id": self.python_parents[-1] if self.python_parents else None}
        if module is not None:
            args["Python module id"] = module
        args["Python id"] = self.machine.python_id
        self.python_parents.append(args["Python id"])
        with self.slice("python_function", name, args, before, after):
            yield
        self.python_parents.pop()

    def calls(self, *names):
        for name in names:
            with self.python(name, before=0.3, after=0.1):
                pass

    def runtime(self, name, cbid, cost, category="cuda_runtime"):
        """Adds a CUDA call and returns its event. Its GPU work has the same correlation id."""
        machine = self.machine
        machine.correlation += int(jitter(1, 9))
        args = {"External id": self.open_ids[-1]} if self.open_ids else {}
        args |= {"cbid": cbid, "correlation": machine.correlation}
        event = {"ph": "X", "cat": category, "name": name, "tid": self.tid, "ts": self.now, "args": args}
        self.spend(cost)
        event["dur"] = self.now - event["ts"]
        self.spend(0.3)
        machine.cuda.append(event)
        return event

    def gpu_work(self, call, event, us, stream, ready=0):
        """Queues `event` on a stream: it starts after its launch, after earlier work, and after `ready`. Returns its end."""
        machine = self.machine
        launched = call["ts"] + call["dur"] + int(jitter(900, 2600))
        start = max(launched, machine.streams[stream] + int(jitter(700, 1300)), ready)
        duration = max(736, int(us * 1000 * jitter(0.97, 1.04)))
        machine.streams[stream] = start + duration
        event |= {"ph": "X", "pid": 0, "tid": stream, "ts": start, "dur": duration}
        for spans in self.annotations:
            span = spans.setdefault(stream, [start, 0])
            span[1] = start + duration
        flow = {"ph": "s", "id": call["args"]["correlation"], "tid": self.tid, "ts": call["ts"], "cat": "ac2g"}
        machine.cuda += [event, flow | {"ph": "f", "pid": 0, "tid": stream, "ts": start}, flow]
        return start + duration

    def launch(self, key, us, grid, stream=COMPUTE, ready=0, extra=None):
        name, registers, shared, threads, occupancy = KERNELS[key]
        if key.startswith("gemm"):
            call = self.runtime("cuLaunchKernelEx", 652, 5.5, "cuda_driver")
        elif key == "all_reduce":
            call = self.runtime("cuLaunchKernelEx", 652, 9.0, "cuda_driver")
        else:
            call = self.runtime("cudaLaunchKernel", 211, 4.6)
        blocks = math.prod(grid)
        args = {"External id": call["args"].get("External id", 0), "queued": 0, "device": 0, "context": 1,
                "stream": stream, "correlation": call["args"]["correlation"], "registers per thread": registers,
                "shared memory": shared, "blocks per SM": Fixed(blocks / 132),
                "warps per SM": Fixed(blocks * threads / 32 / 132), "grid": list(grid), "block": [threads, 1, 1],
                "est. achieved occupancy %": occupancy if blocks >= 132 else occupancy * blocks // 132}
        return self.gpu_work(call, {"cat": "kernel", "name": name, "args": args | (extra or {})}, us, stream, ready)

    def copy(self, kind, size, gb_per_s, stream=COMPUTE):
        call = self.runtime("cudaMemcpyAsync", 41, 7.5)
        us = 1.1 + size / gb_per_s / 1e3
        return self.memory_work(call, "gpu_memcpy", f"Memcpy {kind}", size, us, stream)

    def memset(self, size, us):
        call = self.runtime("cudaMemsetAsync", 51, 4.2)
        return self.memory_work(call, "gpu_memset", "Memset (Device)", size, us, COMPUTE)

    def memory_work(self, call, category, name, size, us, stream):
        args = {"External id": call["args"]["External id"], "device": 0, "context": 1, "stream": stream,
                "correlation": call["args"]["correlation"], "bytes": size}
        event = {"cat": category, "name": name, "args": args}
        end = self.gpu_work(call, event, us, stream)
        args["memory bandwidth (GB/s)"] = size / event["dur"]
        return end

    def synchronize(self, until):
        call = self.runtime("cudaStreamSynchronize", 131, 2.0)
        if until + 4000 > call["ts"] + call["dur"]:
            call["dur"] = until + int(jitter(3000, 6000)) - call["ts"]
        self.now = call["ts"] + call["dur"] + 400


class Fixed(float):
    """Printed with six digits, like Kineto's figures per SM."""


class Allocator:
    """The caching allocator in its steady state: reuses blocks of equal size, the last freed first."""

    def __init__(self, machine):
        self.machine = machine
        self.free_blocks = {}
        self.end = 0x7F4A00000000
        self.allocated = self.host_allocated = 0
        self.reserved_event_args = []

    def reserve(self, size):
        size = (size + 511) // 512 * 512
        free = self.free_blocks.get(size)
        if free:
            return free.pop(), size
        self.end += size if size < 1 << 20 else (size + (2 << 20) - 1) >> 21 << 21
        return self.end - size, size

    def preload(self, size):
        """Allocates memory of the model and the optimizer, from before the trace began."""
        address, size = self.reserve(size)
        self.allocated += size

    def allocate(self, thread, size):
        address, size = self.reserve(size)
        self.allocated += size
        self.report(thread, address, size)
        return address, size

    def free(self, thread, block):
        address, size = block
        self.free_blocks.setdefault(size, []).append(address)
        self.allocated -= size
        self.report(thread, address, -size)

    def report(self, thread, address, size):
        args = {"Total Reserved": 0, "Total Allocated": self.allocated, "Bytes": size, "Addr": address,
                "Device Id": 0, "Device Type": 1}
        self.reserved_event_args.append(args)
        self.instant(thread, args)

    def host(self, thread, address, size):
        self.host_allocated += size
        self.instant(thread, {"Total Reserved": 0, "Total Allocated": self.host_allocated, "Bytes": size,
                              "Addr": address, "Device Id": -1, "Device Type": 0})

    def instant(self, thread, args):
        self.machine.cpu.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "tid": thread.tid,
                                 "ts": thread.now, "args": args})
        thread.spend(0.15)

    def close(self):
        """Sets the reserved memory of all events. It is constant in these steps, and known at the end."""
        reserved = (self.end - 0x7F4A00000000 + (20 << 20) - 1) // (20 << 20) * (20 << 20)
        for args in self.reserved_event_args:
            args["Total Reserved"] = reserved


class Tensor:
    """A shape, a type and a reference-counted block of memory, which views share."""

    def __init__(self, dims, dtype=BF16, block=None, strides=None):
        self.dims, self.dtype, self.block = list(dims), dtype, block
        if strides is None:
            strides, step = [], 1
            for dim in reversed(dims):
                strides.insert(0, step)
                step *= dim
        self.strides = list(strides)

    def view(self, dims, strides=None):
        return Tensor(dims, self.dtype, self.block, strides)

    def transposed(self):
        return self.view(self.dims[:-2] + self.dims[:-3:-1], self.strides[:-2] + self.strides[:-3:-1])

    def elements(self):
        return math.prod(self.dims)

    def size(self):
        return self.elements() * SIZE[self.dtype]


class Block:
    """A piece of the pool with its reference count."""

    def __init__(self, place):
        self.place, self.owners = place, 1


def described(inputs):
    dims, types, strides, concrete = [], [], [], []
    for value in inputs:
        if isinstance(value, Tensor):
            row = (value.dims, value.dtype, value.strides, "")
        elif isinstance(value, list):
            row = ([t.dims for t in value], "TensorList", [t.strides for t in value], "")
        elif value is None:
            row = ([], "", [], "")
        else:
            row = ([], "ScalarList" if value.startswith("[") else "Scalar", [], value)
        for column, cell in zip((dims, types, strides, concrete), row):
            column.append(cell)
    return {"Concrete Inputs": concrete, "Input type": types, "Input Strides": strides, "Input Dims": dims}
