#include "app/pages/timeline/flow_chain.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "core/trace/links/operator_tree.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostVisited = 2'000'000;  // limit on visited slices below the selected one
constexpr std::size_t kMostCollected = 100'000;  // arrows before thinning
constexpr std::size_t kMostHops = 256;
constexpr std::size_t kMostPartners = 8;  // limit on ends of flows whose GPU work is added
constexpr std::size_t kMostAncestors = 1000;

ArrowKind kind_of(const Trace& trace, std::uint32_t arrow) {
  const std::string_view category = trace.category_text(trace.flows.category[arrow]);
  return category == "fwdbwd" ? ArrowKind::forward_backward : ArrowKind::other;
}

FlowArrow arrow_at(const Trace& trace, std::uint32_t arrow) {
  return {trace.flows.from[arrow], trace.flows.to[arrow], kind_of(trace, arrow)};
}

bool has_flows(const Trace& trace, SliceId slice) {
  const ArrowRange out = flows_from(trace, slice);
  return out.begin() != out.end() || !flows_to(trace, slice).empty();
}

bool is_launched(const Trace& trace, SliceId slice) {
  const std::uint32_t i = index_of(slice);
  return trace.slices.link[i] != kNoSlice && trace.slices.kind[i] != SliceKind::runtime;
}

/// Calls `visit` for each launch below the slice: on its track, in a deeper lane, and starting within the
/// slice. Proceeds lane by lane, until `visit` returns false or `budget` slices were examined. Returns
/// whether all launches were visited.
template <class Visit>
bool visit_launches_below(const Trace& trace, SliceId slice, Visit visit, std::size_t budget = kMostVisited) {
  const RowId own = trace.row_of(slice);
  const Track& track = trace.track(trace.row(own).track);
  const std::int64_t begin = trace.start_ns(slice);
  for (std::uint32_t r = index_of(own) + 1; r < track.first_row + track.row_count; ++r) {
    const std::uint32_t first = first_start_at(trace, trace.rows[r], begin);
    std::uint32_t last = first_start_at(trace, trace.rows[r], trace.end_ns(slice));
    const bool all = last - first <= budget;
    if (!all) last = first + static_cast<std::uint32_t>(budget);
    budget -= last - first;
    for (std::uint32_t i = first; i < last; ++i) {
      if (trace.slices.kind[i] != SliceKind::runtime || trace.slices.link[i] == kNoSlice) continue;
      if (!visit(SliceId{i})) return false;
    }
    if (!all) return false;
  }
  return true;
}

class Collector {
 public:
  explicit Collector(const Trace& trace) : trace_(trace) {}

  void add(FlowArrow arrow) {
    ++total_;
    if (arrows_.size() < kMostCollected) arrows_.push_back(arrow);
  }

  void add_launch(SliceId launch) {
    for (const SliceId work : launched_by(trace_, launch)) add({launch, work, ArrowKind::launch});
  }

  void add_launches_below(SliceId slice) {
    const bool all = visit_launches_below(trace_, slice, [&](SliceId launch) {
      add_launch(launch);
      return true;
    });
    more_ = more_ || !all;
  }

  /// Adds the arrows that can be reached from `slice` by following flows in one direction, for at most
  /// kMostHops slices.
  void add_flows(SliceId slice, bool forth) {
    std::vector<SliceId> next{slice};
    for (std::size_t at = 0; at < next.size() && at < kMostHops; ++at) {
      const auto go = [&](std::uint32_t index) {
        const FlowArrow arrow = arrow_at(trace_, index);
        const SliceId end = forth ? arrow.to : arrow.from;
        add(arrow);
        if (next.size() < kMostHops && std::ranges::find(next, end) == next.end()) next.push_back(end);
      };
      if (forth) {
        for (const std::uint32_t index : flows_from(trace_, next[at])) go(index);
      } else {
        for (const std::uint32_t index : flows_to(trace_, next[at])) go(index);
      }
    }
    partners_.insert(partners_.end(), next.begin() + 1, next.end());
  }

  /// Adds the GPU work launched by or within the slices at the ends of the flows added so far, unless there
  /// are more than kMostPartners such slices.
  void add_partners() {
    if (partners_.size() > kMostPartners) return;
    for (const SliceId partner : std::exchange(partners_, {})) {
      if (is_launched(trace_, partner)) continue;
      add_launch(partner);
      add_launches_below(partner);
    }
  }

