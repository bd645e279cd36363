// Causes to which the pieces of a critical path are attributed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

/// Cause of a piece of the path. Causes from `loader` on are activities of a thread.
enum class PathCause : std::uint8_t {
  compute,
  copy,            ///< copies and memsets
  moving,          ///< collective after the last rank has arrived
  waiting,         ///< collective that waits for other ranks
  launch_latency,  ///< from a launch call to the start of its work
  kernel_gap,      ///< between two pieces of work of a stream
  stream_wait,     ///< between the work of one stream and the work of another that waits for it
  sync_return,     ///< from the end of work to the return of the call that waits for it
  unexplained,     ///< part of an edge that exceeds kUnexplainedNs
  loader,          ///< data loading, with everything below it
  gc,
  op,
  python,
  annotation,
  silent,  ///< no recorded event
  launch_call,
  sync_call,  ///< own part of a call that waits
  memory_call,
  runtime_call,  ///< all other calls of the runtime and driver
};
inline constexpr std::size_t kPathCauseCount = static_cast<std::size_t>(PathCause::runtime_call) + 1;
using CauseSums = std::array<std::int64_t, kPathCauseCount>;

/// An edge between two pieces of GPU work, or between GPU work and a call, is explained up to this length.
inline constexpr std::int64_t kUnexplainedNs = 20'000;

constexpr std::size_t index_of_cause(PathCause cause) { return static_cast<std::size_t>(cause); }
/// Whether the cause is an activity of a thread.
constexpr bool is_of_thread(PathCause cause) { return cause >= PathCause::loader; }
/// Returns the name in JSON, CSV and on the command line: "launch latency", "operator".
std::string_view text_of(PathCause cause);
/// Returns the title for tables.
msg::Id title_of(PathCause cause);
std::optional<PathCause> path_cause_named(std::string_view name);

}  // namespace kino
