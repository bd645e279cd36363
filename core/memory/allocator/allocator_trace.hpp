// Requests, frees and releases of a recording in their order, with the state at the start of the recording.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/allocator/allocator_model.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Requests of one stream in one pool.
struct RequestPlace {
  std::uint16_t pool = 0;
  std::uint16_t stream = 0;
  std::uint64_t stream_order = 0;  ///< handle of the stream; a pool's places are released in this order
  bool may_expand = true;
  bool is_default = true;
};

struct AllocatorRequest {
  std::uint64_t bytes = 0;  ///< requested size, before rounding
  PlaceId place = 0;        ///< index into AllocatorTrace::places
};

enum class AllocatorOpKind : std::uint8_t {
  allocate,
  request_free,  ///< a free by the user; only if it does not complete at once
  complete,
  release,  ///< empty_cache() by the user
  retry,    ///< a release of all cached memory by the allocator for a request
  out_of_memory,
};

struct AllocatorOp {
  AllocatorOpKind kind = AllocatorOpKind::allocate;
  std::uint32_t request = 0;  ///< index into requests; for releases index into releases, for errors into ooms
  EventIndex event = 0;
};

/// Consecutive segment_free and segment_unmap entries.
struct ReleaseRun {
  EventIndex begin = 0;
  std::uint32_t count = 0;
  bool by_user = false;
};

/// An out-of-memory error.
struct RecordedOom {
  EventIndex event = 0;
  std::uint64_t rounded_bytes = 0;
  std::uint64_t device_free = 0;
  std::uint64_t reserved = 0;
  PlaceId place = 0;
};

/// A segment, or the range of an expandable segment, at the start of the recording, with its blocks.
struct StartSegment {
  PlaceId place = 0;
  bool small = false;
  bool expandable = false;
  std::vector<AllocatorModel::Given> blocks;
  std::vector<std::uint32_t> requests;  ///< request that uses each block, or kNoBlock; by block
};

struct AllocatorTrace {
  std::vector<RequestPlace> places;
  std::vector<AllocatorRequest> requests;  ///< requests from before the recording first, by address
  std::vector<AllocatorOp> ops;
  std::uint32_t older = 0;                ///< number of requests from before the recording
  std::vector<std::uint32_t> request_of;  ///< request of each allocation, or kNoBlock; by allocation
  std::vector<ReleaseRun> releases;
  std::vector<RecordedOom> ooms;
  std::vector<StartSegment> start;
  std::uint64_t start_reserved = 0;
  std::uint64_t start_active = 0;
  std::uint64_t ambiguous = 0;  ///< number of older blocks whose size is uncertain by up to 1 MiB
  std::uint64_t allocs = 0;
  AllocatorRules rules;           ///< as recorded
  bool downwards = true;          ///< whether each new segment is below the previous one
  std::vector<Message> problems;  ///< doubts about the recording, one sentence each
  Message refused;                ///< why the recording cannot be replayed, one sentence; empty if it can be

  std::uint64_t recorded_peak = 0;  ///< recorded peak of reserved memory
};

/// Builds the trace of a device. If stopped, the result is refused. O(entries * log).
AllocatorTrace allocator_trace(const Snapshot& snapshot, std::size_t device, bool ascend,
                               const std::stop_token& stop = {});
/// Returns the rules of a run from its file; with Ascend's padding and alignment if `ascend`.
AllocatorRules recorded_rules(const Snapshot& snapshot, std::size_t device, bool ascend);
/// Returns whether requests have Ascend's padding of 32 bytes, according to the final small blocks. False if
/// the file contains settings; nullopt if no small block is in use.
std::optional<bool> is_ascend(const Snapshot& snapshot, std::size_t device);

}  // namespace kino
