// What the source of a trace still knows of its events beyond the columns: arguments, and the events
// themselves.
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

/// How far a search through all events is: bytes of the source.
struct ArgumentProgress {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> total_bytes{0};
};

struct TrimReport {
  std::uint64_t events = 0;      ///< that were written
  std::uint64_t of_events = 0;   ///< of the trace
  std::uint64_t unreadable = 0;  ///< not written because the source has them in no form that can be read
  std::uint64_t bytes = 0;       ///< of the new file
};

/// Asked from workers, since an answer may have to be read: by several at once, each call for itself. A
/// source that has changed since the trace was made from it is an Error of every call.
class EventDetails {
 public:
  EventDetails() = default;
  EventDetails(const EventDetails&) = delete;
  EventDetails& operator=(const EventDetails&) = delete;
  virtual ~EventDetails() = default;

  /// The whole event as a tree, its arguments in the object "args", in the source's order. What is too large
  /// or too deep to be looked at is an Error that says so. `event` is one. Costs the event, not the source.
  virtual Result<ArgNode> read(EventRef event) const = 0;
  /// Its arguments as JSON, as the source has them; empty without any. As read() but for sizes.
  virtual Result<std::string> arguments_json(EventRef event) const = 0;

  /// The names of arguments in some events of every category: nearly all there are. Stops early when asked,
  /// or where the source cannot be read.
  virtual ArgumentFields sampled_fields(const std::stop_token& stop) const = 0;
  /// Of all events; else as find().
  virtual Result<ArgumentFields> all_fields(ArgumentProgress& progress, const std::function<void()>& advanced,
                                            const std::stop_token& stop) const = 0;
  /// The slices for which `wanted` holds and whose events have all of the (one or more) terms. Complete
  /// unless it fails: `cancelled`, a source that cannot be read any more, or `unknown_format` for a term that
  /// cannot be looked for. `wanted` and, from time to time, `advanced` are called from any of several
  /// threads. O(source), parallel.
  virtual Result<SliceSet> find(std::span<const ArgumentTerm> terms,
                                const std::function<bool(SliceId)>& wanted, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop) const = 0;

  /// Writes the part of the trace that touches the range to `out` as a trace of its own, as TextFile does
  /// (gzip when it ends in .gz). `bytes_read` counts up. Fails when that cannot be; then `out` is as it was.
  /// O(source).
  virtual Result<TrimReport> write_part(TimeRange range, const std::filesystem::path& out,
                                        std::atomic<std::uint64_t>& bytes_read,
                                        const std::stop_token& stop) const = 0;
};

}  // namespace kino
