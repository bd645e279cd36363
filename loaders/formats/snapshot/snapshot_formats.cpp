#include "loaders/formats/snapshot/snapshot_formats.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/base/ascii.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"
#include "loaders/formats/snapshot/snapshot_loader.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

bool begins_as_json(std::string_view head) {
  const std::size_t begin = text_begin(head);
  return begin < head.size() && (head[begin] == '{' || head[begin] == '[');
}

Result<OpenedFile> open_form(const FormatInput& input, SnapshotSource source) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Result<std::shared_ptr<const Snapshot>> loaded = load_snapshot(
      input.content, source, input.options.libraries, input.source_damage, input.progress, input.stop);
  if (!loaded) return loaded.error();
  OpenedSnapshot opened;
  opened.snapshot = std::move(*loaded);
  opened.stats.parse_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  opened.stats.text_bytes = input.content.source()->size_bytes();
  if (input.options.keep_text) opened.text = input.content.source();
  return OpenedFile(std::move(opened));
}

}  // namespace

FormatMatch pickled_snapshot_match(std::string_view head) {
  if (!looks_like_pickle(head)) return FormatMatch::none;
  const bool named =
      contains(head, "segments"sv) || contains(head, "device_traces"sv) || contains(head, "total_size"sv);
  return named ? FormatMatch::surely : FormatMatch::none;
}

FormatMatch pickle_match(std::string_view head) {
  return looks_like_pickle(head) ? FormatMatch::barely : FormatMatch::none;
}

FormatMatch snapshot_page_match(std::string_view head) {
  const std::size_t begin = text_begin(head);
  if (begin >= head.size() || head[begin] != '<') return FormatMatch::none;
  return contains(head, "MemoryViz"sv) || contains(head, "memory_viz"sv) ? FormatMatch::surely
                                                                         : FormatMatch::none;
}

FormatMatch json_snapshot_match(std::string_view head) {
  if (!begins_as_json(head)) return FormatMatch::none;
  const auto in_head = [&](std::string_view key) { return contains(head, key); };
  constexpr std::array kKeys = {R"("device_traces")"sv, R"("segments")"sv, R"("segment_type")"sv,
                                R"("total_size")"sv, R"("allocator_settings")"sv};
  return std::ranges::any_of(kKeys, in_head) ? FormatMatch::surely : FormatMatch::none;
}

FormatMatch memory_timeline_match(std::string_view head) {
  if (!begins_as_json(head)) return FormatMatch::none;
  // Memory timelines start with [[time, action, bytes, category], ... or [[time, time, ...], [[0, bytes, ...
  const std::string_view text = head.substr(text_begin(head));
  std::size_t numbers = 0;
  std::size_t brackets = 0;
  for (const char c : text.substr(0, 200)) {
    if (c == '[') ++brackets;
    if (c == ']') break;
    if (c == ',') ++numbers;
    if (!is_digit(c) && !contains("[,- \n", {&c, 1})) return FormatMatch::none;
  }
  constexpr std::size_t kFewTimes = 8;  // a list of times is longer
  const std::size_t end = text.find(']');
  const std::string_view rest = end == text.npos ? std::string_view() : text.substr(end + 1, 8);
  const bool times = numbers >= kFewTimes || contains(rest, "[["sv);
  return brackets == 2 && (numbers == 3 || times) ? FormatMatch::surely : FormatMatch::none;
}

Result<OpenedFile> open_pickled_snapshot(const FormatInput& input) {
  return open_form(input, SnapshotSource::pickle);
}
Result<OpenedFile> open_snapshot_page(const FormatInput& input) {
  return open_form(input, SnapshotSource::html);
}
Result<OpenedFile> open_json_snapshot(const FormatInput& input) {
  return open_form(input, SnapshotSource::json);
}
Result<OpenedFile> open_memory_timeline(const FormatInput& input) {
  return open_form(input, SnapshotSource::memory_timeline);
}

}  // namespace kino
