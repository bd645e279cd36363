#!/usr/bin/env python3
"""Writes sample.pt.trace.json.gz, the trace that Kinetoscope opens when it is given none.

    python3 assets/sample/make_sample.py [OUT.json.gz]

The trace is made up, not recorded: four training steps of a eight-layer GPT (383 M parameters, bfloat16, 8 x 1024
tokens) under DistributedDataParallel on two H100, as rank 0 sees them. It is laid out as Kineto writes it for
PyTorch 2.6 with record_shapes, profile_memory and with_stack: the same fields in the same order, times in
decimal microseconds relative to baseTimeNanoseconds.

A small simulation makes it consistent. Each CPU thread has a clock that its slices move forward, so they nest; each
GPU stream runs its kernels one after another, never before their launch or the events they wait for; an allocator
keeps the running totals of the [memory] events. Nothing is drawn from the clock or the machine: the output is
the same bytes everywhere.

Two things in it are worth finding:
  - ProfilerStep#11 starts late on the GPU: the data loader reads a shard from a cold disk (_read_shard).
  - In ProfilerStep#13 one all-reduce waits 11 ms for the other rank, and the optimizer waits for it.
"""

import gzip
import json
import math
import os
import random
import sys
from contextlib import contextmanager, nullcontext

PID = 41207
MAIN, AUTOGRAD, WATCHDOG = 41207, 41466, 41590
COMPUTE, COPY, NCCL = 7, 20, 16
BASE_NS = 1767189312000000000
START_NS = 6120450310442118
STEPS = (10, 11, 12, 13)
SLOW_STEP, LATE_STEP, LATE_BUCKET = 11, 13, 7

BATCH, TOKENS, WIDTH, HEADS, LAYERS, VOCAB = 8, 1024, 1536, 12, 8, 50304
ROWS = BATCH * TOKENS
BUCKET_BYTES = 25 << 20
TRACING_COST = 3.2  # The costs below are those of a plain run; stacks, shapes and memory events slow it down.
SIZE = {"c10::BFloat16": 2, "float": 4, "long int": 8, "unsigned char": 1}
BF16 = "c10::BFloat16"

_rng = random.Random(20260312)


def jitter(low, high):
    return low + (high - low) * _rng.random()


# ---- Kernels: (name, registers, shared memory, threads a block, achieved occupancy %) -----------------------------

def elementwise(functor, arrays, width=8, registers=32):
    array = f"std::array<char*, {arrays}ul>"
    return (f"void at::native::vectorized_elementwise_kernel<{width}, {functor}, {array} >(int, {functor}, {array})",
            registers, 0, 128, 100)


def multi_tensor(depth, functor, op, registers=32, tail=""):
    meta = f"at::native::(anonymous namespace)::TensorListMetadata<{depth}>"
    functor = f"at::native::(anonymous namespace)::{functor}"
    tail = tail or (f", {op}" if op else "")
    return (f"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<{meta}, {functor}{tail} >"
            f"({meta}, {functor}{tail})", registers, 0, 512, 100)


def gemm(layout, tile):
    return (f"sm90_xmma_gemm_bf16bf16_bf16f32_f32_{layout}_n_tilesize{tile}_warpgroupsize1x1x1"
            "_execute_segment_k_off_kernel__5x_cublas", 168, 231424, 384, 0)


_FWD_TRAITS = ("pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
               "pytorch_flash::Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >")
_BWD_TRAITS = ("pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t, "
               "pytorch_flash::Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> >")
_GELU = "at::native::Gelu{}CUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{{lambda()#2}}::operator()() " \
        "const::{{lambda()#4}}::operator()() const::{{lambda(c10::BFloat16{})#1}}"
_COPY = "at::native::{}(at::TensorIteratorBase&)::{{lambda({})#1}}"
_ANON = "at::native::(anonymous namespace)::"