  /// Does the same as take(), but selects arrows by hash instead of position, so that the same arrows remain
  /// while the view moves.
  FlowArrows take_steadily(std::size_t most) {
    if (arrows_.size() > most) {
      const auto shuffled = [](const FlowArrow& arrow) {
        return std::pair((std::uint64_t{index_of(arrow.to)} + 1) * 0x9E3779B97F4A7C15ULL, arrow.from);
      };
      const auto same_ends = [](const FlowArrow& a, const FlowArrow& b) { return a == b; };
      std::ranges::sort(arrows_, {}, shuffled);
      arrows_.erase(std::unique(arrows_.begin(), arrows_.end(), same_ends), arrows_.end());
      total_ = arrows_.size();
      if (arrows_.size() > most) arrows_.resize(most);
    }
    return take(most);
  }

  FlowArrows take(std::size_t most) {
    const auto key = [&](const FlowArrow& arrow) {
      return std::tuple(trace_.start_ns(arrow.to), arrow.to, arrow.from);
    };
    if (arrows_.size() > most) {
      // The arrows are thinned only for readability, so a sample is enough to sort.
      arrows_ = thinned(std::move(arrows_), std::max(most, std::size_t{8192}));
    }
    std::ranges::sort(arrows_, {}, key);
    const auto same = std::unique(arrows_.begin(), arrows_.end());
    if (arrows_.size() == total_) total_ = static_cast<std::uint64_t>(same - arrows_.begin());
    arrows_.erase(same, arrows_.end());
    FlowArrows result;
    result.arrows = thinned(std::move(arrows_), most);
    result.total = std::max<std::uint64_t>(total_, result.arrows.size());
    result.more = more_;
    return result;
  }

 private:
  const Trace& trace_;
  std::vector<FlowArrow> arrows_;
  std::vector<SliceId> partners_;
  std::uint64_t total_ = 0;
  bool more_ = false;
};

/// Returns the nearest of the slice and its ancestors that has flows. kNoSlice if there is none among the
/// first kMostAncestors of them.
SliceId nearest_with_flows(const Trace& trace, SliceId slice) {
  for (std::size_t i = 0; slice != kNoSlice && i < kMostAncestors; ++i) {
    if (has_flows(trace, slice)) return slice;
    slice = trace.parent(slice);
  }
  return kNoSlice;
}

/// Appends the innermost operator and the innermost module call around a slice.
void add_callers(const Trace& trace, SliceId slice, std::vector<SliceId>& callers) {
  bool operator_found = trace.kind(slice) == SliceKind::cpu_op;
  SliceId at = trace.parent(slice);
  for (std::size_t i = 0; at != kNoSlice && i < kMostAncestors; ++i, at = trace.parent(at)) {
    const SliceKind kind = trace.kind(at);
    if (kind == SliceKind::cpu_op && !std::exchange(operator_found, true)) callers.push_back(at);
    if (kind != SliceKind::python || !is_module_call(trace.name_of(at))) continue;
    callers.push_back(at);
    return;
  }
}

}  // namespace

ConnectedSlices connected_slices(const Trace& trace, SliceId slice) {
  constexpr std::size_t kMostBelow = 4096;  // limit on visited slices below the slice, per frame
  constexpr std::size_t kMostWork = 32;
  ConnectedSlices connected;
  std::vector<SliceId>& named = connected.named;
  const auto add_work = [&](SliceId launch) {
    for (const SliceId work : launched_by(trace, launch)) {
      if (work == slice) continue;
      if (connected.others.size() == kMostWork) return false;
      connected.others.push_back(work);
    }
    return true;
  };
  const SliceId launch = is_launched(trace, slice) ? trace.link(slice) : slice;
  if (launch != slice) named.push_back(launch);
  const bool launches = launch != slice || !launched_by(trace, slice).empty();
  if (launches) {
    add_callers(trace, launch, named);
    if (launch == slice) add_work(launch);
  } else {
    const auto add_launch = [&](SliceId below) {
      if (named.empty()) named.push_back(below);
      return add_work(below);
    };
    visit_launches_below(trace, slice, add_launch, kMostBelow);
    if (!named.empty()) add_callers(trace, slice, named);
  }
  // The first GPU work also gets a pill.
  if (!connected.others.empty()) {
    named.push_back(connected.others.front());
    connected.others.erase(connected.others.begin());
  }
  return connected;
}

std::vector<FlowArrow> thinned(std::vector<FlowArrow> arrows, std::size_t most) {
  if (arrows.size() <= most) return arrows;
  if (most == 0) return {};
  if (most == 1) {
    arrows.resize(1);
    return arrows;
  }
  const std::size_t last = arrows.size() - 1;
  for (std::size_t i = 0; i < most; ++i) arrows[i] = arrows[i * last / (most - 1)];
  arrows.resize(most);
  return arrows;
}

