// Calls of the runtime and driver that wait for GPU work, classified by what they wait for.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Work that a call waits for.
enum class WaitTarget : std::uint8_t {
  none,
  device,  ///< all work of the device
  stream,
  event,
  copy,    ///< the copy that the call itself launches
  memory,  ///< all work of the device, before memory is freed or pinned
};

/// Returns what a call of this name may wait for.
WaitTarget wait_target(std::string_view call);

/// Returns the calls that may wait for GPU work, sorted by id: synchronizations, copies that outlast their
/// own copy, and calls that free or pin memory. `tolerance_ns`: error of the recorded times. O(slices).
std::vector<SliceId> waiting_calls(const Trace& trace, std::int64_t tolerance_ns,
                                   const std::stop_token& stop = {});

}  // namespace kino
