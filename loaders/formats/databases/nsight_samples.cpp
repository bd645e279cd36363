#include "loaders/formats/databases/nsight_samples.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/trace/sampled_tracks.hpp"
#include "loaders/formats/databases/transcribed_rows.hpp"

namespace kino {
namespace {

constexpr std::string_view kSamples = "COMPOSITE_EVENTS";
constexpr std::string_view kStacks = "SAMPLING_CALLCHAINS";
constexpr std::string_view kTurns = "SCHED_EVENTS";
constexpr std::size_t kMostFrames = 256;

class StackSampler {
 public:
  StackSampler(const Database& database, const Transcription& to, RecordedProcesses& processes,
               const StringById& string_of)
      : database_(database), to_(to), processes_(processes), string_of_(string_of) {}

  SampledStacks run() {
    read_stacks();
    read_samples();
    if (stopped(to_)) return result_;
    std::ranges::sort(samples_, {}, [](const Sample& sample) {
      return std::tuple(sample.thread, sample.time_ns, sample.first);
    });
    std::size_t most = 0;
    for (std::size_t first = 0; first < samples_.size();) {
      if (stopped(to_)) break;
      std::size_t last = first;
      while (last < samples_.size() && samples_[last].thread == samples_[first].thread) ++last;
      const std::int64_t gap = typical_gap(first, last);
      if (last - first > most) {
        most = last - first;
        result_.typical_gap_ns = gap;
      }
      thread(first, last, gap);
      first = last;
    }
    return result_;
  }

 private:
  /// A function, or its module if the function has no symbol.
  struct Frame {
    std::string name;    // escaped
    std::string module;  // escaped
  };
  struct StackRow {
    std::int64_t id = 0;
    std::int64_t depth = 0;  // 0 for the innermost frame
    std::uint32_t frame = 0;
  };
  struct Sample {
    std::uint64_t thread = 0;
    std::int64_t time_ns = 0;
    std::size_t first = 0;  // index into stacks_
    std::int64_t cpu = -1;
  };
  struct Open {
    std::uint32_t frame = 0;
    std::int64_t start_ns = 0;
    std::uint64_t samples = 0;
  };

  void read_stacks() {
    for_each_row(database_, to_, kStacks,
                 {"id", "stackDepth", "symbol", "module", "unresolved", "kernelMode"},
                 [&](const DatabaseRows& rows) {
                   const auto id = rows.integer(0);
                   if (!id) return;
                   stacks_.push_back({*id, rows.integer_or(1, 0),
                                      frame(rows.integer_or(2, -1), rows.integer_or(3, -1),
                                            rows.integer_or(4, 0) != 0, rows.integer_or(5, 0) != 0)});
                 });
    const auto order = [](const StackRow& row) { return std::pair(row.id, row.depth); };
    if (!std::ranges::is_sorted(stacks_, {}, order)) std::ranges::stable_sort(stacks_, {}, order);
  }

  std::uint32_t frame(std::int64_t symbol, std::int64_t module, bool unresolved, bool kernel) {
    // Frames that have no symbol are merged per module, since their addresses differ in each call.
    const auto [place, fresh] =
        frame_numbers_.try_emplace(std::tuple(unresolved ? std::int64_t{-1} : symbol, module, kernel),
                                   static_cast<std::uint32_t>(frames_.size()));
    if (!fresh) return place->second;
    const std::string_view path = string_of_(module);
    std::string name = unresolved ? std::string() : std::string(string_of_(symbol));
    if (name.empty()) {
      const std::string_view file = path.substr(path.rfind('/') + 1);
      name = "[" + (kernel ? "kernel" : file.empty() ? "unknown" : std::string(file)) + "]";
    } else if (kernel) {
      name += " [kernel]";
    }
    frames_.push_back({std::move(name), std::string(path)});
    return place->second;
  }

