#include "tests/bench/trace_generator.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
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

class KinetoWriter {
 public:
  explicit KinetoWriter(std::FILE* file) : file_(file) {}

  std::size_t size_bytes() const { return size_bytes_; }
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

  void end() {
    put("  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    "
        "\"pid\": \"Traces\", "
        "\"tid\": \"Trace PyTorch Profiler\", \"ts\": 0.001\n  }\n  ],\n  \"traceName\": \"made for the "
        "benchmark\"\n}\n");
  }

 private:
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
  void flow(const char* phase, int pid, int tid, std::int64_t at_ns) {
    print(
        "  {\n    \"ph\": \"%s\", \"id\": %u, \"pid\": %d, \"tid\": %d, \"ts\": %lld.%03lld,\n    \"cat\": "
        "\"ac2g\", "
        "\"name\": \"ac2g\"%s\n  },\n",
        phase, correlation_, pid, tid, static_cast<long long>(at_ns / 1000),
        static_cast<long long>(at_ns % 1000), *phase == 'f' ? ", \"bp\": \"e\"" : "");
  }
  void launch(std::int64_t at_ns) {
    ++correlation_;
    const int stream = random_.below(12) == 0 ? 20 : 7;
    const std::int64_t length = 2000 + random_.below(22'000);
    std::int64_t& free_ns = stream == 7 ? compute_free_ns_ : copy_free_ns_;
    const std::int64_t start = std::max(at_ns + 4000, free_ns);
    free_ns = start + length + 300;
    complete("cuda_runtime", "cudaLaunchKernel", 4242, 4242, at_ns, 2500);
    print("      \"External id\": %u, \"cbid\": 211, \"correlation\": %u\n    }\n  },\n", external_,
          correlation_);
    flow("s", 4242, 4242, at_ns);
    complete("kernel", kKernelNames[random_.below(kKernelNames.size())], 0, stream, start, length);
    print(
        "      \"External id\": %u, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": %d, "
        "\"correlation\": %u,\n      \"registers per thread\": 128,\n      \"shared memory\": 49152,\n      "
        "\"blocks per "
        "SM\": 3.878788,\n      \"warps per SM\": 31.030304,\n      \"grid\": [32, 16, 1],\n      \"block\": "
        "[256, 1, "
        "1],\n      \"est. achieved occupancy %%\": 25\n    }\n  },\n",
        external_, stream, correlation_);
    flow("f", 0, stream, start);
  }

  std::FILE* file_;
  Random random_;
  std::size_t size_bytes_ = 0;
  bool ok_ = true;
  std::int64_t clock_ns_ = 6'120'450'310'442'118;
  std::int64_t compute_free_ns_ = 0;
  std::int64_t copy_free_ns_ = 0;
  std::uint32_t external_ = 0;
  std::uint32_t correlation_ = 0;
  std::uint32_t python_id_ = 0;
};

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
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return "cannot write " + path.string();
  KinetoWriter writer(file);
  writer.begin();
  while (writer.size_bytes() < size_bytes && writer.ok()) writer.add_operator();
  writer.end();
  const bool closed = std::fclose(file) == 0;
  if (!writer.ok() || !closed) return "no space to write " + path.string();
  return std::nullopt;
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
