// Reads events and their arguments from the source, searches them, and writes the events of a time range to a
// new file.
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
  std::uint64_t events = 0;      ///< number of events written
  std::uint64_t of_events = 0;   ///< number of events in the trace
  std::uint64_t unreadable = 0;  ///< events not written, because their text in the source cannot be parsed
  std::uint64_t bytes = 0;       ///< size of the new file, in bytes
};

/// Reads events of one trace. Methods may read from disk and may be called from several threads at once.
/// read(), arguments_json() and write_part() fail if they detect that the source has changed since the trace
/// was built.
class EventDetails {
 public:
  EventDetails() = default;
  EventDetails(const EventDetails&) = delete;
  EventDetails& operator=(const EventDetails&) = delete;
  virtual ~EventDetails() = default;

  /// Returns the event as a tree, in the source's order; the object "args" contains its arguments. Fails for
  /// events that are too large or too deep to display. `event` must not be empty. O(event).
  virtual Result<ArgNode> read(EventRef event) const = 0;
  /// Returns the arguments as JSON, as written in the source; empty if there are none. Unlike read(), does
  /// not limit the size and depth of the event to what can be displayed.
  virtual Result<std::string> arguments_json(EventRef event) const = 0;

  /// Returns the names of arguments in a sample of events, which has nearly all names of the trace. If
  /// stopped, or if the source becomes unreadable, returns the names found so far.
  virtual ArgumentFields sampled_fields(const std::stop_token& stop) const = 0;
  /// Returns the names of arguments in the events of all slices. Parameters and errors are as for find().
  virtual Result<ArgumentFields> all_fields(ArgumentProgress& progress, const std::function<void()>& advanced,
                                            const std::stop_token& stop) const = 0;
  /// Returns the slices for which `wanted` is true and whose events match all of the terms, of which there is
  /// at least one. The result is complete unless the call fails: `cancelled`, an unreadable source, or
  /// `unknown_format` for an unsupported term. Several threads call `wanted` and, from time to time,
  /// `advanced`. O(source), parallel.
  virtual Result<SliceSet> find(std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop) const = 0;

  /// Writes the events that touch the range to `out` as a trace, compressed with gzip if the name of `out`
  /// ends in .gz (see TextFile). `bytes_read` is increased while the source is read. On failure, `out` is
  /// unchanged unless it is a pipe or device. Fails for capsules. O(source).
  virtual Result<TrimReport> write_part(TimeRange range, const std::filesystem::path& out,
                                        std::atomic<std::uint64_t>& bytes_read,
                                        const std::stop_token& stop) const = 0;
};

}  // namespace kino
