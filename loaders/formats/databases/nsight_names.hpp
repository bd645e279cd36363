// Names for the numeric kinds in Nsight exports (copies, memsets, waits). Parses texts in exports: names of
// calls, operators marked by PyTorch, and payloads of NCCL calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// Returns Kineto's name, such as "Memcpy HtoD (Pageable -> Device)". For kinds that ENUM_CUDA_MEMCPY_OPER
/// does not define, the name is "Memcpy (unknown)".
std::string nsight_copy_name(std::int64_t copy_kind, std::int64_t source_kind, std::int64_t target_kind);
std::string nsight_memset_name(std::int64_t memory_kind);
/// Returns "Stream Sync", "Event Sync", ... for a value of ENUM_CUPTI_SYNC_TYPE; "Synchronization" for
/// unknown values.
std::string_view nsight_sync_name(std::int64_t type);
/// Removes a version suffix of four digits ("cudaLaunchKernel_v7000"), as Nsight does. Suffixes of five
/// digits remain.
std::string_view nsight_call_name(std::string_view name);

/// An NVTX range of torch.autograd.profiler.emit_nvtx(): "aten::index, seq = 10290, op_id = 71792, sizes =
/// [...]".
struct NvtxOperator {
  std::string_view name;
  std::string_view sizes;  ///< "[[10000, 768], [4, 512]]" or empty
  std::optional<std::int64_t> sequence;
  std::optional<std::int64_t> id;
};
/// Parses the text of a range; nullopt if it does not describe an operator.
std::optional<NvtxOperator> nvtx_operator(std::string_view text);

/// Content of the NVTX payload of an NCCL call. Absent numbers are -1.
struct NcclPayload {
  std::string communicator;  ///< decimal, up to 64 bits
  std::int64_t bytes = -1;
  std::int64_t ranks = -1;
  std::int64_t rank = -1;
};
/// Parses a payload; nullopt if the JSON contains no communicator. Unknown members are ignored.
std::optional<NcclPayload> nccl_payload(std::string_view json);

}  // namespace kino
