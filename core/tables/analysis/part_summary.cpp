#include "core/tables/analysis/part_summary.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

class PartSummary {
 public:
  PartSummary(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {
    sums_.prepare(trace);
  }

  /// Adds the slices of the track in lane `first_lane` and below, clipped to `range`.
  void add_track(TrackId id, std::uint32_t first_lane, TimeRange range) {
    if (range.end_ns <= range.begin_ns) return;  // an empty range contains nothing
    for (const Row& row : rows_of(trace_, trace_.track(id)).subspan(first_lane)) {
      const SliceWindow window = row_window(trace_, row, range);
      for (std::uint32_t i = window.first; i < window.last && !stopped(i); ++i)
        add(i, clipped_ns(trace_, i, range));
    }
  }

  /// Adds the GPU work whose launch satisfies `is_launch`, with its full duration.
  template <class IsLaunch>
  void add_launched(const IsLaunch& is_launch) {
    for (const Track& track : trace_.tracks) {
      if (track.kind != TrackKind::gpu_stream) continue;
      for_each_slice_of(trace_, track, stop_, [&](SliceId slice) {
        const SliceId launch = trace_.link(slice);
        if (is_gpu_work(trace_.kind(slice)) && launch != kNoSlice && is_launch(launch))
          add(index_of(slice), trace_.duration_ns(slice));
      });
    }
  }

  std::vector<NameStats> names() const { return sums_.names(trace_); }

 private:
  void add(std::uint32_t slice, std::int64_t ns) { sums_.of(trace_, slice).add(trace_, SliceId{slice}, ns); }
  bool stopped(std::uint32_t i) const { return i % kCancelStride == 0 && stop_.stop_requested(); }

  const Trace& trace_;
  const std::stop_token& stop_;
  NameSums sums_;
};

bool on_gpu(const Trace& trace, const Track& track) {
  return track.kind == TrackKind::gpu_stream || trace.processes[track.process].gpu;
}

void add_slice(const Trace& trace, SliceId slice, PartSummary& summary) {
  const TimeRange range = trace.range_of(slice);
  const RowId own_row = trace.row_of(slice);
  const TrackId own = trace.row(own_row).track;
  const bool step = is_step(trace, slice);
  if (step) {
    for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
      if (!on_gpu(trace, trace.tracks[track])) summary.add_track(TrackId{track}, 0, range);
    }
  } else {
    const Track& track = trace.track(own);
    summary.add_track(own, index_of(own_row) - track.first_row, range);
    if (on_gpu(trace, track)) return;
  }
  summary.add_launched([&](SliceId launch) {
    const std::int64_t start = trace.start_ns(launch);
    if (start < range.begin_ns || start >= range.end_ns) return false;
    return step || trace.track_of(launch) == own;
  });
}

/// A name and kind with its statistics in each part.
struct ComparedName {
  NameId name{};
  SliceKind kind{};
  std::vector<const DurationTotals*> parts;  // null if the part does not contain it

  std::int64_t total_ns(std::size_t part) const { return parts[part] != nullptr ? parts[part]->total_ns : 0; }
  std::int64_t count(std::size_t part) const {
    return parts[part] != nullptr ? static_cast<std::int64_t>(parts[part]->count) : 0;
  }
  std::int64_t calls(std::size_t part) const {
    return parts[part] != nullptr ? static_cast<std::int64_t>(parts[part]->calls()) : 0;
  }
  std::int64_t change_ns(std::size_t part) const { return saturating_subtract(total_ns(part), total_ns(0)); }
  /// Returns the sort key: the largest absolute difference from the first part, or the total if there is only
  /// one part.
  std::uint64_t weight() const {
    if (parts.size() == 1) return static_cast<std::uint64_t>(total_ns(0));
    std::uint64_t most = 0;
    for (std::size_t part = 1; part < parts.size(); ++part) {
      const std::int64_t change = change_ns(part);
      const auto size = static_cast<std::uint64_t>(change);
      most = std::max(most, change < 0 ? ~size + 1 : size);
    }
    return most;
  }
  SliceId example() const {
    for (const DurationTotals* part : parts) {
      if (part != nullptr) return part->longest;
    }
    return kNoSlice;
  }
};

