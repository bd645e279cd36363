#include "loaders/formats/perfetto/rocprof_records.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

/// Removes the number at the start of `text` and returns it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Removes text up to and including the number in the next brackets, and returns that number.
std::optional<std::int64_t> take_index(std::string_view& text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  text.remove_prefix(open + 1);
  return take_number(text);
}

}  // namespace

std::string_view category_of_rocprof(std::string_view category) {
  constexpr std::pair<std::string_view, std::string_view> kRocprofCategories[] = {
      {"kernel_dispatch", "kernel"}, {"memory_copy", "gpu_memcpy"},     {"hip_api", "hip_runtime"},
      {"hsa_api", "hsa_api"},        {"marker_api", "user_annotation"}, {"rccl_api", "user_annotation"}};
  const auto* const found =
      std::ranges::find(kRocprofCategories, category, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kRocprofCategories) ? std::string_view() : found->second;
}

std::optional<RocprofTrack> rocprof_track(std::string_view name) {
  if (!name.starts_with("COMPUTE ") && !name.starts_with("COPY to ")) return std::nullopt;
  RocprofTrack track;
  const auto agent = take_index(name);
  track.of_thread = contains(name, " THREAD [");
  if (!track.of_thread && !contains(name, " STREAM [") && !contains(name, " QUEUE [")) return std::nullopt;
  const auto lane = take_index(name);
  if (!agent || !lane) return std::nullopt;
  track.agent = *agent;
  track.lane = *lane;
  track.on_gpu = contains(name, "GPU");
  return track;
}

std::optional<std::int64_t> rocprof_lane(std::string_view name) {
  const bool stream = name.starts_with("STREAM [");
  if (!stream && !name.starts_with("QUEUE [")) return std::nullopt;
  constexpr std::string_view kAround = " \\\"";  // names are escaped
  name.remove_prefix(name.find('[') + 1);
  name.remove_prefix(std::min(name.find_first_not_of(kAround), name.size()));
  const auto lane = take_number(name);
  name.remove_prefix(std::min(name.find_first_not_of(kAround), name.size()));
  return name.starts_with("]") && name.find_first_not_of(' ', 1) == std::string_view::npos ? lane
                                                                                           : std::nullopt;
}

std::optional<std::int64_t> agent_number(std::string_view agent) {
  const std::size_t digits = agent.find_first_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  agent.remove_prefix(digits);
  return take_number(agent);
}

}  // namespace kino
