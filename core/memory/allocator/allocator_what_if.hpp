// Replays recorded requests under other settings: how much memory would be reserved, and whether it would
// fit.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/memory/allocator/allocator_trace.hpp"

namespace kino {

/// Initial state of a replay.
enum class WhatIfStart : std::uint8_t {
  fresh,  ///< empty: older blocks are requested first, by address, as if the setting applied from the start
  keep,   ///< the recorded state, as if the setting changed when the recording started
};

struct WhatIfOom {
  EventIndex event = 0;  ///< event of the failed request; -1: a request from before the recording
  std::uint64_t rounded_bytes = 0;
  std::uint64_t reserved = 0;
  std::uint64_t active = 0;
  std::uint64_t free = 0;
  std::uint64_t largest_free = 0;
};

struct WhatIfResult {
  std::optional<std::uint64_t> start_reserved;  ///< at the start; nullopt if memory ran out before
  std::uint64_t peak_reserved = 0;
  EventIndex peak_event = kBeforeRecording;
  std::uint64_t active_at_peak = 0;  ///< rounded bytes of active blocks
  std::uint64_t peak_active = 0;
  std::uint64_t end_reserved = 0;
  std::uint64_t end_active = 0;
  FreeMemorySums free;  ///< free memory at the peak, or at the error if memory ran out
  AllocatorCounts counts;
  std::optional<WhatIfOom> oom;  ///< first error, which ends the replay
  bool stopped = false;

  /// Returns the part of the peak of reserved memory that is in no active block: 1 - active / reserved.
  double fragmentation() const;
};

/// A change to the recording: a request is freed, or made again, before the ops of an event.
struct WhatIfEdit {
  EventIndex event = 0;
  std::uint32_t request = 0;
  bool again = false;
};

struct WhatIfOptions {
  WhatIfStart start = WhatIfStart::fresh;
  bool downwards = true;  ///< direction of new segments; between equal free blocks, the lower address is used
  const std::vector<bool>* without = nullptr;  ///< requests to leave out, by request
  /// Sorted by event; at equal events, frees precede new requests. A recorded free of a request that is
  /// already freed has no effect.
  const std::vector<WhatIfEdit>* edits = nullptr;
};

/// Replays the trace under `rules`. Recorded retries are ignored; the model retries if `rules` limit the
/// memory. If not null, `curve` receives the reserved bytes after each request and each release by the user,
/// and `curve_events` receives the events. O(ops * log).
WhatIfResult what_if(const AllocatorTrace& trace, const AllocatorRules& rules,
                     const WhatIfOptions& options = {}, std::vector<std::uint64_t>* curve = nullptr,
                     std::vector<EventIndex>* curve_events = nullptr, const std::stop_token& stop = {});

/// Result for the request of a recorded out-of-memory error: whether it would have fit when the replay
/// reaches it.
struct OomResult {
  bool reached = false;  ///< false: memory ran out earlier
  bool fits = false;
  std::uint64_t reserved = 0;  ///< reserved memory after the request
};
OomResult compute_oom(const AllocatorTrace& trace, const AllocatorRules& rules, std::size_t oom,
                      const std::stop_token& stop = {});

/// Bounds of the memory that the allocator could reserve in the run, from the recording.
struct CapacityBounds {
  std::uint64_t low = 0;                  ///< the recorded peak
  std::optional<std::uint64_t> high;      ///< upper bound: the allocator failed to reserve more, and retried
  std::optional<std::uint64_t> from_oom;  ///< reserved and free memory at the first error: the exact capacity
};
CapacityBounds capacity_bounds(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace);

/// Returns the approximate smallest capacity for a run under `rules`, in steps of 2 MiB. It is approximate
/// because a run that fits one capacity can fail at a larger one. nullopt if stopped. O(20 runs).
std::optional<std::uint64_t> least_capacity(const AllocatorTrace& trace, AllocatorRules rules,
                                            const WhatIfOptions& options = {},
                                            const std::stop_token& stop = {});

}  // namespace kino
