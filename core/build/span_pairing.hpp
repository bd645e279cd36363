// Pairs begin and end events (B/E per thread, b/n/e and S/T/F by id) into slices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/damage.hpp"
#include "core/build/event_batch.hpp"

namespace kino {

struct SpanPairs {
  std::vector<SliceRecord> slices;
  std::vector<PointRecord> instants;  ///< asynchronous steps, and ends that have no begin
  std::uint64_t matched = 0;          ///< B with an E
  std::uint64_t async_matched = 0;
  DamageLog damage;
};

/// `spans` are sorted by (track, time, place in the file). An E closes the innermost open B of its track; if
/// it has a name and that B another one, the innermost B of the same name, if there is one: what lies above
/// it ends there too. What stays open ends at `end_ns`. O(n) for nested input.
SpanPairs pair_spans_of(std::span<const PointRecord> spans, std::int64_t end_ns);

}  // namespace kino
