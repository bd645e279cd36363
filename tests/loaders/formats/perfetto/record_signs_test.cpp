// Covers: record_signs, rocprof_records
// Kinds of Kineto records without a category, by the arguments they have in recordings.
#include "loaders/formats/perfetto/record_signs.hpp"

#include <initializer_list>
#include <string_view>

#include <doctest/doctest.h>

#include "loaders/formats/perfetto/rocprof_records.hpp"

namespace record_kinds {
namespace {

std::string_view category(std::string_view name, std::initializer_list<std::string_view> arguments,
                          bool of_operators = false) {
  std::uint16_t signs = 0;
  for (const std::string_view argument : arguments) signs |= kino::sign_of_argument(argument);
  return kino::category_of_signs(signs, kino::signs_of_name(name), of_operators);
}

bool is_operator(std::string_view name, std::initializer_list<std::string_view> arguments) {
  std::uint16_t signs = 0;
  for (const std::string_view argument : arguments) signs |= kino::sign_of_argument(argument);
  return kino::is_operator(signs, kino::signs_of_name(name));
}

}  // namespace

TEST_CASE("recognizes GPU work of NVIDIA and AMD, and calls with the same arguments") {
  CHECK(category("gemm", {"device", "stream", "correlation", "grid", "registers per thread"}) == "kernel");
  CHECK(category("Cijk_Alik", {"External id", "correlation", "device", "kind", "stream"}) == "kernel");
  CHECK(category("hipLaunchKernel", {"cid", "correlation", "grid", "block", "kernel"}) == "cuda_runtime");
  CHECK(category("hipLaunchKernel", {"cid", "correlation", "grid", "stream"}) == "cuda_runtime");
  CHECK(category("cuLaunchKernel", {"cbid", "correlation"}) == "cuda_driver");
  CHECK(category("cudaDeviceSynchronize", {}) == "cuda_runtime");
  CHECK(category("Memcpy HtoD", {"device", "stream", "bytes", "memory bandwidth (GB/s)"}) == "gpu_memcpy");
  CHECK(category("Memcpy HtoD (Host -> Device)", {"device", "kind", "stream"}) == "gpu_memcpy");
  CHECK(category("Memset (Device)", {"device", "kind", "stream"}) == "gpu_memset");
  CHECK(category("Memset (Device)", {"device", "stream", "bytes", "memory bandwidth (GB/s)"}) ==
        "gpu_memset");
  CHECK(category("Stream Sync", {"device", "stream", "cuda_sync_kind"}) == "cuda_sync");
}

TEST_CASE("records of the host remain there, even with arguments of a GPU") {
  CHECK(category("triton_poi_fused", {"Ev Idx", "External id", "Input Dims", "grid", "stream"}, true) ==
        "cpu_op");
  CHECK(category("aten::mm", {"External id", "Record function id", "Ev Idx"}, true) == "cpu_op");
  CHECK(category("forward", {"External id", "Record function id", "Ev Idx"}) == "user_annotation");
  CHECK(category("torch/nn/modules/module.py(1): forward", {"Ev Idx", "Python id"}) == "python_function");
  CHECK(category("anything", {}).empty());
}

TEST_CASE("ranges of frameworks and collectives are not operators, even with colons and sizes") {
  CHECK(is_operator("aten::mm", {}));
  CHECK(is_operator("_C::rms_norm", {}));
  CHECK(is_operator("autograd::engine::evaluate_function: MmBackward0", {}));
  CHECK(is_operator("triton_poi_fused", {"Input Dims"}));
  CHECK(is_operator("c10d::allreduce_", {"Input Dims"}));
  CHECK_FALSE(is_operator("FSDP::pre_forward", {}));
  CHECK_FALSE(is_operator("nccl:all_reduce", {"Input Dims"}));
  CHECK_FALSE(is_operator("ProfilerStep#3", {"Input Dims"}));
  CHECK_FALSE(is_operator("forward", {"External id"}));
}

TEST_CASE("recognizes tracks of rocprofv3 by their whole name") {
  const auto stream = kino::rocprof_track("COMPUTE AGENT [2] STREAM [1] (GPU)");
  REQUIRE(stream.has_value());
  CHECK(stream->agent == 2);
  CHECK(stream->lane == 1);
  CHECK(stream->on_gpu);
  CHECK_FALSE(stream->of_thread);
  const auto queue = kino::rocprof_track("COMPUTE GPU [0] QUEUE [3] GPU");
  REQUIRE(queue.has_value());
  CHECK(queue->agent == 0);
  CHECK(queue->lane == 3);
  const auto thread = kino::rocprof_track("COPY to AGENT [0] THREAD [5] (CPU)");
  REQUIRE(thread.has_value());
  CHECK(thread->of_thread);
  CHECK_FALSE(thread->on_gpu);
  for (const std::string_view other :
       {"COMPUTE UNIT [1] SIMD [2]", "COMPUTE AGENT [x] STREAM [1] (GPU)", "COPY to host", "main thread", ""})
    CHECK_FALSE(kino::rocprof_track(other).has_value());
  CHECK(kino::agent_number("AGENT-12") == 12);
  CHECK_FALSE(kino::agent_number("AGENT").has_value());
}

}  // namespace record_kinds
