"""The traced program: trains a GPT with DistributedDataParallel, step by step."""

import math
from contextlib import contextmanager

from machine import Machine, Tensor
from operators import Ops, Param
from recording import BATCH, COMPUTE, COPY, LAYERS, ROWS, SLOW_STEP, STEPS, TOKENS, VOCAB, WIDTH, jitter


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
        """A module's call as the Python tracer records it: the module, _call_impl, its forward."""
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
        """Loads data in this process. One step has to read a shard that is not in the page cache."""
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
        """Copies inputs and targets on a side stream, like a prefetching loader."""
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
        """Updates all parameters in one fused pass: 320 chunks of 65,536 elements per kernel."""
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
                # The compute stream waits for the last all-reduce before it uses the gradients.
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