KERNELS = {
    "add": elementwise("at::native::CUDAFunctor_add<c10::BFloat16>", 3, registers=34),
    "fill": elementwise("at::native::FillFunctor<float>", 1, width=4, registers=16),
    "fill_bf16": elementwise("at::native::FillFunctor<c10::BFloat16>", 1, registers=16),
    "mul": elementwise("at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                       "at::native::binary_internal::MulFunctor<float> >", 2),
    "clamp": elementwise("at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, "
                         "c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::"
                         "{lambda()#7}::operator()() const::{lambda(float)#1}", 2, width=4),
    "arange": (f"void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar "
               "const&, c10::Scalar const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}"
               "::operator()() const::{lambda(long)#1}>(int, at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar "
               "const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
               "const::{lambda(long)#1}, function_traits<at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar "
               "const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
               "const::{lambda(long)#1}>::result_type*)", 16, 0, 64, 1),
    "gelu": elementwise(_GELU.format("", ""), 2, registers=30),
    "gelu_backward": elementwise(_GELU.format("Backward", ", c10::BFloat16"), 3, registers=38),
    "to_float": elementwise(_COPY.format("direct_copy_kernel_cuda", "float"), 2, width=4),
    "to_bf16": elementwise(_COPY.format("bfloat16_copy_kernel_cuda", "float"), 2),
    "gather": ("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)",
               32, 0, 128, 97),
    "layer_norm": (f"void {_ANON}vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, "
                   "c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)", 36, 24, 128, 100),
    "layer_norm_backward": (f"void {_ANON}layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 "
                            "const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, "
                            "c10::BFloat16*, int)", 32, 16, 128, 100),
    "gamma_beta": (f"void {_ANON}GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 32u, 256u, false, true>"
                   "(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
                   "c10::BFloat16*, c10::BFloat16*)", 32, 8448, 1024, 24),
    "gemm_tn": gemm("tn", "128x128x64"),
    "gemm_nn": gemm("nn", "128x256x64"),
    "gemm_nt": gemm("nt", "128x256x64"),
    "flash": (f"void pytorch_flash::flash_fwd_kernel<{_FWD_TRAITS}, false, true, false, false, true, true, false>"
              "(pytorch_flash::Flash_fwd_params)", 255, 65536, 128, 12),
    "flash_dot": (f"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, {_BWD_TRAITS} >(pytorch_flash::Flash_bwd_params)",
                  50, 0, 256, 50),
    "flash_backward": (f"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<{_BWD_TRAITS}, false, true, "
                       "false, false, true, true, false>(pytorch_flash::Flash_bwd_params)", 255, 147456, 256, 12),
    "flash_convert": (f"void pytorch_flash::flash_bwd_convert_dq_kernel<{_BWD_TRAITS} >(pytorch_flash::Flash_bwd_params, "
                      "int)", 69, 16384, 256, 37),
    "cat": (f"void {_ANON}CatArrayBatchedCopy_aligned16_contig<{_ANON}OpaqueType<2u>, unsigned int, 4, 64, 64>"
            f"({_ANON}OpaqueType<2u>*, {_ANON}CatArrInputTensorMetadata<{_ANON}OpaqueType<2u>, unsigned int, 64, 64>, "
            f"{_ANON}TensorSizeStride<unsigned int, 4u>, int, unsigned int)", 48, 0, 128, 62),
    "sum": ("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t"
            "<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()"
            "(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp"
            "<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
            "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, "
            "4>)", 40, 4112, 512, 72),
    "norm": ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float, "
             "float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, "
             "unsigned int, float, 4>)", 32, 16, 64, 1),
    "log_softmax": ("void (anonymous namespace)::cunn_SoftMaxForwardSmem<4, float, float, float, "
                    f"{_ANON}LogSoftMaxForwardEpilogue, long>(float*, float const*, long)", 32, 205312, 1024, 50),
    "log_softmax_backward": (f"void {_ANON}cunn_SoftMaxBackwardSmem<4, float, float, float, "
                             f"{_ANON}LogSoftMaxBackwardEpilogue>(float*, float const*, float const*, long)",
                             27, 205344, 1024, 50),
    "nll": (f"void {_ANON}nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long "
            "const*, float const*, bool, long, long, long, long)", 32, 8192, 1024, 0),
    "nll_backward": (f"void {_ANON}nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*, float const*, long const*, "
                     "float const*, float const*, bool, int, int, long, long)", 32, 0, 1024, 0),
    "embedding_sort": ("void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::DeviceRadixSortPolicy"
                       "<long, long, int>::Policy900, false, long, long, int, int, int, "
                       "at_cuda_detail::cub::detail::identity_decomposer_t>(int*, int*, int*, int const*, long*, long const*, "
                       "long*, long const*, int, int, int, at_cuda_detail::cub::detail::identity_decomposer_t)",
                       64, 48128, 384, 18),
    "embedding_backward": (f"void {_ANON}sum_and_scatter<c10::BFloat16, long>(long const*, c10::BFloat16*, long, long "
                           "const*, float const*, long const*, long const*, long, long)", 32, 0, 64, 50),
    "foreach_add": multi_tensor(1, "BinaryOpScalarFunctor<float, 1, 1, 0>", "std::plus<float>, float"),
    "foreach_mul": multi_tensor(1, "BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>", "std::multiplies<float>, float"),
    "foreach_mul_tensor": multi_tensor(1, "BinaryOpScalarTensorFunctor<c10::BFloat16, 1, 1, 0>",
                                       "std::multiplies<float>, float*, float"),
    "foreach_lerp": multi_tensor(2, "TernaryOpScalarFunctor<c10::BFloat16, 2, 2, 0>",
                                 "at::native::LerpFunctor<float>, float", registers=40),
    "foreach_addcmul": multi_tensor(3, "PointwiseOpScalarFunctor<c10::BFloat16, 3, 3, 0>",
                                    "std::multiplies<float>, float", registers=48),
    "foreach_addcdiv": multi_tensor(3, "PointwiseOpScalarFunctor<c10::BFloat16, 3, 3, 0>",
                                    "std::divides<float>, float", registers=48),
    "foreach_sqrt": multi_tensor(2, "UnaryOpFunctor<c10::BFloat16, 2, 1, 1>", "at::native::Sqrt<float>"),
    "foreach_div": multi_tensor(1, "BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>", "std::divides<float>, float"),
    "foreach_norm": multi_tensor(1, "LpNormFunctor<c10::BFloat16, (at::native::NormType)1, float, 1, 1, 0>",
                                 "float*, int"),
    "norm_cleanup": ("void at::native::lpnorm_cleanup<c10::BFloat16, (at::native::NormType)1, c10::BFloat16, float>(float "
                     "const*, at::native::TensorListAddresses, int)", 16, 2048, 512, 20),
    "all_reduce": ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 96, 82240, 544, 0),
}


# ---- The machine: events, threads, streams, allocator --------------------------------------------------------------

class Machine:
    """Everything that is recorded, in the order of its making."""

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
    """A CPU thread: a clock, the stack of open slices, and a block of External ids as the profiler hands them out."""

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
        """A user_annotation; what is launched inside becomes its range on the GPU."""
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
        """A CUDA call; returns its event, whose correlation its GPU work shares."""
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
        """Queues `event` on a stream: after its launch, its turn, and `ready`. Returns when it ends."""
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
    """Written with six digits, as Kineto writes its per-SM figures."""


class Allocator:
    """The caching allocator in its steady state: blocks of one size are reused, the last freed first."""

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
        """What the model and the optimizer own since before the trace began."""
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
        """The pool no longer grows in these steps, so its size is one number, known at the end."""
        reserved = (self.end - 0x7F4A00000000 + (20 << 20) - 1) // (20 << 20) * (20 << 20)
        for args in self.reserved_event_args:
            args["Total Reserved"] = reserved


class Tensor:
    """Shape, type and a counted block of memory; a view shares the block."""

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
    """A piece of the pool and how many hold on to it."""

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


# ---- Operators -------------------------------------------------------------------------------------------------------

class Node:
    """What the forward pass leaves behind for the backward pass."""

    def __init__(self, name, sequence, forward, run, saved, params):
        self.name, self.sequence, self.forward, self.run = name, sequence, forward, run
        self.saved, self.params = saved, params


