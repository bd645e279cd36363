"""The operators of the model, forward and backward, with the kernels that they launch."""

from contextlib import contextmanager, nullcontext

from machine import Block, Tensor
from recording import (BATCH, BF16, BUCKET_BYTES, COMPUTE, HEADS, LATE_BUCKET, LATE_STEP, NCCL, ROWS, STEPS, TOKENS, VOCAB, WIDTH,
                       jitter)


class Node:
    """Activations that the forward pass saves for the backward pass."""

    def __init__(self, name, sequence, forward, run, saved, params):
        self.name, self.sequence, self.forward, self.run = name, sequence, forward, run
        self.saved, self.params = saved, params


class Ops:
    """The operators of the model: forward on the main thread, gradients on autograd's thread."""

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
        self.tape[-1].saved += [mean, rstd]  # Only owned by the node.
        return out

    def add_residual(self):
        """Adds the two gradients at the origin of a residual branch."""
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
        """Returns q, k and v as views of one tensor, with shape [batch, heads, tokens, head width]."""
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
        """Computes the loss in float32, like cross_entropy under autocast."""
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
        """DistributedDataParallel's hook: copies the gradient into its bucket, and reduces full buckets."""
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
