// Events that are told by who writes their text, so that it need not be parsed.
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

/// What parse_chrome_trace() would find in the text, from a writer whose JSON is well formed. One thread
/// calls all but input(). Publishes partial traces as the parser does.
class ToldEvents {
 public:
  /// `text` is what the writer writes to. All outlive this.
  ToldEvents(GrowingText& text, const OpenOptions& options, LoadProgress& progress, std::stop_token stop);

  /// `head` is the text from its beginning to the bracket that opens the event array.
  void begin(std::string_view head);
  /// The next event's, cleared. Views have to last until accept().
  EventFields& fields() { return fields_; }
  /// The event whose brace stands at `offset`.
  void accept(std::uint64_t offset);
  /// The text up to `end`, which lies between two events or behind the array, can be read: what was told
  /// since the last call counts.
  void keep(std::uint64_t end);
  /// Nothing more will be told. `closed`: the end of the array is kept.
  void finish(bool closed);

  /// Once finish() was called, or begin() never: the same that the parser gives, and the same errors.
  Result<BuildInput> input();

 private:
  GrowingText& text_;
  const OpenOptions& options_;
  LoadProgress& progress_;
  std::stop_token stop_;
  EventArray array_;
  EventFields fields_;
  std::vector<std::unique_ptr<ParseWorker>> workers_;  // one, which the writer's thread fills
  std::unique_lock<std::mutex> filling_;               // of its mutex, but for moments between two pieces
  std::optional<PartialPublisher> publisher_;          // when somebody wants partial traces
  std::uint64_t kept_ = 0;
  bool closed_ = false;
};

}  // namespace kino
