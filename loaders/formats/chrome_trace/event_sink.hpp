// Receives events from a writer of Chrome-trace text, so that this text need not be parsed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"
#include "loaders/formats/chrome_trace/parse_worker.hpp"
#include "loaders/formats/chrome_trace/partial_publisher.hpp"

namespace kino {

/// Produces the result that parse_chrome_trace() returns for well-formed text. All functions except input()
/// are called on one thread. Publishes partial traces if they are requested.
class EventSink {
 public:
  /// `text` is the text that the writer produces. All arguments must outlive this object.
  EventSink(GrowingText& text, const OpenOptions& options, LoadProgress& progress, std::stop_token stop);

  /// Starts the document. `head` is the text up to the bracket of the event array.
  void begin(std::string_view head);
  /// Returns the fields to fill for the next event; they are empty at first. Views must be valid until
  /// accept().
  EventFields& fields() { return fields_; }
  /// Adds the event whose brace is at `offset`.
  void accept(std::uint64_t offset);
  /// Adds the events since the last call to the trace. Call when the text before `end` can be read, because
  /// these events refer to it. `end` is between two events or after the array.
  void keep(std::uint64_t end);
  /// Ends the events. `closed`: whether the text includes the end of the array.
  void finish(bool closed);

  /// Returns the parsed input or an error. Call after finish(), or if begin() was never called.
  Result<BuildInput> input();

 private:
  GrowingText& text_;
  const OpenOptions& options_;
  LoadProgress& progress_;
  std::stop_token stop_;
  EventArray array_;
  EventFields fields_;
  std::vector<std::unique_ptr<ParseWorker>> workers_;  // a single one, filled by the writer's thread
  std::unique_lock<std::mutex> filling_;               // holds the worker's mutex except between pieces
  std::optional<PartialPublisher> publisher_;          // set if partial traces are requested
  std::uint64_t kept_ = 0;
  bool closed_ = false;
};

}  // namespace kino
