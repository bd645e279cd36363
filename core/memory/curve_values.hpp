// Values of a curve of a snapshot's device at every event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Calls visit(event, bytes) with the value after each event, oldest first, until stopped. O(entries);
/// curve_at() for each event would cost CurvePyramid::kBlock times as much.
void visit_curve(const SnapshotDevice& device, MemoryCurve which, const std::stop_token& stop,
                 const std::function<void(std::size_t, std::uint64_t)>& visit);

}  // namespace kino
