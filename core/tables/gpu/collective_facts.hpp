// What a kernel that communicates sends: which collective, how much of what type, among which ranks.
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
  send_receive,  ///< a kernel that does both: for an all-to-all, or a pipeline's neighbours; its name says no
                 ///< more
  barrier,
  other,
};
std::string_view text_of(CollectiveKind kind);

/// From a kernel's name (ncclDevKernel_AllGather_RING_LL, multimem_all_reduce_kernel, ...) or the name that
/// its metadata gives (allreduce, _allgather_base, nccl:all_to_all, ...).
CollectiveKind collective_kind(std::string_view name);

/// Bytes of one element of a type as PyTorch writes it (Float, c10::BFloat16, Byte, ...); 0 when unknown.
std::int64_t element_bytes(std::string_view dtype);

/// What is unknown is -1 or empty.
struct CollectiveFacts {
  CollectiveKind kind = CollectiveKind::other;
  std::string_view group;  ///< the process group's description, or else its name
  std::int64_t group_size = -1;
  std::int64_t in_elements = -1;  ///< of this rank
  std::int64_t out_elements = -1;
  std::string_view dtype;
  std::string_view group_name;      ///< as the header lists it
  std::string_view group_ranks;     ///< as written, cut after 30: "[0, 1, ..., 29, ...]"
  std::int64_t sequence = -1;       ///< in its group, or of a message between its two ranks
  std::uint64_t communication = 0;  ///< equal on all ranks of one collective; 0: unknown
  std::int64_t source = -1;         ///< the rank that a message comes from
  std::int64_t target = -1;         ///< and the one that it goes to
  // From record_param_comms of torch 2.1 to 2.3, which has no Seq. Both are unverified inputs of a call.
  std::int64_t call_sequence = -1;  ///< number of the call in its group; -1: not recorded
  std::string_view call_group;      ///< id or address of the group, which differs from process to process
  SliceId call = kNoSlice;          ///< the record_param_comms that these are of
  bool told = false;                ///< by metadata, and not by the kernel's name alone
  bool told_by_kernel = false;      ///< by its own

  /// Of one call as nccl-tests count (doc/PERFORMANCE.md): what the largest buffer of a rank holds, which is
  /// the receive buffer of an all-gather and a gather; -1 when unknown.
  std::int64_t bytes() const;
};

/// Reads the kernel's own arguments, or the annotation of a collective on a CPU thread; for the rest, what
/// the operators and annotations around its launch do, the innermost first (record_param_comms, and in older
/// traces nccl:all_reduce and its like with their shapes). `facts` are decode_facts(). Views into the trace.
/// O(depth).
CollectiveFacts collective_facts(const Trace& trace, const std::vector<EventFacts>& facts, SliceId kernel);

}  // namespace kino
