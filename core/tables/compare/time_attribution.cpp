#include "core/tables/compare/time_attribution.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {

/// A piece of GPU work or an event of a thread, with its precedence.
struct LedgerItem {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  SliceId slice = kNoSlice;
  std::uint8_t rank = 0;  ///< precedence of the item's cause: a busy moment belongs to the running item with
                          ///< the lowest rank
};

namespace {

constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
constexpr std::array<std::string_view, kTimeCategoryCount> kCauseNames{
    "comm", "compute", "copy", "cpu", "idle:host", "idle:launch", "idle:loader", "idle:tail"};
constexpr std::array<TimeCategory, 3> kBusy{TimeCategory::compute, TimeCategory::comm, TimeCategory::copy};

/// Returns by NameId whether a kernel of this name is a collective.
std::vector<std::uint8_t> collective_names(const Trace& trace) {
  std::vector<std::uint8_t> out(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i)
    out[i] = is_attributed_collective(trace.names[i]) ? 1 : 0;
  return out;
}

std::vector<LedgerItem> work_items(const Trace& trace, std::span<const StreamWork> streams,
                                   AttributedCollectives communication) {
  const std::vector<std::uint8_t> collective = collective_names(trace);
  const auto rank_of = [&](SliceId slice) -> std::uint8_t {
    const SliceKind kind = trace.kind(slice);
    if (kind == SliceKind::copy) return 2;
    if (communication == AttributedCollectives::all) return kind == SliceKind::communication ? 1 : 0;
    return collective[index_of(trace.name(slice))];
  };
  std::vector<LedgerItem> items;
  std::size_t count = 0;
  for (const StreamWork& stream : streams) count += stream.slices.size();
  items.reserve(count);
  for (const StreamWork& stream : streams) {
    for (const SliceId slice : stream.slices) {
      items.push_back({trace.start_ns(slice), trace.end_ns(slice), slice, rank_of(slice)});
    }
  }
  // Streams are sorted runs. Equal starts are ordered as in the file.
  run_merge_sort(items.data(), items.size(), [&](const LedgerItem& a, const LedgerItem& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return trace.source_offset(a.slice) < trace.source_offset(b.slice);
  });
  return items;
}

}  // namespace

/// Queue of running items of one rank, in order of start. Ended items are removed from the front.
class RunningItems {
 public:
  void add(const LedgerItem& item) {
    // Ended items are erased in batches. Otherwise the queue of a GPU that is never idle would outgrow the
    // cache.
    if (first_ >= kMaxEnded) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(item);
  }
  /// Returns the earliest started item that runs at `time_ns`, or null.
  const LedgerItem* at(std::int64_t time_ns) {
    while (first_ < items_.size() && items_[first_].end_ns <= time_ns) ++first_;
    if (first_ == items_.size()) {
      items_.clear();
      first_ = 0;
      return nullptr;
    }
    return &items_[first_];
  }

 private:
  static constexpr std::size_t kMaxEnded = 1024;

  std::vector<LedgerItem> items_;
  std::size_t first_ = 0;
};

std::string_view text_of(TimeCategory cause) { return kCauseNames[static_cast<std::size_t>(cause)]; }

bool is_attributed_collective(std::string_view kernel) {
  constexpr std::array<std::string_view, 8> kParts{
      "nccl", "rccl", "hccl", "hcom_", "multimem_all_reduce", "cross_device_reduce", "deep_ep", "nvshmem"};
  const std::string lower = lowered(kernel);
  return std::ranges::any_of(kParts, [&](std::string_view part) { return contains(lower, part); });
}

std::optional<TimeCategory> time_category_named(std::string_view name) {
  const auto found = std::ranges::find(kCauseNames, name);
  if (found == kCauseNames.end()) return std::nullopt;
  return static_cast<TimeCategory>(found - kCauseNames.begin());
}

std::vector<TimeRange> loader_intervals(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint8_t> loads(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    loads[i] = is_data_loading(trace.names[i]) ? 1 : 0;
    any = any || loads[i] != 0;
  }
  std::vector<TimeRange> ranges;
  if (!any) return ranges;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (loads[index_of(trace.slices.name[i])] == 0) continue;
    const SliceKind kind = trace.slices.kind[i];
    if (kind != SliceKind::cpu_op && kind != SliceKind::annotation) continue;
    ranges.push_back({trace.slices.start_ns[i], trace.end_ns(SliceId{i})});
  }
  return united(std::move(ranges));
}

