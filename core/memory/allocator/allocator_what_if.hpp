// The recorded requests under other settings: how much would be reserved, and would it have sufficed.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/allocator/allocator_trace.hpp"

namespace kino {

/// What a run begins with.
enum class WhatIfStart : std::uint8_t {
  fresh,  ///< nothing: older blocks are requested first, by address; the run begins anew with the setting
  keep,   ///< the recorded state: the setting changes while the run goes on
};

struct WhatIfOom {
  EventIndex event = 0;  ///< -1: among what is older than the recording
  std::uint64_t rounded_bytes = 0;
  std::uint64_t reserved = 0;
  std::uint64_t active = 0;
  std::uint64_t free = 0;
  std::uint64_t largest_free = 0;
};

struct WhatIfResult {
  std::optional<std::uint64_t> start_reserved;  ///< nothing when memory ran out before
  std::uint64_t peak_reserved = 0;
  EventIndex peak_event = kBeforeRecording;
  std::uint64_t active_at_peak = 0;  ///< rounded
  std::uint64_t peak_active = 0;
  std::uint64_t end_reserved = 0;
  std::uint64_t end_active = 0;
  FreeMemorySums free;  ///< at the peak; at the error where memory ran out
  AllocatorCounts counts;
  std::optional<WhatIfOom> oom;  ///< the first one: it ends the run
  bool stopped = false;

  /// Of the reserved memory at its peak, what is in no block: 1 - active / reserved.
  double fragmentation() const;
};

/// Something that the recording has not: a request is given back, or made again, before the ops of an event.
struct WhatIfEdit {
  EventIndex event = 0;
  std::uint32_t request = 0;
  bool again = false;
};

struct WhatIfOptions {
  WhatIfStart start = WhatIfStart::fresh;
  bool downwards = true;  ///< which way new segments lie: ties between free blocks go by address
  const std::vector<bool>* without = nullptr;  ///< by request: those that the run does without
  /// By event, what is given back before what is made again. A recorded free of what is given back does
  /// nothing.
  const std::vector<WhatIfEdit>* edits = nullptr;
};

/// Retries of the recording are left out: they come back where `rules` have a capacity. `curve`, unless null,
/// becomes the reserved bytes after each request and each release of the user's; `curve_events` their events.
/// O(ops * log).
WhatIfResult what_if(const AllocatorTrace& trace, const AllocatorRules& rules,
                     const WhatIfOptions& options = {}, std::vector<std::uint64_t>* curve = nullptr,
                     std::vector<EventIndex>* curve_events = nullptr, const std::stop_token& stop = {});

/// Whether a recorded out-of-memory error's request would have had room: what the model answers at its place.
struct OomAnswer {
  bool reached = false;  ///< false: memory ran out before
  bool fits = false;
  std::uint64_t reserved = 0;  ///< behind the request
};
OomAnswer answer_oom(const AllocatorTrace& trace, const AllocatorRules& rules, std::size_t oom,
                     const std::stop_token& stop = {});

/// What the allocator could reserve in the run, as far as the recording tells.
struct CapacityBounds {
  std::uint64_t low = 0;                  ///< the recorded peak
  std::optional<std::uint64_t> high;      ///< less than what a retry could not get
  std::optional<std::uint64_t> from_oom;  ///< what was reserved and free at an error: exactly
};
CapacityBounds capacity_bounds(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace);

/// About the least capacity, in steps of 2 MiB, that a run under `rules` has room in: it need not be
/// monotone. Nothing when stopped. O(20 runs).
std::optional<std::uint64_t> least_capacity(const AllocatorTrace& trace, AllocatorRules rules,
                                            const WhatIfOptions& options = {},
                                            const std::stop_token& stop = {});

}  // namespace kino
