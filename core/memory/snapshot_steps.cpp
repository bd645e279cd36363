#include "core/memory/snapshot_steps.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "core/base/ascii.hpp"
#include "core/base/step_words.hpp"

namespace kino {
namespace {

/// Returns a step's name without its number: "ProfilerStep" for "ProfilerStep#12".
std::string_view without_number(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return name;
  const auto letter = name.find_last_not_of(" #_-:=0123456789");
  return letter == name.npos ? name : name.substr(0, letter + 1);
}

constexpr std::size_t kNoStepRank = 7;

/// Returns how well a region's name marks steps; lower is better.
std::size_t step_rank(std::string_view name) {
  constexpr std::array<std::string_view, 4> kCalled{"step", "iter", "batch", "epoch"};
  if (name.starts_with(kStepWord)) return 0;
  if (name.starts_with("Optimizer.step")) return 1;
  if (name.starts_with("Optimizer.zero_grad")) return 2;
  const std::string lower = lowered(name);
  for (std::size_t i = 0; i < kCalled.size(); ++i) {
    if (lower.find(kCalled[i]) != lower.npos) return 3 + i;
  }
  return kNoStepRank;
}

/// Returns whether the regions are those of the optimizer, which are at the end or start of a step and do not
/// span it.
bool ends_steps_only(std::size_t rank) { return rank == 1 || rank == 2; }

}  // namespace

std::vector<AnnotationSpan> annotation_spans(const Snapshot& snapshot, std::size_t index,
                                             const std::stop_token& stop) {
  const SnapshotDevice& device = snapshot.devices[index];
  std::vector<AnnotationSpan> spans;
  std::vector<std::size_t> open;
  if (device.host && snapshot.source != SnapshotSource::trace) return spans;
  for (const SnapshotAnnotation& annotation : snapshot.annotations) {
    if (stop.stop_requested()) break;
    if (annotation.device != device.ordinal) continue;
    const EventIndex event = event_at_time(device, annotation.time_us) + 1;
    if (annotation.start) {
      open.push_back(spans.size());
      spans.push_back({event, kNever, static_cast<std::uint32_t>(open.size() - 1), annotation.name});
      continue;
    }
    const auto started = std::find_if(open.rbegin(), open.rend(),
                                      [&](std::size_t i) { return spans[i].name == annotation.name; });
    if (started == open.rend()) continue;
    spans[*started].end = event;
    open.erase(std::next(started).base());
  }
  return spans;
}

SnapshotSteps snapshot_steps(const Snapshot& snapshot, std::size_t index, const std::stop_token& stop) {
  constexpr std::size_t kLeast = 2;
  std::map<std::string_view, std::vector<AnnotationSpan>> regions;
  for (const AnnotationSpan& span : annotation_spans(snapshot, index, stop)) {
    if (span.end == kNever || span.end <= span.begin) continue;
    regions[without_number(snapshot.text(span.name))].push_back(span);
  }
  SnapshotSteps steps;
  std::size_t best = kNoStepRank;
  for (auto& [name, list] : regions) {
    const std::size_t rank = step_rank(name);
    if (rank >= best) continue;
    const EventIndex begin = ends_steps_only(rank) ? 0 : list.front().begin;
    std::ranges::stable_sort(list, {}, &AnnotationSpan::end);
    const auto ends_there = [](const AnnotationSpan& a, const AnnotationSpan& b) { return a.end == b.end; };
    list.erase(std::unique(list.begin(), list.end(), ends_there), list.end());
    if (list.size() < kLeast) continue;
    best = rank;
    steps = {begin, {}, {}, std::string(name)};
    for (const AnnotationSpan& span : list) {
      steps.ends.push_back(span.end - 1);
      steps.names.push_back(span.name);
    }
  }
  if (!steps.ends.empty()) return steps;
  const std::size_t count = snapshot.devices[index].entries.entry_count();
  if (count < kSnapshotParts) return steps;
  for (std::size_t i = 1; i <= kSnapshotParts; ++i)
    steps.ends.push_back(static_cast<EventIndex>(count * i / kSnapshotParts) - 1);
  return steps;
}

}  // namespace kino
