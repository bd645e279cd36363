// The first hits of a search in the order that a person wants them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/slice_set.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class HitColumn : std::uint8_t { name, track, start, duration };

struct HitOrder {
  HitColumn column = HitColumn::start;
  bool ascending = true;
  bool operator==(const HitOrder&) const = default;
};

/// The first `limit` slices of `hits`: by name as bytes compare, by track as they stand on screen, by start
/// or by duration; equal ones by (start, id), whatever the direction. Empty when stopped. O(hits + slices /
/// 64 + limit log limit), parallel. `threads` 0: as many as the machine has.
std::vector<SliceId> ordered_hits(const Trace& trace, const SliceSet& hits, HitOrder order, std::size_t limit,
                                  const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace kino
