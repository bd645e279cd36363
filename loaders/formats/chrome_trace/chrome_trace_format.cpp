#include "loaders/formats/chrome_trace/chrome_trace_format.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_loader.hpp"
#include "loaders/formats/chrome_trace/json_event_details.hpp"

namespace kino {

FormatMatch chrome_trace_match(std::string_view head) {
  using namespace std::string_view_literals;
  if (unsupported_content(head)) return FormatMatch::none;
  const std::size_t begin = text_begin(head);
  if (head[begin] != '{' && head[begin] != '[') return FormatMatch::barely;
  const auto in_head = [&](std::string_view key) { return contains(head, key); };
  constexpr std::array kKeys = {R"("traceEvents")"sv,     R"("ph")"sv,
                                R"("schemaVersion")"sv,   R"("deviceProperties")"sv,
                                R"("displayTimeUnit")"sv, R"("baseTimeNanoseconds")"sv,
                                R"("distributedInfo")"sv};
  return std::ranges::any_of(kKeys, in_head) ? FormatMatch::surely : FormatMatch::maybe;
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Builds the trace. `start` is the time at which reading started.
Result<OpenedFile> build_opened(Result<BuildInput> parsed, const FormatInput& input,
                                Clock::time_point start) {
  if (!parsed) return parsed.error();
  const GrowingText& text = input.content;
  LoadProgress& progress = input.progress;
  parsed->damage.merge(input.source_damage());
  text.source()->settle();
  OpenedTrace opened;
  opened.stats.parse_seconds = seconds_since(start);
  progress.stage = LoadStage::arranging;
  parsed->threads = input.options.threads;
  parsed->sample_at = [source = text.source()](std::uint64_t offset) {
    Result<std::string> sample = source->read_text(offset, Damage::kSampleBytes);
    return sample ? std::move(*sample) : std::string();
  };
  parsed->on_indexing = [&progress] { progress.stage = LoadStage::indexing; };
  const Clock::time_point build_start = Clock::now();
  Result<std::shared_ptr<const Trace>> built = build_trace(std::move(*parsed), input.stop);
  if (!built) return built.error();
  opened.trace = std::move(*built);
  opened.text = text.source();
  opened.details = json_event_details(opened.trace, opened.text);
  opened.stats.build_seconds = seconds_since(build_start);
  opened.stats.text_bytes = text.source()->size_bytes();
  return OpenedFile(std::move(opened));
}

}  // namespace

Result<OpenedFile> open_chrome_trace(const FormatInput& input) {
  const Clock::time_point start = Clock::now();
  return build_opened(parse_chrome_trace(input.content, input.options, input.progress, input.stop), input,
                      start);
}

Result<OpenedFile> open_event_sink(const FormatInput& input, const std::function<void(EventSink&)>& tell) {
  const Clock::time_point start = Clock::now();
  EventSink events(input.content, input.options, input.progress, input.stop);
  tell(events);
  return build_opened(events.input(), input, start);
}

}  // namespace kino