  void read_samples() {
    for_each_row(
        database_, to_, kSamples, {"id", "start", "globalTid", "cpu"}, [&](const DatabaseRows& rows) {
          const auto id = rows.integer(0);
          const auto start = rows.integer(1);
          if (!start) {
            to_.damage.add(DamageReason::no_timestamp, kNoOffset, "");
            return;
          }
          const auto found = id ? std::ranges::lower_bound(stacks_, *id, {}, &StackRow::id) : stacks_.end();
          if (found == stacks_.end() || found->id != *id) {
            ++result_.without_stack;
            return;
          }
          ++result_.samples;
          samples_.push_back({static_cast<std::uint64_t>(rows.integer_or(2, 0)), *start,
                              static_cast<std::size_t>(found - stacks_.begin()), rows.integer_or(3, -1)});
        });
  }

  /// Returns the median distance between samples in ns; 0 for a single sample.
  std::int64_t typical_gap(std::size_t first, std::size_t last) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = first + 1; i < last; ++i)
      gaps.push_back(saturating_subtract(samples_[i].time_ns, samples_[i - 1].time_ns));
    if (gaps.empty()) return 0;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::ranges::nth_element(gaps, middle);
    return *middle;
  }

  void thread(std::size_t first, std::size_t last, std::int64_t gap_ns) {
    const RecordedProcesses::Thread& place = processes_.thread(samples_[first].thread);
    const EventPlace at{place.pid, processes_.side_track(place, "CPU samples")};
    std::int64_t until_ns = samples_[first].time_ns;
    for (std::size_t i = first; i < last; ++i) {
      if (i % 1024 == 0 && stopped(to_)) return;
      const Sample& sample = samples_[i];
      if (sample.time_ns != until_ns) close(0, until_ns, at);
      change_to(sample, at);
      const std::int64_t to_next =
          i + 1 < last ? saturating_subtract(samples_[i + 1].time_ns, sample.time_ns) : gap_ns;
      const bool next_to_each_other = to_next / 2 <= gap_ns;
      until_ns = saturating_add(sample.time_ns, next_to_each_other ? to_next : gap_ns);
    }
    close(0, until_ns, at);
  }

  /// Closes the open frames that are not in the sample's stack, and opens its other frames.
  void change_to(const Sample& sample, EventPlace at) {
    path_.clear();
    std::size_t row = sample.first;
    const std::int64_t id = stacks_[row].id;
    for (; row < stacks_.size() && stacks_[row].id == id && path_.size() < kMostFrames; ++row)
      path_.push_back(stacks_[row].frame);
    if (row < stacks_.size() && stacks_[row].id == id) ++result_.too_deep;
    std::ranges::reverse(path_);
    std::size_t same = 0;
    while (same < path_.size() && same < open_.size() && open_[same].frame == path_[same]) ++same;
    close(same, sample.time_ns, at);
    for (std::size_t i = same; i < path_.size(); ++i) open_.push_back({path_[i], sample.time_ns, 0});
    for (Open& open : open_) ++open.samples;
  }

  /// Writes the open frames from the index `from` on, and closes them. Outer frames are written first: if two
  /// slices have equal times, the first one is the parent.
  void close(std::size_t from, std::int64_t end_ns, EventPlace at) {
    for (std::size_t i = from; i < open_.size(); ++i) {
      const Frame& frame = frames_[open_[i].frame];
      to_.out.slice(kSampleCategory, frame.name, at, open_[i].start_ns, end_ns);
      to_.out.argument("samples", static_cast<std::int64_t>(open_[i].samples));
      if (!frame.module.empty()) to_.out.argument_text("module", frame.module);
    }
    open_.resize(std::min(from, open_.size()));
  }

