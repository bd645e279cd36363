// What a recording asked of the allocator, resolved once: requests, frees and releases in their order, and
// what was there before.
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
  std::uint64_t stream_order = 0;  ///< its handle: released in this order
  bool may_expand = true;
  bool is_default = true;
};

struct AllocatorRequest {
  std::uint64_t bytes = 0;  ///< as requested
  PlaceId place = 0;        ///< in AllocatorTrace::places
};

enum class AllocatorOpKind : std::uint8_t {
  allocate,
  request_free,  ///< only where the free completes later
  complete,
  release,  ///< empty_cache() of the user's
  retry,    ///< a release of the allocator's own, for a request
  out_of_memory,
};

struct AllocatorOp {
  AllocatorOpKind kind = AllocatorOpKind::allocate;
  std::uint32_t request = 0;  ///< of releases their number in AllocatorTrace::releases, of oom in ::ooms
  EventIndex event = 0;
};

/// A run of segment_free and segment_unmap.
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

/// A segment when the recording began, with its blocks.
struct StartSegment {
  PlaceId place = 0;
  bool small = false;
  bool expandable = false;
  std::vector<AllocatorModel::Given> blocks;
  std::vector<std::uint32_t> requests;  ///< of each block the request that uses it, or kNoBlock
};

struct AllocatorTrace {
  std::vector<RequestPlace> places;
  std::vector<AllocatorRequest> requests;  ///< what is older than the recording first, by address
  std::vector<AllocatorOp> ops;
  std::uint32_t older = 0;                ///< requests
  std::vector<std::uint32_t> request_of;  ///< by allocation, or kNoBlock
  std::vector<ReleaseRun> releases;
  std::vector<RecordedOom> ooms;
  std::vector<StartSegment> start;
  std::uint64_t start_reserved = 0;
  std::uint64_t start_active = 0;
  std::uint64_t ambiguous = 0;  ///< older blocks of which only is known that they might be up to 1 MiB larger
  std::uint64_t allocs = 0;
  AllocatorRules rules;           ///< as recorded
  bool downwards = true;          ///< which way new segments lie
  std::vector<Message> problems;  ///< what makes the recording doubtful, a sentence each
  Message refused;                ///< why it cannot be replayed, one sentence; empty when it can

  std::uint64_t recorded_peak = 0;  ///< of reserved memory
  std::uint64_t lost_frees = 0;
};

/// O(entries * log). Refused when stopped.
AllocatorTrace allocator_trace(const Snapshot& snapshot, std::size_t device, bool ascend,
                               const std::stop_token& stop = {});
/// The rules of a run as far as its file tells them; `ascend`: with the padding of that device.
AllocatorRules recorded_rules(const Snapshot& snapshot, std::size_t device, bool ascend);
/// Ascend pads requests by 32 bytes. Nothing when the blocks do not tell.
std::optional<bool> is_ascend(const Snapshot& snapshot, std::size_t device);

}  // namespace kino
