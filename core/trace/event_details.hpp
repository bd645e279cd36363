// Reads data of events that is not in the columns from the source: arguments, and the events themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/result.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/args.hpp"
#include "core/trace/argument_fields.hpp"
#include "core/trace/argument_term.hpp"
#include "core/trace/event_ref.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Progress of a search through all events, in bytes of the source.
struct ArgumentProgress {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> total_bytes{0};
};

struct TrimReport {
  std::uint64_t events = 0;      ///< events written
  std::uint64_t of_events = 0;   ///< events in the trace
  std::uint64_t unreadable = 0;  ///< events not written, because their form in the source cannot be parsed
  std::uint64_t bytes = 0;       ///< size of the new file
};

/// Reads events of one trace. Methods are called from several workers at once, because calls may read from
/// disk. Every call fails if the source has changed since the trace was built from it.
class EventDetails {
 public:
  EventDetails() = default;
  EventDetails(const EventDetails&) = delete;
  EventDetails& operator=(const EventDetails&) = delete;
  virtual ~EventDetails() = default;

  /// Returns the event as a tree, in the source's order; the object "args" contains its arguments. Fails for
  /// events that are too large or too deep to display. `event` must not be empty. O(event).
  virtual Result<ArgNode> read(EventRef event) const = 0;
  /// Returns the arguments as JSON, as written in the source; empty if there are none. Like read(), but
  /// without limits of size and depth.
  virtual Result<std::string> arguments_json(EventRef event) const = 0;

  /// Returns the names of arguments in some events of every category, which covers nearly all names. Stops
  /// early on request, or where the source is unreadable.
  virtual ArgumentFields sampled_fields(const std::stop_token& stop) const = 0;
  /// Returns the names of arguments in all events. Parameters and errors are as for find().
  virtual Result<ArgumentFields> all_fields(ArgumentProgress& progress, const std::function<void()>& advanced,
                                            const std::stop_token& stop) const = 0;
  /// Returns the slices for which `wanted` is true and whose events match all of the terms, of which there is
  /// at least one. The result is complete unless the call fails: `cancelled`, an unreadable source, or
  /// `unknown_format` for an unsupported term. Several threads call `wanted` and, from time to time,
  /// `advanced`. O(source), parallel.
  virtual Result<SliceSet> find(std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop) const = 0;

  /// Writes the events that touch the range to `out` as a trace, with gzip if its name ends in .gz (see
  /// TextFile). `bytes_read` counts up. On failure `out` is unchanged. O(source).
  virtual Result<TrimReport> write_part(TimeRange range, const std::filesystem::path& out,
                                        std::atomic<std::uint64_t>& bytes_read,
                                        const std::stop_token& stop) const = 0;
};

}  // namespace kino