FlowArrows chain_of(const Trace& trace, SliceId slice, std::size_t most) {
  Collector collector(trace);
  SliceId on_cpu = slice;
  if (is_launched(trace, slice)) {
    on_cpu = trace.link(slice);
    collector.add({on_cpu, slice, ArrowKind::launch});
  } else {
    collector.add_launch(slice);
    collector.add_launches_below(slice);
  }
  if (on_cpu != slice && has_flows(trace, slice)) {
    collector.add_flows(slice, true);
    collector.add_flows(slice, false);
  }
  if (const SliceId source = nearest_with_flows(trace, on_cpu); source != kNoSlice) {
    collector.add_flows(source, true);
    collector.add_flows(source, false);
    collector.add_partners();
  }
  return collector.take(most);
}

FlowArrows arrows_in_view(const Trace& trace, std::span<const RowId> rows, TimeRange view, std::size_t most) {
  Collector collector(trace);
  if (rows.empty() || most == 0) return {};
  const std::size_t most_of_row = std::max<std::size_t>(8, 4 * most / rows.size());
  bool left_out = false;
  for (const RowId row_id : rows) {
    const Row& row = trace.row(row_id);
    if (row.slice_count == 0) continue;
    const std::uint32_t first = first_start_at(trace, row, view.begin_ns);
    const std::uint32_t last = std::max(first, first_start_at(trace, row, view.end_ns));
    // Visits every n-th slice of the row. n is a power of two, so that panning rarely changes the selection.
    const std::size_t stride = std::bit_ceil((last - first) / most_of_row + 1);
    left_out = left_out || stride > 1;
    const std::size_t offset = (first - row.first_slice + stride - 1) / stride * stride;
    for (std::size_t i = row.first_slice + offset; i < last; i += stride) {
      const SliceId slice{static_cast<std::uint32_t>(i)};
      if (is_launched(trace, slice)) {
        collector.add({trace.slices.link[i], slice, ArrowKind::launch});
      } else if (const auto work = launched_by(trace, slice); !work.empty()) {
        collector.add({slice, work.front(), ArrowKind::launch});
        if (work.size() > 1) collector.add({slice, work.back(), ArrowKind::launch});
        left_out = left_out || work.size() > 2;
      }
      const ArrowRange out = flows_from(trace, slice);
      std::size_t taken = 0;
      for (const std::uint32_t index : out) {
        left_out = left_out || taken == 4;
        if (taken++ == 4) break;
        collector.add(arrow_at(trace, index));
      }
      const std::span<const std::uint32_t> in = flows_to(trace, slice);
      left_out = left_out || in.size() > 4;
      for (const std::uint32_t index : in.first(std::min<std::size_t>(in.size(), 4)))
        collector.add(arrow_at(trace, index));
    }
  }
  FlowArrows arrows = collector.take_steadily(most);
  arrows.more = left_out;
  return arrows;
}

SliceId follow_flow_forward(const Trace& trace, SliceId slice) {
  if (is_launched(trace, slice)) return trace.link(slice);
  if (const auto work = launched_by(trace, slice); !work.empty()) return work.front();
  SliceId first = kNoSlice;
  visit_launches_below(trace, slice, [&](SliceId launch) {
    // Lanes are visited one by one, so the first visited launch is not always the earliest.
    if (first == kNoSlice || trace.start_ns(launch) < trace.start_ns(first)) first = launch;
    return true;
  });
  if (first != kNoSlice) return launched_by(trace, first).front();
  if (const ArrowRange out = flows_from(trace, slice); out.begin() != out.end())
    return trace.flows.to[*out.begin()];
  if (const auto in = flows_to(trace, slice); !in.empty()) return trace.flows.from[in.front()];
  return kNoSlice;
}

SliceId follow_flow_backward(const Trace& trace, SliceId slice) {
  if (is_launched(trace, slice)) return trace.link(slice);
  if (const auto in = flows_to(trace, slice); !in.empty()) return trace.flows.from[in.front()];
  if (trace.kind(slice) == SliceKind::runtime) return trace.parent(slice);
  const SliceId source = nearest_with_flows(trace, slice);
  if (source == kNoSlice || source == slice) return kNoSlice;
  if (const auto in = flows_to(trace, source); !in.empty()) return trace.flows.from[in.front()];
  return kNoSlice;
}

}  // namespace kino