/// Divides the time of the given streams into parts, in one pass over all of their work in order of start.
class GpuAttributionSweep {
 public:
  GpuAttributionSweep(const Trace& trace, std::span<const StreamWork> streams,
                      AttributedCollectives communication, TimeAttribution& out, const std::stop_token& stop)
      : trace_(trace), out_(out), stop_(stop), items_(work_items(trace, streams, communication)) {}

  bool empty() const { return items_.empty(); }

  void run() {
    loads_ = loader_intervals(trace_, stop_);
    out_.items_.reserve(items_.size());
    out_.parts_.reserve(items_.size() * 2);
    for (const LedgerItem& item : items_) out_.items_.push_back(item.slice);
    out_.of_gpu_ = true;
    out_.extent_.begin_ns = items_.front().start_ns;
    std::int64_t time_ns = kBefore;
    std::size_t next = 0;
    std::uint32_t turns = 0;
    while (true) {
      if (++turns % kCancelStride == 0 && stop_.stop_requested()) return;
      for (; next < items_.size() && items_[next].start_ns <= time_ns; ++next)
        running_[items_[next].rank].add(items_[next]);
      const std::int64_t next_ns = next < items_.size() ? items_[next].start_ns : kNever;
      const LedgerItem* const owner = owner_at(time_ns);
      if (owner != nullptr) {
        out_.add(time_ns, kBusy[owner->rank], owner->slice);
        time_ns = std::min(owner->end_ns, next_ns);
        continue;
      }
      if (next == items_.size()) break;
      add_idle(time_ns, items_[next]);
      time_ns = next_ns;
    }
    out_.extent_.end_ns = std::max(time_ns, out_.extent_.begin_ns);
    out_.add(time_ns, TimeCategory::idle_tail, kNoSlice);
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  const LedgerItem* owner_at(std::int64_t time_ns) {
    for (RunningItems& of_rank : running_) {
      if (const LedgerItem* const item = of_rank.at(time_ns)) return item;
    }
    return nullptr;
  }

  /// Adds idle time from `begin_ns` to the start of `next`.
  void add_idle(std::int64_t begin_ns, const LedgerItem& next) {
    const SliceId launch = trace_.link(next.slice);
    const std::int64_t launch_ns =
        launch == kNoSlice ? next.start_ns : std::clamp(trace_.start_ns(launch), begin_ns, next.start_ns);
    while (load_ < loads_.size() && loads_[load_].end_ns <= begin_ns) ++load_;
    std::int64_t at_ns = begin_ns;
    for (std::size_t i = load_; i < loads_.size() && loads_[i].begin_ns < launch_ns; ++i) {
      if (loads_[i].begin_ns > at_ns) out_.add(at_ns, TimeCategory::idle_host, next.slice);
      at_ns = std::max(at_ns, loads_[i].begin_ns);
      const std::int64_t end_ns = std::min(loads_[i].end_ns, launch_ns);
      if (end_ns > at_ns) out_.add(at_ns, TimeCategory::idle_loader, next.slice);
      at_ns = std::max(at_ns, end_ns);
    }
    if (at_ns < launch_ns) out_.add(at_ns, TimeCategory::idle_host, next.slice);
    if (launch_ns < next.start_ns) out_.add(launch_ns, TimeCategory::idle_launch, next.slice);
  }

  const Trace& trace_;
  TimeAttribution& out_;
  const std::stop_token& stop_;
  std::vector<LedgerItem> items_;
  std::vector<TimeRange> loads_;
  std::size_t load_ = 0;  // first interval that may overlap the next gap
  std::array<RunningItems, 3> running_;
};

/// Creates the parts of a thread in one pass over its events.
class CpuAttributionSweep {
 public:
  CpuAttributionSweep(const Trace& trace, TrackId track, TimeAttribution& out, const std::stop_token& stop)
      : out_(out), stop_(stop) {
    for_each_slice_of(trace, trace.track(track), stop, [&](SliceId slice) {
      const SliceKind kind = trace.kind(slice);
      if (kind == SliceKind::cpu_op || kind == SliceKind::annotation || kind == SliceKind::runtime)
        items_.push_back({trace.start_ns(slice), trace.end_ns(slice), slice, 0});
    });
    if (stop.stop_requested()) return;
    // Rows are sorted runs. Of events with equal starts, the outer one is first.
    run_merge_sort(items_.data(), items_.size(), [](const LedgerItem& a, const LedgerItem& b) {
      if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
      return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.slice < b.slice;
    });
  }

