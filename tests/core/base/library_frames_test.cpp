// Covers: library_frames
// Library frames in snapshots and traces, and custom lists of libraries.
#include "core/base/library_frames.hpp"

#include <doctest/doctest.h>

using kino::is_library_file;

TEST_CASE("torch and the standard library are libraries, packages built on torch are not") {
  for (const char* const file :
       {"/usr/lib/python3/dist-packages/torch/nn/modules/module.py", "torch/nn/functional.py",
        "/opt/conda/lib/python3.11/site-packages/torch/optim/adam.py", "/src/pytorch/torch/_tensor.py",
        "C:\\Python312\\Lib\\site-packages\\torch\\_ops.py", "/usr/lib/python3.10/threading.py",
        "C:\\Python312\\Lib\\contextlib.py", "<string>", "<frozen importlib._bootstrap>", "threading.py",
        "concurrent/futures/thread.py", "/tmp/torchinductor_me/nq/cnq.py",
        "/v/lib/python3.11/site-packages/torch_npu/npu/utils.py"}) {
    CAPTURE(file);
    CHECK(is_library_file(file, kino::default_libraries()));
  }
  for (const char* const file :
       {"/v/lib/python3.11/site-packages/transformers/models/qwen3/modeling_qwen3.py",
        "/usr/local/lib/python3.10/dist-packages/vllm/worker/cache_engine.py",
        "/root/Megatron-LM/megatron/core/transformer/mlp.py",
        "/v/lib/python3.11/site-packages/deepspeed/runtime/engine.py",
        "/v/lib/python3.11/site-packages/torchvision/models/resnet.py",
        "/v/lib/python3.11/site-packages/horovod/torch/optimizer.py", "/home/me/torch/train.py", "train.py",
        "/tmp/ipykernel_12/345.py", "<ipython-input-3-0a1b>"}) {
    CAPTURE(file);
    CHECK_FALSE(is_library_file(file, kino::default_libraries()));
  }
}

TEST_CASE("a list of libraries contains packages and parts of paths") {
  const kino::LibraryList own{"einops", "/megatron/"};
  CHECK(is_library_file("/v/site-packages/einops/_backends.py", own));
  CHECK(is_library_file("/v/site-packages/einops.py", own));
  CHECK(is_library_file("/root/Megatron-LM/megatron/core/mlp.py", own));
  CHECK_FALSE(is_library_file("/v/site-packages/torch/_tensor.py", own));
  CHECK_FALSE(is_library_file("/usr/lib/python3.10/threading.py", own));
  CHECK_FALSE(is_library_file("/v/site-packages/einops/_backends.py", kino::default_libraries()));
  CHECK(is_library_file("/v/site-packages/torch/_tensor.py", kino::default_libraries()));
}

TEST_CASE("functions that allocate memory, capture stacks or run the backward pass are recognized by name") {
  CHECK(kino::is_memory_bookkeeping("c10::cuda::CUDACachingAllocator::Native::local_raw_delete(void*)"));
  CHECK(kino::is_memory_bookkeeping("torch::unwind::unwind()"));
  CHECK(kino::is_memory_bookkeeping("torch::CapturedTraceback::gather(bool, bool, bool)"));
  CHECK(kino::is_memory_bookkeeping("c10::StorageImpl::~StorageImpl()"));
  CHECK_FALSE(kino::is_memory_bookkeeping("at::native::gather_out_cuda"));
  CHECK_FALSE(kino::is_memory_bookkeeping("at::_ops::gather::call(at::Tensor const&)"));
  CHECK(kino::is_autograd_engine("torch::autograd::Engine::evaluate_function(std::shared_ptr<int>&)"));
  CHECK(kino::is_autograd_engine("autograd::engine::evaluate_function: AddBackward0"));
  CHECK_FALSE(kino::is_autograd_engine("torch::autograd::generated::AddBackward0::apply()"));
}

TEST_CASE("frames through which PyTorch calls other code are recognized by file and function") {
  CHECK(kino::is_pass_through_frame("/v/site-packages/torch/nn/modules/module.py", "_wrapped_call_impl"));
  CHECK(kino::is_pass_through_frame("torch/nn/modules/module.py", "_call_impl"));
  CHECK(kino::is_pass_through_frame("C:\\v\\torch\\utils\\_contextlib.py", "decorate_context"));
  CHECK_FALSE(kino::is_pass_through_frame("/v/site-packages/torch/nn/modules/module.py", "to"));
  CHECK_FALSE(kino::is_pass_through_frame("/v/site-packages/torch/nn/modules/linear.py", "forward"));
  CHECK_FALSE(kino::is_pass_through_frame("module.py", "_call_impl"));
}
