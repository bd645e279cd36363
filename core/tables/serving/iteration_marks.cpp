#include "core/tables/serving/iteration_marks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

/// Families in order of preference, by source.
constexpr std::array<std::string_view, 11> kFamilies{"vllm-detailed",
                                                     "vllm",
                                                     "sglang",
                                                     "atom",
                                                     "tensorrt-llm",
                                                     "vllm-forward",
                                                     "sglang-forward",
                                                     "tensorrt-llm-forward",
                                                     "decode-step",
                                                     "token-step",
                                                     "step"};

std::size_t family_index(std::string_view family) {
  return static_cast<std::size_t>(std::ranges::find(kFamilies, family) - kFamilies.begin());
}

struct FoundMark {
  SliceId slice = kNoSlice;
  TrackId track{};
};

/// Marks by family, of the CPU and of the GPU.
struct FoundMarks {
  std::array<std::vector<FoundMark>, kFamilies.size()> cpu;
  std::array<std::vector<FoundMark>, kFamilies.size()> gpu;
  bool requests = false;
};

using MarkNames = std::unordered_map<std::uint32_t, MarkName>;

IterationMark mark_of(const Trace& trace, const MarkNames& names, SliceId slice) {
  const MarkName& name = names.at(index_of(trace.name(slice)));
  return {trace.range_of(slice), slice, name.phase, name.sizes};
}

/// Returns (process, thread) as texts.
std::pair<std::string, std::string> thread_text(const Trace& trace, TrackId thread) {
  const Track& track = trace.track(thread);
  return {trace.processes[track.process].pid, std::string(track.tid.view())};
}

/// Returns the marks of the engine, the thread with the most marks.
IterationMarks engine_marks(const Trace& trace, const MarkNames& names, std::size_t family,
                            const std::vector<FoundMark>& found) {
  std::map<TrackId, std::vector<IterationMark>> by_thread;
  for (const FoundMark& mark : found) by_thread[mark.track].push_back(mark_of(trace, names, mark.slice));
  IterationMarks engine;
  engine.family = kFamilies[family];
  for (auto& [thread, marks] : by_thread) keep_disjoint(marks);
  for (const auto& [thread, marks] : by_thread) {
    const bool more = marks.size() > by_thread[engine.thread].size() || engine.thread == kNoTrack;
    const bool greater = engine.thread != kNoTrack && marks.size() == by_thread[engine.thread].size() &&
                         thread_text(trace, thread) > thread_text(trace, engine.thread);
    if (more || greater) engine.thread = thread;
  }
  for (auto& [thread, marks] : by_thread) {
    if (thread == engine.thread) {
      engine.marks = std::move(marks);
    } else if (!marks.empty()) {
      engine.others.push_back({thread, marks.size()});
    }
  }
  return engine;
}

/// Returns marks from annotations on the GPU. Those of one name that overlap, on any streams, are one mark.
IterationMarks gpu_marks(const Trace& trace, const MarkNames& names, std::size_t family,
                         std::vector<FoundMark> found) {
  std::ranges::sort(found, {}, [&](const FoundMark& mark) {
    return std::tuple(trace.start_ns(mark.slice), -trace.duration_ns(mark.slice), index_of(mark.slice));
  });
  IterationMarks result;
  result.family = kFamilies[family];
  result.on_gpu = true;
  std::unordered_map<std::uint32_t, std::size_t> last;  // mark of each name
  for (const FoundMark& mark : found) {
    const TimeRange range = trace.range_of(mark.slice);
    const auto [at, added] = last.try_emplace(index_of(trace.name(mark.slice)), result.marks.size());
    if (!added && range.begin_ns < result.marks[at->second].range.end_ns) {
      TimeRange& hull = result.marks[at->second].range;
      hull.end_ns = std::max(hull.end_ns, range.end_ns);
      continue;
    }
    at->second = result.marks.size();
    result.marks.push_back(mark_of(trace, names, mark.slice));
  }
  keep_disjoint(result.marks);
  return result;
}

FoundMarks found_marks(const Trace& trace, const MarkNames& names, const std::vector<bool>& request_names,
                       const std::stop_token& stop) {
  FoundMarks found;
  std::uint32_t visited = 0;
  for (const Row& row : trace.rows) {
    const TrackKind track_kind = trace.track(row.track).kind;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return found;
      const SliceKind kind = trace.slices.kind[i];
      const bool cpu = kind == SliceKind::annotation && track_kind == TrackKind::cpu_thread;
      if (!cpu && kind != SliceKind::gpu_annotation) continue;
      const std::uint32_t name = index_of(trace.slices.name[i]);
      found.requests = found.requests || (cpu && request_names[name]);
      const auto mark = names.find(name);
      if (mark == names.end()) continue;
      const std::size_t family = family_index(mark->second.family);
      (cpu ? found.cpu : found.gpu)[family].push_back({SliceId{i}, row.track});
    }
  }
  return found;
}

}  // namespace

void keep_disjoint(std::vector<IterationMark>& marks) {
  std::ranges::stable_sort(marks, [](const IterationMark& a, const IterationMark& b) {
    return std::pair(a.range.begin_ns, -a.range.length_ns()) <
           std::pair(b.range.begin_ns, -b.range.length_ns());
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (kept > 0 && marks[i].range.begin_ns < marks[kept - 1].range.end_ns) continue;
    if (kept != i) marks[kept] = marks[i];
    ++kept;
  }
  marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(kept), marks.end());
}

MarksOfTrace find_iteration_marks(const Trace& trace, const std::stop_token& stop) {
  MarkNames names;
  std::vector<bool> request_names(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    if (std::optional<MarkName> mark = parse_mark_name(trace.names[i])) names.emplace(i, *mark);
    request_names[i] = is_request_name(trace.names[i]);
    any = any || request_names[i];
  }
  MarksOfTrace result;
  if (names.empty() && !any) return result;
  const FoundMarks found = found_marks(trace, names, request_names, stop);
  if (stop.stop_requested()) return result;
  result.requests = found.requests;
  for (std::size_t family = 0; family < kFamilies.size(); ++family) {
    if (found.cpu[family].empty()) continue;
    const MarkSource source = names.at(index_of(trace.name(found.cpu[family].front().slice))).source;
    IterationMarks& marks = source == MarkSource::batch     ? result.batch
                            : source == MarkSource::forward ? result.forward
                                                            : result.step;
    if (marks.empty()) marks = engine_marks(trace, names, family, found.cpu[family]);
  }
  for (std::size_t family = 0; family < kFamilies.size() && result.batch.empty(); ++family) {
    if (found.gpu[family].empty()) continue;
    const MarkSource source = names.at(index_of(trace.name(found.gpu[family].front().slice))).source;
    if (source == MarkSource::batch) result.batch = gpu_marks(trace, names, family, found.gpu[family]);
  }
  return result;
}

}  // namespace kino
