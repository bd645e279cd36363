#include "tests/bench/trace_generator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/build/trace_builder.hpp"

namespace kino_test {
namespace {

// xorshift64*: the output does not depend on the standard library.
class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>(((state_ * 0x2545F4914F6CDD1DULL) >> 32) * limit >> 32);
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

constexpr std::array<const char*, 12> kOperators = {
    "aten::linear", "aten::addmm",      "aten::mul",
    "aten::add_",   "aten::layer_norm", "aten::native_layer_norm",
    "aten::gelu",   "aten::view",       "aten::transpose",
    "aten::bmm",    "aten::softmax",    "aten::copy_"};
constexpr std::array<const char*, 8> kKernelNames = {
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
    "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
    "void cutlass::Kernel<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_nn_align8>(Params)",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, false, true, false>(Flash_fwd_params)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float>>>",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "Memcpy DtoD (Device -> Device)"};

/// Operators of a layer, their kernels in the forward and backward pass, and the kernels' length in us.
struct LayerOperator {
  const char* name;
  const char* forward;
  const char* backward;
  std::uint32_t us;
};
constexpr std::array kLayerOperators = {
    LayerOperator{"aten::native_layer_norm", kKernelNames[2], "layer_norm_grad_input_kernel<float>", 12},
    LayerOperator{"aten::addmm", "sm90_xmma_gemm_bf16_tn_qkv", "sm90_xmma_gemm_bf16_nt_dgrad", 90},
    LayerOperator{"aten::view", "split_kernel<3>", "cat_kernel<3>", 8},
    LayerOperator{"aten::mul", "rotary_kernel<bf16>", "rotary_backward_kernel<bf16>", 10},
    LayerOperator{"aten::_flash_attention_forward", kKernelNames[4], "flash_bwd_kernel<128>", 110},
    LayerOperator{"aten::addmm", kKernelNames[0], "sm90_xmma_gemm_bf16_nt_wgrad", 40},
    LayerOperator{"aten::add", kKernelNames[1], "vectorized_elementwise_kernel<4, add_backward>", 9},
    LayerOperator{"aten::native_layer_norm", kKernelNames[2], "layer_norm_grad_input_kernel<float>", 12},
    LayerOperator{"aten::addmm", "sm90_xmma_gemm_bf16_tn_up", "sm90_xmma_gemm_bf16_nt_dgrad", 120},
    LayerOperator{"aten::gelu", "vectorized_elementwise_kernel<4, gelu>", "gelu_backward_kernel<bf16>", 14},
    LayerOperator{"aten::addmm", kKernelNames[3], "sm90_xmma_gemm_bf16_nt_wgrad", 115},
    LayerOperator{"aten::add", kKernelNames[1], "vectorized_elementwise_kernel<4, add_backward>", 9}};

class KinetoWriter {
 public:
  explicit KinetoWriter(std::FILE* file) : file_(file) {}

  std::size_t size_bytes() const { return size_bytes_; }
  std::size_t slices() const { return slices_; }
  bool ok() const { return ok_; }

  void begin() {
    put("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA "
        "H100 80GB "
        "HBM3\", \"totalGlobalMem\": 84929347584,\n      \"numSms\": 132\n    }\n  ],\n  "
        "\"distributedInfo\": "
        "{\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8},\n  \"displayTimeUnit\": \"ms\",\n  "
        "\"baseTimeNanoseconds\": 1767189312000000000,\n  \"traceEvents\": [\n");
    name("process_name", 4242, 0, "name", "\"python\"");
    name("process_labels", 4242, 0, "labels", "\"CPU\"");
    name("process_labels", 0, 0, "labels", "\"GPU 0\"");
    name("thread_name", 4242, 4242, "name", "\"thread 4242 (python)\"");
    name("thread_name", 0, 7, "name", "\"stream 7 \"");
  }

  // Adds an operator with its calls and kernels.
  void add_operator() {
    const char* op = kOperators[random_.below(kOperators.size())];
    const std::int64_t length = 20'000 + random_.below(60'000);
    ++external_;
    python("nn.Module: TransformerBlock_0", clock_ns_, length);
    python("torch/nn/modules/linear.py(124): forward", clock_ns_ + 400, length - 800);
    complete("cpu_op", op, 4242, 4242, clock_ns_ + 900, length - 1800);
    print(
        "      \"External id\": %u,\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], "
        "\"Input type\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], \"Input Strides\": [[4096, 1], [4096, "
        "1], [1]], "
        "\"Input Dims\": [[8192, 4096], [4096, 4096], [4096]], \"Ev Idx\": %u\n    }\n  },\n",
        external_, external_);
    complete("cpu_op", kOperators[random_.below(kOperators.size())], 4242, 4242, clock_ns_ + 2000,
             length / 2);
    ++external_;
    print(
        "      \"External id\": %u,\"Record function id\": 0, \"Sequence number\": %u, \"Fwd thread id\": 0, "
        "\"Ev "
        "Idx\": %u\n    }\n  },\n",
        external_, external_ / 3, external_);
    for (int i = 0; i < 2; ++i) launch(clock_ns_ + 3000 + i * (length / 5));
    clock_ns_ += length + 500 + random_.below(3000);
  }

  /// Adds a training step: four microbatches of kLayers layers forward and backward, then the optimizer.
  void add_step() {
    const std::int64_t begin_ns = clock_ns_;
    for (int microbatch = 0; microbatch < 4; ++microbatch) {
      const std::int64_t forward_ns = clock_ns_;
      for (int layer = 0; layer < kLayers; ++layer) add_forward_layer(layer);
      python("nn.Module: Model_0", forward_ns - 100, clock_ns_ - forward_ns + 200);
      clock_ns_ += 20'000;
      for (int layer = kLayers - 1; layer >= 0; --layer) add_backward_layer(layer);
      first_arrow_ += kLayers * static_cast<std::uint32_t>(kLayerOperators.size());
      clock_ns_ = std::max(clock_ns_ + 20'000, compute_free_ns_ - 500'000);  // the host runs ahead of the GPU
    }
    const std::int64_t optimizer_ns = clock_ns_;
    for (int i = 0; i < kLayers; ++i)
      launch(clock_ns_ += 8000, "multi_tensor_apply_kernel<AdamFunctor>", 7, 30'000);
    annotation("Optimizer.step#AdamW.step", optimizer_ns, clock_ns_ + 5000 - optimizer_ns);
    annotation("ProfilerStep#" + std::to_string(++step_), begin_ns - 1000, clock_ns_ + 10'000 - begin_ns);
    clock_ns_ += 30'000;
  }

  void end() {
    put("  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    "
        "\"pid\": \"Traces\", "
        "\"tid\": \"Trace PyTorch Profiler\", \"ts\": 0.001\n  }\n  ],\n  \"traceName\": \"made for the "
        "benchmark\"\n}\n");
  }

 private:
  static constexpr int kLayers = 48;

  void add_forward_layer(int layer) {
    const std::int64_t begin_ns = clock_ns_;
    int index = 0;
    for (const LayerOperator& op : kLayerOperators) {
      const std::int64_t length = 9000 + random_.below(3000);
      ++external_;
      const std::string module = "nn.Module: Linear_" + std::to_string(layer * 12 + index);
      python(module.c_str(), clock_ns_, length);
      python("torch/nn/modules/module.py(1747): _call_impl", clock_ns_ + 100, length - 200);
      complete("cpu_op", op.name, 4242, 4242, clock_ns_ + 900, length - 1800);
      print(
          "      \"External id\": %u, \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", "
          "\"c10::BFloat16\"], \"Input Dims\": [[4096], [8192, 4096], [4096, 4096]]\n    }\n  },\n",
          external_);
      flow("s", 4242, 4242, clock_ns_ + 900, "fwdbwd", arrow_of(layer, index++));
      launch(clock_ns_ + 3000, op.forward, 7, length_of(op, layer));
      clock_ns_ += length + 300;
    }
    const std::string module = "nn.Module: TransformerBlock_" + std::to_string(layer);
    python(module.c_str(), begin_ns - 50, clock_ns_ - begin_ns);
  }
  void add_backward_layer(int layer) {
    for (int index = static_cast<int>(kLayerOperators.size()) - 1; index >= 0; --index) {
      const LayerOperator& op = kLayerOperators[static_cast<std::size_t>(index)];
      const std::int64_t length = 14'000 + random_.below(3000);
      ++external_;
      complete("cpu_op", "autograd::engine::evaluate_function: Backward0", 4242, 4243, clock_ns_, length);
      print("      \"External id\": %u\n    }\n  },\n", external_);
      ++external_;
      complete("cpu_op", op.name, 4242, 4243, clock_ns_ + 900, length - 1800);
      print(
          "      \"External id\": %u, \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", "
          "\"c10::BFloat16\"], \"Input Dims\": [[4096], [8192, 4096], [4096, 4096]]\n    }\n  },\n",
          external_);
      flow("f", 4242, 4243, clock_ns_ + 900, "fwdbwd", arrow_of(layer, index));
      launch(clock_ns_ + 3000, op.backward, 7, length_of(op, layer), 4243);
      launch(clock_ns_ + 7000, kKernelNames[5], 7, 3000 + random_.below(100), 4243);
      clock_ns_ += length + 300;
    }
    launch(clock_ns_, kKernelNames[6], 20, 150'000 + random_.below(90'000), 4243);
    clock_ns_ += 4000;
  }
  /// Returns the length of a kernel with a jitter of 3 %. Layer 7 is a fifth slower.
  std::int64_t length_of(const LayerOperator& op, int layer) {
    return std::int64_t{op.us} * (layer == 7 ? 1200 : 1000) + random_.below(op.us * 30);
  }
  std::uint32_t arrow_of(int layer, int index) const {
    return first_arrow_ +
           static_cast<std::uint32_t>(layer * static_cast<int>(kLayerOperators.size()) + index);
  }
  void annotation(const std::string& title, std::int64_t at_ns, std::int64_t length_ns) {
    complete("user_annotation", title.c_str(), 4242, 4242, at_ns, length_ns);
    print("      \"External id\": %u\n    }\n  },\n", ++external_);
  }
  void put(std::string_view text) {
    size_bytes_ += text.size();
    ok_ = ok_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  }
  template <class... Values>
  void print(const char* format, Values... values) {
    std::array<char, 2048> text;
    const int length = std::snprintf(text.data(), text.size(), format, values...);
    put({text.data(), static_cast<std::size_t>(length)});
  }
  void name(const char* what, int pid, int tid, const char* key, const char* value) {
    print(
        "  {\n    \"name\": \"%s\", \"ph\": \"M\", \"ts\": 0.001, \"pid\": %d, \"tid\": %d,\n    \"args\": "
        "{\n      "
        "\"%s\": %s\n    }\n  },\n",
        what, pid, tid, key, value);
  }
  void complete(const char* category, const char* title, int pid, int tid, std::int64_t at_ns,
                std::int64_t length_ns) {
    ++slices_;
    print(
        "  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d,\n    \"ts\": "
        "%lld.%03lld, "
        "\"dur\": %lld.%03lld,\n    \"args\": {\n",
        category, title, pid, tid, static_cast<long long>(at_ns / 1000), static_cast<long long>(at_ns % 1000),
        static_cast<long long>(length_ns / 1000), static_cast<long long>(length_ns % 1000));
  }
  void python(const char* title, std::int64_t at_ns, std::int64_t length_ns) {
    complete("python_function", title, 4242, 4242, at_ns, length_ns);
    ++python_id_;
    print("      \"Python parent id\": %u, \"Python id\": %u, \"Ev Idx\": %u\n    }\n  },\n", python_id_ - 1,
          python_id_, external_);
  }
  void flow(const char* phase, int pid, int tid, std::int64_t at_ns, const char* category, std::uint32_t id) {
    print(
        "  {\n    \"ph\": \"%s\", \"id\": %u, \"pid\": %d, \"tid\": %d, \"ts\": %lld.%03lld,\n    \"cat\": "
        "\"%s\", "
        "\"name\": \"%s\"%s\n  },\n",
        phase, id, pid, tid, static_cast<long long>(at_ns / 1000), static_cast<long long>(at_ns % 1000),
        category, category, *phase == 'f' ? ", \"bp\": \"e\"" : "");
  }
  void launch(std::int64_t at_ns) {
    const int stream = random_.below(12) == 0 ? 20 : 7;
    const std::int64_t length = 2000 + random_.below(22'000);
    launch(at_ns, kKernelNames[random_.below(kKernelNames.size())], stream, length);
  }
  void launch(std::int64_t at_ns, const char* kernel, int stream, std::int64_t length, int thread = 4242) {
    ++correlation_;
    std::int64_t& free_ns = stream == 7 ? compute_free_ns_ : copy_free_ns_;
    const std::int64_t start = std::max(at_ns + 4000, free_ns);
    free_ns = start + length + 300;
    complete("cuda_runtime", "cudaLaunchKernel", 4242, thread, at_ns, 2500);
    print("      \"External id\": %u, \"cbid\": 211, \"correlation\": %u\n    }\n  },\n", external_,
          correlation_);
    flow("s", 4242, thread, at_ns, "ac2g", correlation_);
    complete("kernel", kernel, 0, stream, start, length);
    print(
        "      \"External id\": %u, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": %d, "
        "\"correlation\": %u,\n      \"registers per thread\": 128,\n      \"shared memory\": 49152,\n      "
        "\"blocks per "
        "SM\": 3.878788,\n      \"warps per SM\": 31.030304,\n      \"grid\": [32, 16, 1],\n      \"block\": "
        "[256, 1, "
        "1],\n      \"est. achieved occupancy %%\": 25\n    }\n  },\n",
        external_, stream, correlation_);
    flow("f", 0, stream, start, "ac2g", correlation_);
  }

  std::FILE* file_;
  Random random_;
  std::size_t size_bytes_ = 0;
  std::size_t slices_ = 0;
  bool ok_ = true;
  std::int64_t clock_ns_ = 6'120'450'310'442'118;
  std::int64_t compute_free_ns_ = 0;
  std::int64_t copy_free_ns_ = 0;
  std::uint32_t external_ = 0;
  std::uint32_t correlation_ = 0;
  std::uint32_t python_id_ = 0;
  std::uint32_t first_arrow_ = 0;  // id of the first arrow between the passes of a microbatch
  int step_ = 0;
};

/// Calls `add` until the file has what `done` wants. Returns a sentence on failure.
template <class Done, class Add>
std::optional<std::string> write_trace(const std::filesystem::path& path, const Done& done, const Add& add) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return "cannot write " + path.string();
  KinetoWriter writer(file);
  writer.begin();
  while (writer.ok() && !done(writer)) add(writer);
  writer.end();
  const bool closed = std::fclose(file) == 0;
  if (!writer.ok() || !closed) return "no space to write " + path.string();
  return std::nullopt;
}

// Fills one batch as a parse worker does.
class BatchMaker {
 public:
  BatchMaker() {
    for (const char* text : kKernelNames) batch_.names.intern(text);
    for (const char* text : kOperators) batch_.names.intern(text);
    kernel_category_ = static_cast<std::uint16_t>(batch_.categories.intern("kernel"));
    operator_category_ = static_cast<std::uint16_t>(batch_.categories.intern("cpu_op"));
  }

  void add_stream(std::uint32_t number, std::size_t slices) {
    const std::uint32_t track = batch_.tracks.intern(kino::TrackClass::gpu, "0", std::to_string(number));
    std::int64_t at_ns = 0;
    for (std::size_t i = 0; i < slices; ++i) {
      const std::int64_t length = 500 + random_.below(20'000);
      // Random idle gaps keep a row from being one block.
      at_ns += random_.below(64) == 0 ? random_.below(2'000'000) : random_.below(1500);
      add(track, random_.below(kKernelNames.size()), kernel_category_, at_ns, length);
      at_ns += length;
    }
  }

  // Adds nested operators with a depth of up to eight.
  void add_thread(std::uint32_t number, std::size_t slices) {
    const std::uint32_t track =
        batch_.tracks.intern(kino::TrackClass::cpu, "4242", std::to_string(5000 + number));
    std::int64_t at_ns = 0;
    for (std::size_t made = 0; made < slices;) {
      const std::int64_t length = 40'000 + random_.below(60'000);
      const std::size_t depth = 4 + random_.below(5);
      for (std::size_t level = 0; level < depth; ++level, ++made) {
        const auto inset = static_cast<std::int64_t>(level) * 900;
        add(track, name_of_operator(), operator_category_, at_ns + inset, length - 2 * inset);
      }
      at_ns += length + random_.below(5000);
    }
  }

  kino::EventBatch take() { return std::move(batch_); }
  std::uint64_t count() const { return count_; }

 private:
  std::uint32_t name_of_operator() {
    return static_cast<std::uint32_t>(kKernelNames.size()) + random_.below(kOperators.size());
  }
  void add(std::uint32_t track, std::uint32_t name, std::uint16_t category, std::int64_t at_ns,
           std::int64_t length) {
    kino::SliceRecord record;
    record.start_ns = at_ns;
    record.duration_ns = length;
    record.source_offset = count_++;
    record.name = name;
    record.track = track;
    record.category = category;
    batch_.slices.push_back(record);
  }

  kino::EventBatch batch_;
  Random random_;
  std::uint16_t kernel_category_ = 0;
  std::uint16_t operator_category_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

std::optional<std::string> write_kineto_trace(const std::filesystem::path& path, std::size_t size_bytes) {
  return write_trace(
      path, [=](const KinetoWriter& writer) { return writer.size_bytes() >= size_bytes; },
      [](KinetoWriter& writer) { writer.add_operator(); });
}

std::optional<std::string> write_layered_trace(const std::filesystem::path& path, std::size_t slices) {
  return write_trace(
      path, [=](const KinetoWriter& writer) { return writer.slices() >= slices; },
      [](KinetoWriter& writer) { writer.add_step(); });
}

std::shared_ptr<const kino::Trace> make_large_trace(std::size_t slices) {
  constexpr std::uint32_t kStreams = 8;
  constexpr std::uint32_t kThreads = 16;
  BatchMaker maker;
  for (std::uint32_t i = 0; i < kStreams; ++i) maker.add_stream(7 + i, slices / 2 / kStreams);
  for (std::uint32_t i = 0; i < kThreads; ++i) maker.add_thread(i, slices / 2 / kThreads);
  kino::BuildInput input;
  input.counts[kino::EventType::complete] = maker.count();
  input.batches.push_back(maker.take());
  input.decode = [](std::string_view text) { return std::string(text); };
  auto built = kino::build_trace(std::move(input), {});
  return built.ok() ? built.value() : nullptr;
}

}  // namespace kino_test