class Ops:
    """The operators of the model, forward on the main thread, their gradients on autograd's."""

    def __init__(self, machine):
        self.machine, self.thread, self.tape = machine, machine.main, []
        self.grad, self.residuals, self.split_grads = None, [], None
        self.bucket_bytes = self.bucket_index = 0
        self.step = STEPS[0]

    # Memory.
    def new(self, dims, dtype=BF16, traced=True, op="aten::empty"):
        thread = self.thread
        text = str(list(dims))
        inside = thread.op(op, [text, "15" if dtype == BF16 else "6", "0", None, "False", None], before=1.0, after=0.4)
        with inside if traced else nullcontext():
            tensor = Tensor(dims, dtype)
            tensor.block = Block(self.machine.allocator.allocate(thread, max(512, tensor.size())))
        return tensor

    def hold(self, *tensors):
        for tensor in tensors:
            tensor.block.owners += 1

    def drop(self, *tensors):
        for tensor in tensors:
            if tensor.block is None:
                continue
            tensor.block.owners -= 1
            if tensor.block.owners == 0:
                self.machine.allocator.free(self.thread, tensor.block.place)

    def replace_grad(self, grad):
        old, self.grad = self.grad, grad
        self.drop(old)

    # Bookkeeping of autograd.
    @contextmanager
    def recorded(self, name, inputs, backward, run, saved=(), params=(), **how):
        self.machine.sequence += 1
        node = Node(backward, self.machine.sequence, None, run, list(saved), params)
        self.hold(*saved)
        with self.thread.op(name, inputs, node=node, **how) as event:
            node.forward = event
            yield event
        self.tape.append(node)

    def elementwise(self, key, tensor, passes, divisor=8):
        """Launches a kernel that touches `passes` times the tensor's bytes, at 2.6 TB/s."""
        us = 1.2 + passes * tensor.size() / 2.6e6
        self.thread.launch(key, us, (max(1, tensor.elements() // (128 * divisor)), 1, 1))

    def transpose_chain(self, weight):
        with self.thread.op("aten::t", [weight], before=1.0):
            with self.thread.op("aten::transpose", [weight, "0", "1"], before=0.9):
                transposed = weight.transposed()
                self.thread.leaf("aten::as_strided", [weight, str(transposed.dims), str(transposed.strides), None], cost=0.5)
        return transposed

    def view(self, tensor, dims, recorded=True):
        if not recorded:
            self.thread.leaf("aten::view", [tensor, str(dims)], cost=0.7)
        else:
            def backward(ops, original=tensor.dims):
                with ops.thread.op("aten::reshape", [ops.grad, str(original)], before=0.9):
                    ops.thread.leaf("aten::view", [ops.grad, str(original)], cost=0.7)
                ops.grad = ops.grad.view(original)
            with self.recorded("aten::view", [tensor, str(dims)], "ViewBackward0", backward, before=0.8, after=0.3):
                pass
        return tensor.view(dims)

    def matmul_us(self, m, n, k):
        return 3.0 + 2.0 * m * n * k / 6.3e8

    def linear(self, x, out_features, params, bias=True):
        thread, in_features = self.thread, x.dims[-1]
        weight = Tensor([out_features, in_features], block=None)
        offset = Tensor([out_features], block=None)
        with thread.op("aten::linear", [x, weight, offset if bias else None], before=1.4):
            def t_backward(ops):
                with ops.thread.op("aten::t", [weight.transposed()], before=0.9):
                    with ops.thread.op("aten::transpose", [weight.transposed(), "0", "1"], before=0.8):
                        ops.thread.leaf("aten::as_strided", [weight, str(weight.dims), str(weight.strides), None], cost=0.4)
            with self.recorded("aten::t", [weight], "TBackward0", t_backward, params=[params[0]], before=1.0):
                with thread.op("aten::transpose", [weight, "0", "1"], before=0.9):
                    thread.leaf("aten::as_strided", [weight, str([in_features, out_features]), f"[1, {in_features}]", None],
                                cost=0.5)
            flat = self.view(x, [ROWS, in_features])
            transposed = weight.transposed()

            def matmul_backward(ops):
                grad = ops.grad
                thread = ops.thread
                ops.transpose_chain(weight)
                with thread.op("aten::mm", [grad, weight], before=2.6):
                    grad_input = ops.new([ROWS, in_features], traced=False)
                    thread.memset(4, 0.9)
                    thread.launch("gemm_nn", ops.matmul_us(ROWS, in_features, out_features),
                                  (132, 1, 1))
                ops.transpose_chain(flat)
                with thread.op("aten::mm", [grad.transposed(), flat], before=2.4):
                    grad_weight = ops.new([out_features, in_features], traced=False)
                    thread.launch("gemm_nt", ops.matmul_us(ROWS, in_features, out_features), (132, 1, 1))
                params[0].grad = grad_weight
                if bias:
                    with thread.op("aten::sum", [grad, "[0]", "True", None], before=2.2):
                        params[1].grad = ops.new([1, out_features], traced=False)
                        thread.launch("sum", 2 + grad.size() / 2.3e6, (out_features // 128, 8, 1))
                    thread.leaf("aten::view", [params[1].grad, f"[{out_features}]"], cost=0.7)
                ops.replace_grad(grad_input)
            name, inputs = ("aten::addmm", [offset, flat, transposed, "1", "1"]) if bias else ("aten::mm", [flat, transposed])
            with self.recorded(name, inputs, "AddmmBackward0" if bias else "MmBackward0", matmul_backward, saved=[x],
                               params=[params[1]] if bias else [], before=2.8):
                out = self.new([ROWS, out_features], traced=False)
                thread.runtime("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 251, 0.6)
                thread.launch("gemm_tn", self.matmul_us(ROWS, in_features, out_features), (132, 1, 1))
            return self.view(out, x.dims[:-1] + [out_features])

    def layer_norm(self, x, params, joins_residual):
        gain = Tensor([WIDTH], block=None)

        def backward(ops):
            grad, thread = ops.grad, ops.thread
            with thread.op("aten::native_layer_norm_backward", [grad, x, f"[{WIDTH}]", mean, rstd, gain, gain,
                                                               "[True, True, True]"], before=2.2):
                grad_input = ops.new(x.dims)
                params[0].grad, params[1].grad = ops.new([WIDTH]), ops.new([WIDTH])
                thread.launch("layer_norm_backward", 1.5 + 3 * x.size() / 2.5e6, (ROWS, 1, 1))
                thread.launch("gamma_beta", 1.5 + 2 * x.size() / 2.1e6, (WIDTH // 32, 1, 1))
            ops.replace_grad(grad_input)
            if joins_residual:
                ops.add_residual()

        thread = self.thread
        with thread.op("aten::layer_norm", [x, f"[{WIDTH}]", gain, gain, "1.0000000000000001e-05", "True"], before=1.6):
            mean, rstd = (Tensor([BATCH, TOKENS, 1], "float") for _ in range(2))
            with self.recorded("aten::native_layer_norm", [x, f"[{WIDTH}]", gain, gain, "1.0000000000000001e-05"],
                               "NativeLayerNormBackward0", backward, saved=[x], params=params, before=2.0):
                out = self.new(x.dims)
                mean.block, rstd.block = self.new([ROWS, 1], "float").block, self.new([ROWS, 1], "float").block
                thread.launch("layer_norm", 1.5 + 2 * x.size() / 2.5e6, (ROWS, 1, 1))
                thread.leaf("aten::view", [mean, str(mean.dims)], cost=0.5)
                thread.leaf("aten::view", [rstd, str(rstd.dims)], cost=0.5)
        self.tape[-1].saved += [mean, rstd]  # Owned by the node alone.
        return out

    def add_residual(self):
        """Sums the two gradients that meet where a residual branch left."""
        other = self.residuals.pop()
        with self.thread.op("aten::add", [self.grad, other, "1"], before=2.0):
            total = self.new(self.grad.dims, traced=False)
            self.elementwise("add", total, 3)
        self.drop(other)
        self.replace_grad(total)

    def add(self, x, y, residual=True):
        def backward(ops):
            if residual:
                ops.hold(ops.grad)
                ops.residuals.append(ops.grad)
        with self.recorded("aten::add", [x, y, "1"], "AddBackward0", backward, before=2.4):
            out = self.new(x.dims, traced=False)
            self.elementwise("add", out, 3)
        return out

    def gelu(self, x):
        def backward(ops):
            with ops.thread.op("aten::gelu_backward", [ops.grad, x, "tanh"], before=2.2):
                grad_input = ops.new(x.dims, traced=False)
                ops.elementwise("gelu_backward", grad_input, 3)
            ops.replace_grad(grad_input)
        with self.recorded("aten::gelu", [x, "tanh"], "GeluBackward0", backward, saved=[x], before=2.4):
            out = self.new(x.dims, traced=False)
            self.elementwise("gelu", out, 2)
        return out

    def split_heads(self, qkv):
        """q, k and v as [batch, heads, tokens, head width], views of one tensor."""
        def split_backward(ops):
            with ops.thread.op("aten::cat", [ops.split_grads, "2"], before=3.0):
                grad = ops.new(qkv.dims, traced=False)
                ops.thread.launch("cat", 1.5 + 2 * grad.size() / 2.4e6, (384, 3, 1))
            ops.drop(*ops.split_grads)
            ops.grad = grad
        thread, parts, head_width = self.thread, [], WIDTH // HEADS
        with self.recorded("aten::split", [qkv, str(WIDTH), "2"], "SplitBackward0", split_backward, before=1.6):
            for k in range(3):
                with thread.op("aten::narrow", [qkv, "2", str(k * WIDTH), str(WIDTH)], before=0.8):
                    with thread.op("aten::slice", [qkv, "2", str(k * WIDTH), str((k + 1) * WIDTH), "1"], before=0.8):
                        thread.leaf("aten::as_strided", [qkv, f"[{BATCH}, {TOKENS}, {WIDTH}]", str(qkv.strides), None], cost=0.4)
                parts.append(qkv.view([BATCH, TOKENS, WIDTH], qkv.strides))
        heads = []
        for part in parts:
            def view_backward(ops):
                with ops.thread.op("aten::reshape", [ops.split_grads[0], f"[{BATCH}, {TOKENS}, {WIDTH}]"], before=0.9):
                    ops.thread.leaf("aten::view", [ops.split_grads[0], f"[{BATCH}, {TOKENS}, {WIDTH}]"], cost=0.7)

            def transpose_backward(ops):
                with ops.thread.op("aten::transpose", [ops.split_grads[0], "1", "2"], before=0.8):
                    ops.thread.leaf("aten::as_strided", [ops.split_grads[0], str([BATCH, TOKENS, HEADS, head_width]),
                                                         str(part.strides), None], cost=0.4)
            shape = [BATCH, TOKENS, HEADS, head_width]
            with self.recorded("aten::view", [part, str(shape)], "ViewBackward0", view_backward, before=0.9, after=0.3):
                pass
            with self.recorded("aten::transpose", [part.view(shape), "1", "2"], "TransposeBackward0", transpose_backward,
                               before=0.9):
                thread.leaf("aten::as_strided", [part.view(shape), str([BATCH, HEADS, TOKENS, head_width]), "[]", None], cost=0.4)
            heads.append(part.view([BATCH, HEADS, TOKENS, head_width],
                                   [TOKENS * 3 * WIDTH, head_width, 3 * WIDTH, 1]))
        return heads

    def attention(self, q, k, v):
        thread, head_width = self.thread, WIDTH // HEADS
        statistics = Tensor([BATCH, HEADS, TOKENS], "float")
        shape = [BATCH, TOKENS, HEADS, head_width]

        def backward(ops):
            thread, grad = ops.thread, ops.grad
            inputs = [grad, q, k, v, out, statistics, None, None, str(TOKENS), str(TOKENS), "0.", "True"]
            with thread.op("aten::_scaled_dot_product_flash_attention_backward", inputs, before=3.0):
                for tensor in (grad, q, k, v, out):
                    thread.leaf("aten::transpose", [tensor, "1", "2"], cost=0.9)
                with thread.op("aten::_flash_attention_backward", inputs, before=4.0):
                    ops.split_grads = [ops.new(shape, op="aten::empty_like") for _ in range(3)]
                    softmax = ops.new([BATCH, HEADS, TOKENS], "float")
                    accumulator = ops.new([BATCH, TOKENS, HEADS, head_width], "float")
                    thread.memset(accumulator.size(), accumulator.size() / 2.9e6)
                    thread.launch("flash_dot", 28, (16, BATCH, HEADS))
                    thread.launch("flash_backward", 262, (8, BATCH, HEADS))
                    thread.launch("flash_convert", 41, (16, BATCH, HEADS))
                    ops.drop(accumulator, softmax)
            ops.drop(grad)
            ops.grad = None

        with thread.op("aten::scaled_dot_product_attention", [q, k, v, None, "0.", "True", None, "False"], before=2.2):
            with self.recorded("aten::_scaled_dot_product_flash_attention", [q, k, v, "0.", "True", "False", None],
                               "ScaledDotProductFlashAttentionBackward0", backward, saved=[q], before=2.6):
                for tensor in (q, k, v):
                    with thread.op("aten::transpose", [tensor, "1", "2"], before=0.9):
                        thread.leaf("aten::as_strided", [tensor, str(shape), "[]", None], cost=0.4)
                with thread.op("aten::_flash_attention_forward", [q, k, v, None, None, str(TOKENS), str(TOKENS), "0.", "True",
                                                                 "False", None, None, None, None, None], before=3.2):
                    out = self.new(shape, op="aten::empty_like")
                    statistics.block = self.new([BATCH, HEADS, TOKENS], "float").block
                    thread.launch("flash", 88, (8, BATCH, HEADS))
                thread.leaf("aten::transpose", [out, "1", "2"], cost=0.9)
            self.tape[-1].saved += [statistics]
        return out.view([BATCH, HEADS, TOKENS, head_width], [TOKENS * WIDTH, head_width, WIDTH, 1])

    def merge_heads(self, x):
        thread, head_width = self.thread, WIDTH // HEADS
        shape = [BATCH, TOKENS, HEADS, head_width]

        def backward(ops):
            with ops.thread.op("aten::transpose", [ops.grad.view(shape), "1", "2"], before=0.8):
                ops.thread.leaf("aten::as_strided", [ops.grad.view(shape), str(x.dims), str(x.strides), None], cost=0.4)
            ops.grad = ops.grad.view(x.dims, x.strides)
        with self.recorded("aten::transpose", [x, "1", "2"], "TransposeBackward0", backward, before=0.9):
            thread.leaf("aten::as_strided", [x, str(shape), "[]", None], cost=0.4)
        thread.leaf("aten::contiguous", [x.view(shape), "0"], cost=0.5)
        return self.view(x.view(shape), [BATCH, TOKENS, WIDTH])

    def embedding(self, ids, rows, params, out_dims):
        table = Tensor([rows, WIDTH], block=None)

        def backward(ops):
            thread, grad = ops.thread, ops.grad
            with thread.op("aten::embedding_backward", [grad, ids, str(rows), "-1", "False", "False"], before=1.4):
                with thread.op("aten::embedding_dense_backward", [grad, ids, str(rows), "-1", "False"], before=2.4):
                    with thread.op("aten::new_zeros", [grad, str(table.dims), "15", "0", "0", None], before=1.4):
                        params[0].grad = ops.new(table.dims)
                        with thread.op("aten::zero_", [table], before=1.0):
                            with thread.op("aten::fill_", [table, "0"], before=1.4):
                                ops.elementwise("fill_bf16", table, 1)
                    scratch = ops.new([ids.elements() * 2], "long int")
                    thread.launch("embedding_sort", 9, (max(1, ids.elements() // 4096), 1, 1))
                    thread.launch("embedding_sort", 9, (max(1, ids.elements() // 4096), 1, 1))
                    thread.launch("embedding_backward", 3 + 2 * grad.size() / 1.7e6, (ids.elements(), 4, 1))
                    ops.drop(scratch)

        with self.recorded("aten::embedding", [table, ids, "-1", "False", "False"], "EmbeddingBackward0", backward,
                           params=params, before=1.8):
            self.thread.leaf("aten::reshape", [ids, "[-1]"], cost=1.2)
            with self.thread.op("aten::index_select", [table, "0", ids], before=2.4):
                out = self.new(out_dims, traced=True)
                self.thread.launch("gather", 1.5 + 2 * out.size() / 2.2e6, (ids.elements(), 1, 1))
            self.thread.leaf("aten::view", [out, str(out_dims)], cost=0.6)
        return out

    def cross_entropy(self, logits, targets):
        """The loss in float32, as cross_entropy under autocast computes it."""
        thread = self.thread
        flat = self.view(logits, [ROWS, VOCAB])
        targets = targets.view([ROWS])

        def to_backward(ops):
            with ops.thread.op("aten::to", [ops.grad, "15", "0", None, None, "False", "False", None], before=1.2):
                with ops.thread.op("aten::_to_copy", [ops.grad, "15", "0", None, None, "False", None], before=1.4):
                    grad = ops.new([ROWS, VOCAB], op="aten::empty_strided")
                    with ops.thread.op("aten::copy_", [grad, ops.grad, "False"], before=1.6):
                        ops.elementwise("to_bf16", grad, 3)
            ops.replace_grad(grad)
        with thread.op("aten::to", [flat, "6", "False", "False", None], before=1.2):
            with self.recorded("aten::_to_copy", [flat, "6", "0", None, None, "False", None], "ToCopyBackward0", to_backward,
                               before=1.4):
                wide = self.new([ROWS, VOCAB], "float", op="aten::empty_strided")
                with thread.op("aten::copy_", [wide, flat, "False"], before=1.6):
                    self.elementwise("to_float", wide, 1.5, 4)

        def softmax_backward(ops):
            with ops.thread.op("aten::_log_softmax_backward_data", [ops.grad, probabilities, "1", "6"], before=2.2):
                grad = ops.new([ROWS, VOCAB], "float", traced=False)
                ops.thread.launch("log_softmax_backward", 3 * grad.size() / 2.5e6, (ROWS, 1, 1))
            ops.replace_grad(grad)

        def loss_backward(ops):
            with ops.thread.op("aten::nll_loss_backward", [ops.grad, probabilities, targets, None, "1", "-100", weight],
                               before=2.2):
                grad = ops.new([ROWS, VOCAB], "float", traced=False)
                with ops.thread.op("aten::zero_", [grad], before=1.0):
                    with ops.thread.op("aten::fill_", [grad, "0"], before=1.4):
                        ops.elementwise("fill", grad, 1, 4)
                ops.thread.launch("nll_backward", 11, (1, 1, 1))
            ops.replace_grad(grad)

        with thread.op("aten::cross_entropy_loss", [wide, targets, None, "1", "-100", "0."], before=1.8):
            with thread.op("aten::log_softmax", [wide, "1", None], before=1.4):
                with self.recorded("aten::_log_softmax", [wide, "1", "False"], "LogSoftmaxBackward0", softmax_backward,
                                   before=2.2):
                    probabilities = self.new([ROWS, VOCAB], "float", traced=False)
                    thread.launch("log_softmax", 2 * wide.size() / 2.4e6, (ROWS, 1, 1))
                self.tape[-1].saved.append(probabilities)
                self.hold(probabilities)
            self.drop(wide)
            with thread.op("aten::nll_loss_nd", [probabilities, targets, None, "1", "-100"], before=1.2):
                with thread.op("aten::nll_loss", [probabilities, targets, None, "1", "-100"], before=1.0):
                    with self.recorded("aten::nll_loss_forward", [probabilities, targets, None, "1", "-100"],
                                       "NllLossBackward0", loss_backward, saved=[], before=2.2):
                        loss, weight = self.new([], "float", traced=False), self.new([], "float", traced=False)
                        thread.launch("nll", 13, (1, 1, 1))
                    self.tape[-1].saved += [probabilities, weight]
        return loss

    # ---- The backward pass -------------------------------------------------------------------------------------------

    def backward(self):
        self.thread = thread = self.machine.autograd
        thread.now = self.machine.main.now + int(jitter(22000, 30000))
        while self.tape:
            node = self.tape.pop()
            how = {"node": node, "before": 1.5}
            with thread.op(f"autograd::engine::evaluate_function: {node.name}", **how):
                with thread.op(node.name, [self.grad] if self.grad else None, node=node, before=1.4, after=0.7) as event:
                    self.machine.forward_backward.append((node.forward, event))
                    node.run(self)
                self.drop(*node.saved)
            for param in node.params:
                self.accumulate(param)
        self.drop(self.grad)
        self.grad = None
        if self.bucket_bytes:
            self.all_reduce()
        self.machine.main.now = thread.now + int(jitter(9000, 15000))
        self.thread = self.machine.main

    def accumulate(self, param):
        """DistributedDataParallel's hook: the gradient goes into its bucket, a full bucket is reduced."""
        thread = self.thread
        with thread.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", before=1.3):
            with thread.op("torch::autograd::AccumulateGrad", [param.grad], before=1.3):
                with thread.op("aten::detach", [param.grad], before=0.8):
                    thread.leaf("detach", [param.grad], cost=0.5)
            with thread.op("torch::distributed::reducer::mul_out", before=1.6):
                with thread.op("aten::mul", [param.grad, "0.5", param.grad], before=2.0):
                    self.elementwise("mul", param.grad, 2)
            self.bucket_bytes += param.grad.size()
            self.drop(param.grad)
            param.grad = None
            if self.bucket_bytes >= BUCKET_BYTES:
                self.all_reduce()

    def all_reduce(self):
        thread, machine = self.thread, self.machine
        elements, late = self.bucket_bytes // 2, self.step == LATE_STEP and self.bucket_index == LATE_BUCKET
        machine.collective_sequence += 1
        meta = {"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements, "Group size": 2,
                "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0",
                "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]", "Rank": 0,
                "Seq": machine.collective_sequence}
        bucket = Tensor([elements])
        on_op = dict(meta) | {"Is asynchronized op": 1, "Global rank start": 0, "Global rank stride": 1}
        with thread.op("c10d::allreduce_", [[bucket], None, None, None, "-1"], before=5.0):
            inputs = [bucket, str(machine.collective_sequence), "0", None, "[]", "[]", "0", "1", "2", "True"]
            with thread.op("record_param_comms", inputs, extra=on_op, before=4.0):
                thread.runtime("cudaStreamIsCapturing", 317, 0.6)
                thread.runtime("cudaEventRecordWithFlags", 370, 1.4)
                thread.runtime("cudaStreamWaitEvent", 147, 1.2)
                produced = machine.streams[COMPUTE] + 1500
                with thread.annotation("nccl:all_reduce", [bucket]):
                    thread.runtime("cudaStreamGetCaptureInfo_v2", 409, 0.4)
                    us = 24 + self.bucket_bytes / 1.62e5 + (11000 if late else 0)
                    self.communicated = thread.launch("all_reduce", us, (24, 1, 1), NCCL, produced, meta)
                thread.runtime("cudaEventRecordWithFlags", 370, 1.2)
        self.bucket_bytes, self.bucket_index = 0, self.bucket_index + 1


class Param:
    def __init__(self, *dims):
        self.dims, self.grad = list(dims), None


# ---- The program that was traced ---------------------------------------------------------------------------------------

class Training:
    def __init__(self):
        self.machine = Machine()
        self.ops = Ops(self.machine)
        self.main = self.machine.main
        self.module_ids = {}
        self.blocks = [[Param(WIDTH), Param(WIDTH), Param(3 * WIDTH, WIDTH), Param(3 * WIDTH), Param(WIDTH, WIDTH),
                        Param(WIDTH), Param(WIDTH), Param(WIDTH), Param(4 * WIDTH, WIDTH), Param(4 * WIDTH),
                        Param(WIDTH, 4 * WIDTH), Param(WIDTH)] for _ in range(LAYERS)]
        self.tokens, self.positions = Param(VOCAB, WIDTH), Param(TOKENS, WIDTH)
        self.final_norm, self.head = [Param(WIDTH), Param(WIDTH)], Param(VOCAB, WIDTH)
        self.params = [self.tokens, self.positions, *sum(self.blocks, []), *self.final_norm, self.head]
        for _ in range(4):  # Parameters, gradients and the two moments of AdamW.
            for param in self.params:
                self.machine.allocator.preload(2 * math.prod(param.dims))

    @contextmanager
    def module(self, name, index, file, line):
        """A module's call as the tracer sees it: the module, _call_impl, its forward."""
        main = self.main
        module_id = self.module_ids.setdefault((name, index), len(self.module_ids))
        with main.python(f"nn.Module: {name}_{index}", module=module_id):
            with main.python("torch/nn/modules/module.py(1743): _call_impl"):
                main.calls("<built-in method _get_tracing_state of PyCapsule object at 0x7f4c1d2b5e90>")
                with main.python(f"{file}({line}): forward"):
                    yield

    def attributes(self, count):
        self.main.calls(*["torch/nn/modules/module.py(1918): __getattr__"] * count)

    def linear(self, index, x, out_features, params, bias=True):
        with self.module("Linear", index, "torch/nn/modules/linear.py", 124):
            self.attributes(2)
            with self.main.python("<built-in function linear>"):
                return self.ops.linear(x, out_features, params, bias)

    def layer_norm(self, index, x, params, joins_residual=True):
        with self.module("LayerNorm", index, "torch/nn/modules/normalization.py", 217):
            self.attributes(2)
            with self.main.python("torch/nn/functional.py(2901): layer_norm"):
                self.main.calls("<built-in function _has_torch_function_variadic>",
                                "torch/backends/__init__.py(38): __get__")
                with self.main.python("<built-in method layer_norm of type object at 0x7f4cb9c31f40>"):
                    return self.ops.layer_norm(x, params, joins_residual)

    def embedding(self, index, ids, param, dims):
        with self.module("Embedding", index, "torch/nn/modules/sparse.py", 189):
            self.attributes(1)
            with self.main.python("torch/nn/functional.py(2437): embedding"):
                self.main.calls("<built-in function _has_torch_function_variadic>")
                with self.main.python("<built-in method embedding of type object at 0x7f4cb9c31f40>"):
                    return self.ops.embedding(ids, param.dims[0], [param], dims)

    def block(self, index, x):
        ops, main, p = self.ops, self.main, self.blocks[index]
        with self.module("Block", index, "model.py", 94):
            self.attributes(2)
            normed = self.layer_norm(2 * index, x, p[0:2])
            with self.module("CausalSelfAttention", index, "model.py", 41):
                main.calls("<built-in method size of Tensor object at 0x7f4bd10c6d50>")
                self.attributes(1)
                qkv = self.linear(4 * index, normed, 3 * WIDTH, p[2:4])
                with main.python("torch/_tensor.py(961): split"):
                    with main.python("<built-in method split of Tensor object at 0x7f4bd10c7f10>"):
                        q, k, v = ops.split_heads(qkv)
                with main.python("<built-in function scaled_dot_product_attention>"):
                    mixed = ops.attention(q, k, v)
                merged = ops.merge_heads(mixed)
                self.attributes(1)
                attended = self.linear(4 * index + 1, merged, WIDTH, p[4:6])
                ops.drop(normed, qkv, merged)
            middle = ops.add(x, attended)
            ops.drop(attended)
            self.attributes(2)
            normed = self.layer_norm(2 * index + 1, middle, p[6:8])
            with self.module("MLP", index, "model.py", 70):
                self.attributes(1)
                wide = self.linear(4 * index + 2, normed, 4 * WIDTH, p[8:10])
                self.attributes(1)
                with self.module("GELU", index, "torch/nn/modules/activation.py", 734):
                    with main.python("<built-in function gelu>"):
                        active = ops.gelu(wide)
                self.attributes(1)
                narrow = self.linear(4 * index + 3, active, WIDTH, p[10:12])
                ops.drop(normed, wide, active)
            out = ops.add(middle, narrow)
            ops.drop(narrow, middle, x)
        return out

    def forward(self, ids, targets):
        ops, main = self.ops, self.main
        with self.module("DistributedDataParallel", 0, "torch/nn/parallel/distributed.py", 1638):
            with main.annotation("DistributedDataParallel.forward"):
                with main.python("torch/nn/parallel/distributed.py(1532): _pre_forward"):
                    main.calls("<built-in method is_grad_enabled of type object>", "torch/_utils.py(878): is_compiling",
                               "torch/nn/parallel/distributed.py(1454): _should_disable_cpp_reducer",
                               "<built-in method prepare_for_forward of PyCapsule object at 0x7f4bd0f3a1b0>")
                with main.python("torch/nn/parallel/distributed.py(1466): _run_ddp_forward"):
                    with self.module("GPT", 0, "model.py", 171):
                        main.calls("<built-in method size of Tensor object at 0x7f4bd10c5a30>")
                        with main.python("<built-in method arange of type object at 0x7f4cb9c31f40>"):
                            with main.op("aten::arange", [str(TOKENS), "4", None, "0", "False"], before=1.6):
                                places = ops.new([TOKENS], "long int")
                                main.launch("arange", 1.4, (16, 1, 1))
                        self.attributes(2)
                        words = self.embedding(0, ids, self.tokens, [BATCH, TOKENS, WIDTH])
                        spots = self.embedding(1, places, self.positions, [TOKENS, WIDTH])
                        x = ops.add(words, spots, residual=False)
                        ops.drop(words, spots)
                        for index in range(LAYERS):
                            with main.python("torch/nn/modules/container.py(368): __iter__", before=0.2, after=0.1):
                                pass
                            x = self.block(index, x)
                        self.attributes(2)
                        normed = self.layer_norm(2 * LAYERS, x, self.final_norm, joins_residual=False)
                        ops.drop(x)
                        logits = self.linear(4 * LAYERS, normed, VOCAB, [self.head], bias=False)
                        ops.drop(normed)
                        with main.python("torch/nn/functional.py(3449): cross_entropy"):
                            main.calls("<built-in function _has_torch_function_variadic>",
                                       "torch/nn/_reduction.py(9): get_enum")
                            with main.python("<built-in function cross_entropy_loss>"):
                                loss = ops.cross_entropy(logits, targets)
                with main.python("torch/nn/parallel/distributed.py(1567): _post_forward"):
                    main.calls("torch/nn/parallel/distributed.py(2040): _check_sync_bufs_post_fwd",
                               "torch/nn/parallel/distributed.py(170): _find_tensors",
                               "<built-in method prepare_for_backward of PyCapsule object at 0x7f4bd0f3a1b0>")
        ops.drop(places)
        return loss, logits

    def load_batch(self, step):
        """The data loader in this process; once it has to read a shard that is not in the page cache."""
        main, allocator = self.main, self.machine.allocator
        with main.python("torch/utils/data/dataloader.py(701): __next__"):
            with main.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
                with main.python("torch/utils/data/dataloader.py(757): _next_data"):
                    main.calls("torch/utils/data/dataloader.py(692): _next_index", "torch/utils/data/sampler.py(335): __iter__")
                    with main.python("torch/utils/data/_utils/fetch.py(46): fetch"):
                        for item in range(2 * BATCH):
                            self.load_item(slow=step == SLOW_STEP and item == 5)
                    with main.python("torch/utils/data/_utils/collate.py(366): default_collate"):
                        for part in range(2):
                            with main.python("torch/utils/data/_utils/collate.py(255): collate_tensor_fn"):
                                with main.python("<built-in method stack of type object at 0x7f4cb9c31f40>"):
                                    rows = [Tensor([TOKENS], "long int") for _ in range(BATCH)]
                                    with main.op("aten::stack", [rows, "0"], before=2.0):
                                        with main.op("aten::cat", [rows, "0"], before=9.0, after=4.0):
                                            allocator.host(main, 0x55D2A4C13000 + 0x10000 * part, ROWS * 8)

    def load_item(self, slow):
        main = self.main
        with main.python("dataset.py(41): __getitem__", before=4.0, after=3.0):
            main.calls("<built-in function divmod>", "<built-in function len>")
            if slow:
                with main.python("dataset.py(58): _read_shard", before=25.0, after=8.0):
                    with main.python("<built-in method open of module object at 0x7f4cd3a51850>", before=90.0):
                        pass
                    for _ in range(6):
                        with main.python("<built-in method read of _io.BufferedReader object at 0x7f4ab8f61c10>",
                                         before=580.0, after=6.0):
                            pass
            for part in ("x", "y"):
                with main.python("<built-in method from_numpy of type object at 0x7f4cb9c31f40>", before=3.0):
                    pass
                window = Tensor([TOKENS], "unsigned char")
                with main.python("<built-in method to of Tensor object at 0x7f4bd1105ef0>"):
                    with main.op("aten::to", [window, "4", "False", "False", None], before=1.0):
                        with main.op("aten::_to_copy", [window, "4", None, None, None, "False", None], before=1.2):
                            main.leaf("aten::empty_strided", [f"[{TOKENS}]", "[1]", "4", None, None, None], cost=1.0)
                            main.leaf("aten::copy_", [window, window, "False"], cost=2.2)

    def to_device(self):
        """Copies inputs and targets on a side stream, as a prefetching loader does."""
        main, ops, moved = self.main, self.ops, []
        with main.python("train.py(71): to_device"):
            main.calls("torch/cuda/streams.py(37): wait_stream", "torch/cuda/__init__.py(583): __enter__")
            for _ in range(2):
                with main.python("<built-in method to of Tensor object at 0x7f4bd1106a10>"):
                    host = Tensor([BATCH, TOKENS], "long int")
                    with main.op("aten::to", [host, "4", "0", "0", None, "True", "False", None], before=1.4):
                        with main.op("aten::_to_copy", [host, "4", "0", "0", None, "True", None], before=1.6):
                            batch = ops.new([BATCH, TOKENS], "long int", op="aten::empty_strided")
                            with main.op("aten::copy_", [batch, host, "True"], before=2.6):
                                copied = main.copy("HtoD (Pinned -> Device)", ROWS * 8, 24.5, COPY)
                moved.append(batch)
            main.calls("torch/cuda/__init__.py(606): __exit__")
            with main.python("torch/cuda/streams.py(50): wait_event"):
                main.runtime("cudaStreamWaitEvent", 147, 1.2)
                self.machine.streams[COMPUTE] = max(self.machine.streams[COMPUTE], copied)
        return moved

    def foreach(self, name, key, passes, inputs):
        """One fused pass over all parameters: 320 chunks of 65,536 elements a kernel."""
        main, chunk = self.main, 320 * 65536
        elements = sum(math.prod(p.dims) for p in self.params)
        with main.op(name, inputs, before=14.0, after=4.0):
            for first in range(0, elements, 2 * chunk):
                count = min(2 * chunk, elements - first)
                main.launch(key, 2 + passes * 2 * count / 2.55e6, (max(1, count // 131072), 1, 1))

    def clip_gradients(self):
        main, ops = self.main, self.ops
        grads = [Tensor(p.dims) for p in self.params]
        with main.python("torch/nn/utils/clip_grad.py(187): clip_grad_norm_"):
            with main.python("torch/utils/_foreach_utils.py(33): _group_tensors_by_device_and_dtype", before=30.0):
                pass
            self.foreach("aten::_foreach_norm", "foreach_norm", 1, [grads, "2", None])
            with main.op("aten::stack", [[Tensor([])] * len(grads), "0"], before=6.0):
                norms = ops.new([len(grads)], "float")
                main.launch("cat", 2.4, (1, 1, 1))
            with main.op("aten::linalg_vector_norm", [norms, "2", "[]", "False", None], before=3.0):
                total = ops.new([], "float")
                main.launch("norm", 2.9, (1, 1, 1))
            with main.op("aten::clamp", [total, None, "1."], before=2.0):
                factor = ops.new([], "float", traced=False)
                main.launch("clamp", 1.3, (1, 1, 1))
            self.foreach("aten::_foreach_mul_", "foreach_mul_tensor", 2, [grads, factor])
            ops.drop(norms, total, factor)

    def optimizer_step(self):
        main, ops = self.main, self.ops
        tensors = [Tensor(p.dims) for p in self.params]
        with main.python("torch/optim/optimizer.py(483): wrapper"):
            with main.annotation("Optimizer.step#AdamW.step"):
                with main.python("torch/optim/optimizer.py(77): _use_grad"):
                    with main.python("torch/optim/adamw.py(211): step"):
                        with main.python("torch/optim/adamw.py(134): _init_group", before=40.0, after=5.0):
                            main.calls(*["torch/_tensor.py(1108): __hash__"] * len(tensors))
                        with main.python("torch/optim/adamw.py(502): _multi_tensor_adamw", before=8.0):
                            pairs = [("aten::_foreach_add_", "foreach_add", 0.002), ("aten::_foreach_mul_", "foreach_mul", 2),
                                     ("aten::_foreach_lerp_", "foreach_lerp", 3), ("aten::_foreach_mul_", "foreach_mul", 2),
                                     ("aten::_foreach_addcmul_", "foreach_addcmul", 3)]
                            for name, key, passes in pairs:
                                self.foreach(name, key, passes, [tensors, "1"])
                            with main.op("aten::empty", ["[]"], before=4.0):
                                roots = [ops.new(p.dims, traced=False) for p in self.params]
                            self.foreach("aten::_foreach_sqrt", "foreach_sqrt", 2, [tensors])
                            self.foreach("aten::_foreach_div_", "foreach_div", 2, [tensors, "0.99936"])
                            self.foreach("aten::_foreach_add_", "foreach_mul", 2, [tensors, "1e-08"])
                            self.foreach("aten::_foreach_addcdiv_", "foreach_addcdiv", 4, [tensors, tensors, tensors, "-0.0003"])
                            ops.drop(*roots)

    def zero_grad(self):
        main = self.main
        with main.python("torch/_compile.py(21): inner"):
            with main.annotation("Optimizer.zero_grad#AdamW.zero_grad"):
                with main.python("torch/optim/optimizer.py(926): zero_grad"):
                    main.calls(*["torch/_tensor.py(1108): __hash__"] * 12)

    def step(self, step):
        main, ops, machine = self.main, self.ops, self.machine
        ops.step, ops.bucket_index = step, 0
        with main.annotation(f"ProfilerStep#{step}"):
            self.load_batch(step)
            with main.python("train.py(88): train_step"):
                ids, targets = self.to_device()
                self.zero_grad()
                loss, logits = self.forward(ids, targets)
                with main.python("torch/_tensor.py(570): backward"):
                    main.calls("<built-in function _has_torch_function_unary>")
                    with main.python("torch/autograd/__init__.py(243): backward"):
                        with main.python("torch/autograd/__init__.py(95): _make_grads"):
                            with main.op("aten::ones_like", [loss, "6", "0", "0", "False", "1"], before=1.6):
                                ops.grad = ops.new([], "float", op="aten::empty_like")
                                with main.op("aten::fill_", [ops.grad, "1"], before=1.4):
                                    main.launch("fill", 1.2, (1, 1, 1))
                        with main.python("torch/autograd/graph.py(815): _engine_run_backward"):
                            with main.python("<built-in method run_backward of torch._C._EngineBase object at 0x7f4cc0a3d7c0>"):
                                ops.drop(logits)
                                ops.backward()
                                main.runtime("cudaStreamWaitEvent", 147, 1.4)
                # The compute stream waits for the last all-reduce before it may touch the gradients.
                machine.streams[COMPUTE] = max(machine.streams[COMPUTE], ops.communicated)
                self.clip_gradients()
                self.optimizer_step()
                with main.python("<built-in method item of Tensor object at 0x7f4bd10d2c50>"):
                    with main.op("aten::item", [loss], before=1.6):
                        with main.op("aten::_local_scalar_dense", [loss], before=1.8):
                            main.synchronize(main.copy("DtoH (Device -> Pageable)", 4, 0.0035))
                ops.drop(loss, ids, targets)
                for part in (0x55D2A4C13000, 0x55D2A4C23000):
                    machine.allocator.host(main, part, -ROWS * 8)
                with main.python("logging/__init__.py(1519): info", before=3.0):
                    with main.python("logging/__init__.py(1664): _log", before=12.0, after=2.0):
                        main.calls("<built-in function getpid>", "<built-in method write of _io.TextIOWrapper object>")

    def run(self):
        main, machine = self.main, self.machine
        main.spend(150)
        with main.python("train.py(187): <module>"):
            with main.python("train.py(131): main"):
                for step in STEPS:
                    self.step(step)
                    with main.python("torch/profiler/profiler.py(865): step"):
                        main.calls("torch/profiler/profiler.py(883): _transit_action",
                                   "torch/autograd/profiler.py(738): __enter__")
        while machine.watchdog.now < main.now - 12_000_000:
            machine.watchdog.now += int(jitter(9.5e6, 11e6))
            machine.watchdog.runtime("cudaEventQuery", 138, 1.8)
        machine.allocator.close()
        self.end = main.now
        return self


# ---- Writing, in Kineto's layout ---------------------------------------------------------------------------------------

def microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def written(value):
    return f"{value:.6f}" if isinstance(value, Fixed) else json.dumps(value)


def arguments(args, separator=", "):
    """Kineto joins External id to what follows without a space, and indents CUDA's fields inside the line."""
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
    # No name and no time in the gzip header, so that the same trace is the same file.
    with open(path, "wb") as out, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(text)
    print(f"{path}: {len(records)} events, {len(text)} bytes, {os.path.getsize(path)} compressed")


if __name__ == "__main__":
    main()
