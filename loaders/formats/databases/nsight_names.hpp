// What Nsight Systems' numbers and texts are called: copies, waits, runtime calls, operators that PyTorch
// marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// As Kineto writes them: "Memcpy HtoD (Pageable -> Device)". Kinds beyond those of ENUM_CUDA_MEMCPY_OPER are
/// unknown ones.
std::string nsight_copy_name(std::int64_t copy_kind, std::int64_t source_kind, std::int64_t target_kind);
std::string nsight_memset_name(std::int64_t memory_kind);
/// "Stream Sync", "Event Sync", ... by ENUM_CUPTI_SYNC_TYPE.
std::string_view nsight_sync_name(std::int64_t type);
/// Without the version that Nsight cuts, too: one of four digits ("cudaLaunchKernel_v7000"); one of five
/// stays.
std::string_view nsight_call_name(std::string_view name);

/// An operator of torch.autograd.profiler.emit_nvtx(): "aten::index, seq = 10290, op_id = 71792, sizes =
/// [...]".
struct NvtxOperator {
  std::string_view name;
  std::string_view sizes;  ///< "[[10000, 768], [4, 512]]" or empty
  std::optional<std::int64_t> sequence;
  std::optional<std::int64_t> id;
};
/// Nothing when the text is no operator's.
std::optional<NvtxOperator> nvtx_operator(std::string_view text);

/// What NCCL says of one of its calls in an NVTX payload. Numbers that are absent are -1.
struct NcclPayload {
  std::string communicator;  ///< decimal, up to 64 bits
  std::int64_t bytes = -1;
  std::int64_t ranks = -1;
  std::int64_t rank = -1;
};
/// Nothing when the JSON has no communicator. Reads the members it knows, whatever else there is.
std::optional<NcclPayload> nccl_payload(std::string_view json);

}  // namespace kino