  const Database& database_;
  const Transcription& to_;
  RecordedProcesses& processes_;
  const StringById& string_of_;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::uint32_t> frame_numbers_;
  std::vector<Frame> frames_;
  std::vector<StackRow> stacks_;
  std::vector<Sample> samples_;
  std::vector<Open> open_;  // frames of the current stack, outermost first
  std::vector<std::uint32_t> path_;
  SampledStacks result_;
};

}  // namespace

SampledStacks transcribe_samples(const Database& database, const Transcription& to,
                                 RecordedProcesses& processes, const StringById& string_of) {
  return StackSampler(database, to, processes, string_of).run();
}

namespace {

/// A change of a thread: it is scheduled onto a CPU or off it.
struct TurnChange {
  std::uint64_t thread = 0;
  std::int64_t time_ns = 0;
  std::int64_t cpu = -1;
  bool in = false;
  std::int64_t state = 0;
};

/// Returns the changes of known threads, sorted by thread, then by time. Counts the other threads.
std::vector<TurnChange> read_changes(const Database& database, const Transcription& to,
                                     RecordedProcesses& processes, SchedStats& result) {
  std::vector<TurnChange> changes;
  std::map<std::uint64_t, bool> known;
  for_each_row(database, to, kTurns, {"start", "cpu", "isSchedIn", "globalTid", "threadState"},
               [&](const DatabaseRows& rows) {
                 const auto start = rows.integer(0);
                 if (!start) {
                   to.damage.add(DamageReason::no_timestamp, kNoOffset, "");
                   return;
                 }
                 const auto thread = static_cast<std::uint64_t>(rows.integer_or(3, 0));
                 const auto [place, fresh] = known.try_emplace(thread, false);
                 if (fresh) place->second = processes.knows_thread(thread);
                 if (fresh && !place->second) ++result.other_threads;
                 if (place->second) {
                   changes.push_back({thread, *start, rows.integer_or(1, -1), rows.integer_or(2, 0) != 0,
                                      rows.integer_or(4, 0)});
                 }
               });
  // If a thread is scheduled off a CPU and onto one at the same time, the change off the CPU comes first.
  std::ranges::stable_sort(changes, {}, [](const TurnChange& change) {
    return std::tuple(change.thread, change.time_ns, change.in);
  });
  return changes;
}

}  // namespace

SchedStats import_sched_slices(const Database& database, const Transcription& to,
                               RecordedProcesses& processes) {
  SchedStats result;
  const std::vector<TurnChange> changes = read_changes(database, to, processes, result);
  std::map<std::int64_t, std::string> states;
  for_each_row(database, to, "ENUM_SAMPLING_THREAD_STATE", {"id", "label"}, [&](const DatabaseRows& rows) {
    if (rows.integer(0)) append_escaped(states[*rows.integer(0)], rows.text(1));
  });
  const TurnChange* begin = nullptr;
  EventPlace at;
  std::uint64_t last_thread = 0;
  std::uint64_t count = 0;
  for (const TurnChange& change : changes) {
    if (++count % 1024 == 0 && stopped(to)) return result;
    if (begin != nullptr && (begin->thread != change.thread || change.in)) {
      ++result.unpaired;
      begin = nullptr;
    }
    if (change.in) {
      begin = &change;
      continue;
    }
    if (begin == nullptr) {
      ++result.unpaired;
      continue;
    }
    if (at.pid.empty() || last_thread != change.thread) {
      const RecordedProcesses::Thread& place = processes.thread(change.thread);
      at = {place.pid, processes.side_track(place, "on CPU")};
      last_thread = change.thread;
    }
    to.out.slice(kSchedulingCategory,
                 begin->cpu < 0 ? std::string("on CPU") : "CPU " + std::to_string(begin->cpu), at,
                 begin->time_ns, change.time_ns);
    // State 0 is unknown.
    if (const auto state = states.find(change.state); change.state != 0 && state != states.end())
      to.out.argument_text("then", state->second);
    begin = nullptr;
  }
  if (begin != nullptr) ++result.unpaired;
  return result;
}

}  // namespace kino
