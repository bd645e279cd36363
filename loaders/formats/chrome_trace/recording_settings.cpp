#include "loaders/formats/chrome_trace/recording_settings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>

#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostBefore = std::size_t{1} << 20U;
constexpr std::size_t kMostAfter = std::size_t{64} << 10U;
constexpr std::size_t kMostValue = 64;
constexpr std::array<std::string_view, 11> kSettings{
    "cuda_driver_version", "cuda_runtime_version", "cupti_version", "hip_driver_version",
    "hip_runtime_version", "profile_memory",       "record_shapes", "torch_version",
    "with_flops",          "with_modules",         "with_stack"};

using Settings = std::map<std::string, std::string, std::less<>>;

void take(std::string_view key, std::string_view value, Settings& settings) {
  value = unquoted(value);
  if (std::ranges::find(kSettings, key) == kSettings.end() || value.empty() || value.size() > kMostValue)
    return;
  settings.try_emplace(std::string(key), value);
}

/// Reads the members after the events. The text may start within a member.
void take_after(std::string_view text, Settings& settings) {
  for (const std::string_view key : kSettings) {
    const std::string quoted = '"' + std::string(key) + '"';
    const std::size_t at = text.rfind(quoted);
    if (at == std::string_view::npos) continue;
    std::size_t begin = skip_space(text, at + quoted.size());
    if (begin >= text.size() || text[begin] != ':') continue;
    begin = skip_space(text, begin + 1);
    const std::size_t end = begin < text.size() ? value_end(text, begin) : kIncomplete;
    if (end != kIncomplete) take(key, text.substr(begin, end - begin), settings);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recording_settings(const TextSource& text) {
  Settings settings;
  const Result<std::string> head = text.read_text(0, kMostBefore);
  if (head.ok()) {
    const std::size_t begin = skip_space(head.value(), 0);
    if (begin < head.value().size() && head.value()[begin] == '{') {
      for_each_member(std::string_view(head.value()).substr(begin),
                      [&](std::string_view key, std::string_view value) {
                        take(key, value, settings);
                        return key != "traceEvents";
                      });
    }
  }
  const std::uint64_t size = text.size_bytes();
  const std::uint64_t from = size > kMostAfter ? size - kMostAfter : 0;
  const Result<std::string> tail = text.read_text(from, static_cast<std::size_t>(size - from));
  if (tail.ok()) {
    // Skips all events except for the end of the last event, from its "ph" on.
    std::string_view after = tail.value();
    const std::size_t event = after.rfind("\"ph\"");
    if (event != std::string_view::npos) after.remove_prefix(event);
    take_after(after, settings);
  }
  return {settings.begin(), settings.end()};
}

}  // namespace kino
