// Facts on a communication kernel: the collective, amount and type of data, and the ranks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {

struct Trace;

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send,
  receive,
  send_receive,  ///< sends and receives, as in an all-to-all or between pipeline stages; the name does not
                 ///< show which
  barrier,
  other,
};
std::string_view text_of(CollectiveKind kind);

/// Returns the kind of collective from a kernel name (ncclDevKernel_AllGather_RING_LL,
/// multimem_all_reduce_kernel, ...) or from the name in its metadata (allreduce, _allgather_base,
/// nccl:all_to_all, ...).
CollectiveKind collective_kind(std::string_view name);

/// Returns the bytes per element of a PyTorch type (Float, c10::BFloat16, Byte, ...); 0 if unknown.
std::int64_t element_bytes(std::string_view dtype);

/// Facts on one collective. Unknown values are -1 or empty.
struct CollectiveFacts {
  CollectiveKind kind = CollectiveKind::other;
  std::string_view group;  ///< description of the process group, or its name if it has no description
  std::int64_t group_size = -1;
  std::int64_t in_elements = -1;  ///< number of input elements on this rank
  std::int64_t out_elements = -1;
  std::string_view dtype;
  std::string_view group_name;      ///< name of the process group, as in the file header
  std::string_view group_ranks;     ///< ranks as recorded, truncated after 30: "[0, 1, ..., 29, ...]"
  std::int64_t sequence = -1;       ///< sequence number in the process group; for a point-to-point message,
                                    ///< its number among the messages of the two ranks
  std::uint64_t communication = 0;  ///< id that is equal on all ranks of a collective; 0 if unknown
  std::int64_t source = -1;         ///< sending rank of a message
  std::int64_t target = -1;         ///< receiving rank of a message
  // `call_sequence` and `call_group` are inputs of record_param_comms in torch 2.1 to 2.3, which record no
  // Seq. They are not verified.
  std::int64_t call_sequence = -1;  ///< number of the call in its group; -1: not recorded
  std::string_view call_group;      ///< id or address of the group, different in each process
  SliceId call = kNoSlice;          ///< the record_param_comms call with `call_sequence` and `call_group`
  bool told = false;                ///< whether metadata describes the collective, not only the kernel's name
  bool known_from_kernel = false;   ///< whether the kernel's own metadata describes the collective

  /// Returns the bytes of one call as counted by nccl-tests (doc/PERFORMANCE.md): the size of the largest
  /// buffer of a rank. For an all-gather and a gather, this is the receive buffer. -1 if unknown.
  std::int64_t bytes() const;
};

/// Returns the facts on a collective, from the kernel's own arguments or from the annotation of a collective
/// on a CPU thread. Missing facts are read from the operators and annotations around its launch, innermost
/// first: record_param_comms or, in older traces, nccl:all_reduce and similar with their shapes. `facts` is
/// the result of decode_facts(). The result contains views into the trace. O(depth).
CollectiveFacts collective_facts(const Trace& trace, const std::vector<EventFacts>& facts, SliceId kernel);

}  // namespace kino