  void run() {
    out_.add(kBefore, TimeCategory::cpu, kNoSlice);
    if (items_.empty()) return;
    out_.extent_.begin_ns = items_.front().start_ns;
    std::uint32_t turns = 0;
    for (const LedgerItem& item : items_) {
      out_.items_.push_back(item.slice);
      if (++turns % kCancelStride == 0 && stop_.stop_requested()) return;
      close_until(item.start_ns);
      out_.add(item.start_ns, TimeCategory::cpu, item.slice);
      open_.push_back(item);
      out_.extent_.end_ns = std::max(out_.extent_.end_ns, item.end_ns);
    }
    close_until(std::numeric_limits<std::int64_t>::max());
  }

 private:
  /// Removes items that end at `time_ns` or earlier. After each end, the time belongs to the remaining open
  /// item that started last.
  void close_until(std::int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) {
      const std::int64_t end_ns = open_.back().end_ns;
      while (!open_.empty() && open_.back().end_ns <= end_ns) open_.pop_back();
      out_.add(end_ns, TimeCategory::cpu, open_.empty() ? kNoSlice : open_.back().slice);
    }
  }

  TimeAttribution& out_;
  const std::stop_token& stop_;
  std::vector<LedgerItem> items_;
  std::vector<LedgerItem> open_;
};

TimeAttribution::TimeAttribution(const Trace& trace, std::optional<TrackId> cpu, const std::stop_token& stop,
                                 AttributedCollectives communication) {
  if (!cpu) {
    GpuAttributionSweep sweep(trace, gpu_work_in(trace, whole_range(trace), stop).streams, communication,
                              *this, stop);
    if (!sweep.empty()) {
      sweep.run();
    } else {
      // Divides the time of the thread with the most events.
      std::uint64_t most = 0;
      for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
        if (!is_working_thread(trace, trace.tracks[i])) continue;
        std::uint64_t slices = 0;
        for (const Row& row : rows_of(trace, trace.tracks[i])) slices += row.slice_count;
        if (slices <= most) continue;
        most = slices;
        cpu = TrackId{i};
      }
    }
  }
  if (cpu) CpuAttributionSweep(trace, *cpu, *this, stop).run();
  if (stop.stop_requested()) *this = {};
}

TimeAttribution::TimeAttribution(const Trace& trace, std::span<const StreamWork> streams,
                                 AttributedCollectives communication, const std::stop_token& stop) {
  GpuAttributionSweep sweep(trace, streams, communication, *this, stop);
  if (!sweep.empty()) sweep.run();
  if (stop.stop_requested()) *this = {};
}

void TimeAttribution::add(std::int64_t begin_ns, TimeCategory cause, SliceId slice) {
  if (!parts_.empty() && parts_.back().begin_ns >= begin_ns) {
    parts_.back() = {parts_.back().begin_ns, slice, cause};  // replaces a part of zero length
    return;
  }
  if (!parts_.empty() && parts_.back().cause == cause && parts_.back().slice == slice) return;
  parts_.push_back({begin_ns, slice, cause});
}

std::size_t TimeAttribution::first_at(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(parts_, time_ns, {}, &AttributionPart::begin_ns);
  return after == parts_.begin() ? 0 : static_cast<std::size_t>(after - parts_.begin()) - 1;
}

CauseTimes TimeAttribution::times(TimeRange window) const {
  CauseTimes times{};
  for_each(window, [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId /*slice*/) {
    times[static_cast<std::size_t>(cause)] += end_ns - begin_ns;
  });
  return times;
}

}  // namespace kino
