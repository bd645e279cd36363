#include "core/memory/tables/snapshot_verdict.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time_text.hpp"
#include "core/memory/categories/inferred_steps.hpp"
#include "core/memory/snapshot_history.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/memory_forecast.hpp"
#include "core/memory/tables/oom_analysis.hpp"

namespace kino {
namespace {

constexpr std::size_t kNamedCategories = 2;
constexpr double kLeastNamed = 0.01;  // smallest share of the peak for which a category is named

Message place_of(const Snapshot& snapshot, const OomPlace& place) {
  return place_of_frame(frame_text(snapshot, place.frame), place.of_free);
}

/// Returns the place with the most memory, as a sentence. If more memory has no place, states its size and
/// the reason. Empty if no stack of live memory is recorded. `places` are sorted by size, largest first.
Message largest_place(const Snapshot& snapshot, const Allocations& allocations,
                      std::span<const OomPlace> places, ByteUnits units) {
  const auto named =
      std::ranges::find_if(places, [](const OomPlace& place) { return place.frame != kNoFrame; });
  if (named == places.end()) return {};
  const std::string bytes = text_from_bytes(static_cast<double>(named->bytes), units);
  if (named == places.begin()) return {msg::verdict_largest_place, place_of(snapshot, *named), bytes};
  const OomPlace& larger = places.front();
  const bool older = allocations.begin[index_of(larger.largest)] == kBeforeRecording;
  return {older ? msg::verdict_largest_recorded : msg::verdict_largest_with_stack, place_of(snapshot, *named),
          bytes, text_from_bytes(static_cast<double>(larger.bytes), units)};
}

SnapshotVerdict out_of_memory(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event,
                              ByteUnits units) {
  const auto bytes = [units](std::uint64_t count) {
    return text_from_bytes(static_cast<double>(count), units);
  };
  const OomAnalysis oom = analyze_oom(snapshot, device, event);
  SnapshotVerdict verdict{SnapshotVerdictKind::out_of_memory, {}, {}, event};
  verdict.headline = {msg::verdict_out_of_memory, bytes(oom.asked), bytes(oom.active),
                      bytes(oom.memory.reserved)};
  if (oom.setting && !oom.setting->line.empty()) {
    verdict.evidence = {msg::verdict_fragmented, bytes(oom.memory.free), bytes(oom.memory.largest_free),
                        oom.setting->line};
  }
  verdict.evidence.then(largest_place(snapshot, device.history.allocations, oom.places, units));
  return verdict;
}

/// Returns a text such as "Optimizer state 3.3 GB (47.2 %)" for each of the largest categories after `event`.
/// Empty if the categories are unknown.
std::vector<Message> largest_categories(const Snapshot& snapshot, std::size_t index, EventIndex event,
                                        const CategoryRuleSet& rules, ByteUnits units,
                                        const std::stop_token& stop) {
  const Result<AllocationCategories> categories = categorize(snapshot, index, rules, units, stop);
  if (!categories.ok()) return {};
  const AllocationHistory& history = snapshot.devices[index].history;
  std::vector<std::pair<std::uint64_t, std::size_t>> sums(categories.value().names.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].second = i;
  std::uint64_t total = 0;
  for (const AllocationId id : live_at(history, event)) {
    const std::size_t i = index_of(id);
    sums[categories.value().of_allocation[i]].first += history.allocations.size[i];
    total += history.allocations.size[i];
  }
  std::ranges::stable_sort(sums, std::ranges::greater(), &std::pair<std::uint64_t, std::size_t>::first);
  std::vector<Message> largest;
  for (const auto& [bytes, category] : sums) {
    const double share = total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total);
    const Message& name = categories.value().names[category];
    if (share < kLeastNamed || largest.size() == kNamedCategories || is_unknown_category(name)) break;
    largest.emplace_back(msg::verdict_category, name, text_from_bytes(static_cast<double>(bytes), units),
                         text_from_share(share));
  }
  return largest;
}

SnapshotVerdict growth(const MemoryForecast& forecast, const CurvePeak& peak, ByteUnits units) {
  SnapshotVerdict verdict{SnapshotVerdictKind::grows, {}, {}, peak.event};
  verdict.headline = {msg::verdict_grows, text_from_bytes(forecast.fit.per_step, units),
                      text_from_bytes(static_cast<double>(peak.bytes), units)};
  verdict.evidence = joined_sentences(forecast_notes(forecast, units));
  return verdict;
}

/// Returns whether memory leaks, as a sentence, if the forecast names no steady growth.
Message no_growth_text(NoForecastReason doubt) {
  if (doubt == NoForecastReason::no_steps) return msg::verdict_growth_without_steps;
  if (doubt == NoForecastReason::few_steps)
    return {msg::verdict_growth_few_steps, std::to_string(kLeastForecastSteps)};
  return msg::verdict_no_steady_growth;
}

std::optional<EventIndex> first_oom(const SnapshotDevice& device, const std::stop_token& stop) {
  constexpr std::size_t kStopEvery = 65536;
  for (std::size_t i = 0; i < device.entries.action.size(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) return std::nullopt;
    if (device.entries.action[i] == SnapshotAction::oom) return static_cast<EventIndex>(i);
  }
  return std::nullopt;
}

}  // namespace

std::size_t device_of_largest_peak(const Snapshot& snapshot) {
  if (snapshot.devices.empty()) return 0;
  const auto most = std::ranges::max_element(snapshot.devices, {}, [](const SnapshotDevice& device) {
    return device.history.curve(MemoryCurve::requested).peak.bytes;
  });
  return static_cast<std::size_t>(most - snapshot.devices.begin());
}

SnapshotVerdict snapshot_verdict(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules,
                                 ByteUnits units, const std::stop_token& stop) {
  const SnapshotDevice& shown = snapshot.devices[device];
  if (const std::optional<EventIndex> oom = first_oom(shown, stop))
    return out_of_memory(snapshot, shown, *oom, units);
  const CurvePeak& peak = shown.history.curve(MemoryCurve::requested).peak;
  const MemoryForecast forecast = memory_forecast(shown, steps_of(snapshot, device, stop), std::nullopt);
  if (forecast.doubt == NoForecastReason::none) return growth(forecast, peak, units);
  SnapshotVerdict verdict;
  if (peak.bytes == 0) {
    verdict.headline = msg::verdict_nothing_live;
    return verdict;
  }
  const bool history = has_history(shown);
  verdict.kind = history ? SnapshotVerdictKind::peak : SnapshotVerdictKind::state;
  verdict.event = peak.event;
  const std::string total = text_from_bytes(static_cast<double>(peak.bytes), units);
  const std::vector<Message> parts = largest_categories(snapshot, device, peak.event, rules, units, stop);
  if (parts.empty()) {
    verdict.headline = {history ? msg::verdict_peak : msg::verdict_live, total};
  } else {
    verdict.headline = {history ? msg::verdict_peak_of : msg::verdict_live_of, total, comma_list(parts)};
  }
  verdict.evidence =
      largest_place(snapshot, shown.history.allocations, live_places(snapshot, shown, peak.event), units);
  verdict.evidence.then(history ? no_growth_text(forecast.doubt) : Message(msg::verdict_no_history));
  return verdict;
}

}  // namespace kino