std::vector<ComparedName> compared_names(const Trace& trace, const std::vector<ComparedPart>& parts) {
  std::map<std::pair<NameId, SliceKind>, ComparedName> rows;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const NameStats& sum : parts[part].names) {
      ComparedName& row =
          rows.try_emplace({sum.name, sum.kind}, ComparedName{sum.name, sum.kind, {}}).first->second;
      row.parts.resize(parts.size());
      row.parts[part] = &sum.stats;
    }
  }
  std::vector<ComparedName> ordered;
  ordered.reserve(rows.size());
  for (auto& [key, row] : rows) ordered.push_back(std::move(row));
  std::ranges::sort(ordered, [&](const ComparedName& a, const ComparedName& b) {
    const std::uint64_t weight_a = a.weight();
    const std::uint64_t weight_b = b.weight();
    if (weight_a != weight_b) return weight_a > weight_b;
    if (a.name != b.name) return trace.name_text(a.name) < trace.name_text(b.name);
    return a.kind < b.kind;
  });
  return ordered;
}

}  // namespace

bool is_step(const Trace& trace, SliceId slice) {
  return is_step_name(trace.name_of(slice)) && !on_gpu(trace, trace.track(trace.track_of(slice)));
}

Result<std::vector<NameStats>> summarize_part(const Trace& trace, const TracePart& part,
                                              const std::stop_token& stop) {
  std::vector<NameStats> names;
  if (part.slice != kNoSlice) {
    PartSummary summary(trace, stop);
    add_slice(trace, part.slice, summary);
    if (stop.stop_requested()) return cancelled(msg::summing_up);
    names = summary.names();
  } else {
    Result<RangeSummary> summary = part.tracks ? summarize_range(trace, part.range, *part.tracks, stop)
                                               : summarize_range(trace, part.range, std::nullopt, stop);
    if (!summary.ok()) return summary.error();
    names = std::move(summary.value().names);
  }
  std::ranges::sort(names, {}, [](const NameStats& row) { return std::tuple(row.name, row.kind); });
  return names;
}

Table part_comparison(const Trace& trace, const std::vector<ComparedPart>& parts, const PartWords& words) {
  Table table{.name = "comparison-" + std::to_string(parts.size()),
              .title = words.title,
              .definition = words.definition};
  const std::vector<ComparedName> rows = compared_names(trace, parts);
  table.texts_of(rows, "name", words.name.c_str(), words.definition.c_str(),
                 [&](const ComparedName& row) { return std::string(trace.name_text(row.name)); });
  const auto column = [&](const std::string& key, const std::string& label, const std::string& title,
                          Unit unit, const auto& get) {
    const std::string shown = label + " " + title;
    table.integers_of(rows, key.c_str(), shown.c_str(), unit, words.definition.c_str(), get);
  };
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::string position = std::to_string(part + 1);
    const std::string& label = parts[part].label;
    column("count_" + position, label, words.count, Unit::count,
           [part](const ComparedName& row) { return row.count(part); });
    column("calls_" + position, label, words.calls, Unit::count,
           [part](const ComparedName& row) { return row.calls(part); });
    column("total_" + position + "_ns", label, words.total, Unit::ns,
           [part](const ComparedName& row) { return row.total_ns(part); });
  }
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const std::string position = std::to_string(part + 1);
    const std::string label = parts[part].label + " \xE2\x88\x92 " + parts[0].label;
    column("count_change_" + position, label, words.count, Unit::count,
           [part](const ComparedName& row) { return row.count(part) - row.count(0); });
    column("change_" + position + "_ns", label, words.total, Unit::ns,
           [part](const ComparedName& row) { return row.change_ns(part); });
    const std::string shown = label + " " + words.change;
    table.number_column(rows, ("change_share_" + position).c_str(), shown.c_str(), Unit::share,
                        words.definition.c_str(), [part](const ComparedName& row) {
                          const std::int64_t before = row.total_ns(0);
                          if (before == 0) return kNoNumber;
                          return static_cast<double>(row.change_ns(part)) / static_cast<double>(before);
                        });
  }
  table.texts_of(rows, "kind", words.kind.c_str(), words.definition.c_str(), [&](const ComparedName& row) {
    const auto kind = static_cast<std::size_t>(row.kind);
    return kind < words.kinds.size() ? words.kinds[kind] : std::string(text_of(row.kind));
  });
  for (const ComparedName& row : rows) table.links.emplace_back(row.example());
  return table;
}

}  // namespace kino
