#include "core/tables/layers/pass_blocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/tables/layers/layer_verdict.hpp"

namespace kino {
namespace {

/// A layer in one pass and direction on one track.
struct LayerVisit {
  TrackId track = kNoTrack;
  std::uint32_t pass = 0;
  bool backward = false;
  std::uint32_t layer = 0;
  TimeRange range;
  std::int64_t work_ns = 0;
  std::uint32_t lane = 0;
  bool odd = false;
  bool slow = false;
};

auto block_key(const LayerVisit& visit) { return std::tuple(visit.track, visit.pass, visit.backward); }

/// Collects the visits of a stack, sorted by track, pass, direction and start.
class VisitCollector {
 public:
  VisitCollector(const Trace& trace, const LayerFold& fold, const LayerStack& stack)
      : trace_(trace), fold_(fold), stack_(stack), slow_cells_(stack.slow_cells) {
    std::ranges::sort(slow_cells_);
  }

  std::vector<LayerVisit> collect(const std::stop_token& stop) {
    for (const LayerCopy& copy : stack_.copies) {
      if (stop.stop_requested()) break;
      add(copy);
    }
    count_layers();
    join();
    std::ranges::sort(visits_, {}, [](const LayerVisit& visit) {
      return std::tuple(block_key(visit), visit.range.begin_ns, visit.layer);
    });
    return std::move(visits_);
  }

  /// Returns the number of layers of a pass in one direction.
  std::uint32_t layers_of(std::uint32_t pass, bool backward) const {
    const auto found = layers_.find({pass, backward});
    return found == layers_.end() ? 0 : found->second;
  }

 private:
  bool is_slow(const LayerCopy& copy) const {
    if (copy.odd || copy.phase != (stack_.backward ? LayerPhase::backward : LayerPhase::forward))
      return false;
    return std::ranges::binary_search(stack_.slow_layers, copy.layer) ||
           std::ranges::binary_search(slow_cells_, std::pair(copy.layer, copy.pass));
  }

  void add(const LayerCopy& copy) {
    const bool backward = copy.phase != LayerPhase::forward;
    executed_.emplace_back(copy.pass, backward, copy.layer);
    const bool slow = is_slow(copy);
    const std::size_t first = visits_.size();
    for (std::size_t i = copy.first; i < copy.first + copy.count; ++i) {
      const SliceId slice = fold_.kernels[i];
      const Row& row = trace_.row(trace_.row_of(slice));
      const auto known = std::find_if(visits_.begin() + static_cast<std::ptrdiff_t>(first), visits_.end(),
                                      [&](const LayerVisit& visit) { return visit.track == row.track; });
      const TimeRange range{trace_.start_ns(slice), trace_.end_ns(slice)};
      const std::int64_t work_ns = trace_.duration_ns(slice);
      if (known == visits_.end()) {
        visits_.push_back(
            {row.track, copy.pass, backward, copy.layer, range, work_ns, row.lane, copy.odd, slow});
        continue;
      }
      known->range = {std::min(known->range.begin_ns, range.begin_ns),
                      std::max(known->range.end_ns, range.end_ns)};
      add_saturating(known->work_ns, work_ns);
      known->lane = std::min(known->lane, row.lane);
    }
  }

  /// Counts the layers of each pass and direction. Copies need not be sorted, as in stacks of annotations.
  void count_layers() {
    std::ranges::sort(executed_);
    executed_.erase(std::unique(executed_.begin(), executed_.end()), executed_.end());
    for (const auto& [pass, backward, layer] : executed_) ++layers_[{pass, backward}];
  }

  /// Joins the backward pass of a layer with its recomputation.
  void join() {
    const auto key_of = [](const LayerVisit& visit) { return std::tuple(block_key(visit), visit.layer); };
    std::ranges::stable_sort(visits_, {}, key_of);
    std::size_t kept = 0;
    for (const LayerVisit& other : visits_) {
      if (kept > 0 && key_of(visits_[kept - 1]) == key_of(other)) {
        LayerVisit& joined = visits_[kept - 1];
        joined.range = {std::min(joined.range.begin_ns, other.range.begin_ns),
                        std::max(joined.range.end_ns, other.range.end_ns)};
        add_saturating(joined.work_ns, other.work_ns);
        joined.lane = std::min(joined.lane, other.lane);
        joined.odd = joined.odd || other.odd;
        joined.slow = joined.slow || other.slow;
      } else {
        visits_[kept++] = other;
      }
    }
    visits_.resize(kept);
  }

  const Trace& trace_;
  const LayerFold& fold_;
  const LayerStack& stack_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slow_cells_;
  std::vector<LayerVisit> visits_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> layers_;
  std::vector<std::tuple<std::uint32_t, bool, std::uint32_t>> executed_;  // pass, direction, layer
};

/// Whether a slice of the lane starts in the interval.
bool slice_starts_in(const Trace& trace, TrackId track, std::uint32_t lane, TimeRange range) {
  const Row& row = trace.rows[trace.track(track).first_row + lane];
  const auto starts = trace.slices.start_ns.sub(row.first_slice, row.slice_count);
  const auto at = std::lower_bound(starts.begin(), starts.end(), range.begin_ns);
  return at != starts.end() && *at < range.end_ns;
}

/// Makes a block of visits that follow each other.
PassBlock block_of(std::uint32_t stack, std::span<const LayerVisit> visits, std::vector<PassMark>& marks) {
  const LayerVisit& first = visits.front();
  PassBlock block;
  block.range = first.range;
  block.stack = stack;
  block.pass = first.pass;
  block.phase = first.backward ? LayerPhase::backward : LayerPhase::forward;
  block.layers = static_cast<std::uint32_t>(visits.size());
  block.lane = first.lane;
  block.first_mark = marks.size();
  std::vector<std::int64_t> works;
  std::vector<std::int64_t> odd_works;
  for (const LayerVisit& visit : visits) {
    block.range.end_ns = std::max(block.range.end_ns, visit.range.end_ns);
    block.lane = std::min(block.lane, visit.lane);
    (visit.odd ? odd_works : works).push_back(visit.work_ns);
    block.odd += visit.odd ? 1 : 0;
    block.slow += visit.slow ? 1 : 0;
  }
  for (const bool slow : {false, true}) {
    for (const LayerVisit& visit : visits) {
      if (visit.slow == slow && (slow || visit.odd)) marks.push_back({visit.range, slow});
    }
  }
  block.marks = static_cast<std::uint32_t>(marks.size() - block.first_mark);
  block.median_ns = integer_median(std::move(works.empty() ? odd_works : works));
  return block;
}

/// Appends the blocks of one pass on one track.
void add_blocks(const Trace& trace, std::uint32_t stack, std::span<const LayerVisit> visits,
                std::vector<PassBlock>& blocks, std::vector<PassMark>& marks) {
  constexpr std::size_t kFewestLayers = 2;
  std::vector<std::int64_t> lengths;
  lengths.reserve(visits.size());
  for (const LayerVisit& visit : visits) lengths.push_back(visit.range.length_ns());
  const std::int64_t length_ns = integer_median(std::move(lengths));
  std::size_t begin = 0;
  std::int64_t end_ns = visits.front().range.end_ns;
  for (std::size_t i = 1; i <= visits.size(); ++i) {
    const bool apart =
        i == visits.size() ||
        (saturating_subtract(visits[i].range.begin_ns, end_ns) > length_ns &&
         slice_starts_in(trace, visits[i].track, visits[i].lane, {end_ns, visits[i].range.begin_ns}));
    if (apart) {
      if (i - begin >= kFewestLayers)
        blocks.push_back(block_of(stack, visits.subspan(begin, i - begin), marks));
      begin = i;
    }
    if (i < visits.size()) end_ns = std::max(end_ns, visits[i].range.end_ns);
  }
}

/// Gives each block a level without overlap. Slight overlaps are cut, as kernels of one stream can overlap.
std::vector<std::vector<PassBlock>> leveled(std::vector<PassBlock> blocks) {
  constexpr std::int64_t kSlightShare = 16;
  std::ranges::stable_sort(blocks, {}, [](const PassBlock& block) { return block.range.begin_ns; });
  std::vector<std::vector<PassBlock>> levels;
  std::vector<std::pair<std::size_t, std::size_t>> together;  // level and index of overlapping blocks
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  std::size_t used = 0;
  const auto close = [&] {
    for (const auto& [level, index] : together)
      levels[level][index].levels = static_cast<std::uint32_t>(used);
    together.clear();
    used = 0;
  };
  for (PassBlock& block : blocks) {
    const std::int64_t over_ns = saturating_subtract(end_ns, block.range.begin_ns);
    if (over_ns > 0 && over_ns <= block.range.length_ns() / kSlightShare) block.range.begin_ns = end_ns;
    if (block.range.begin_ns >= end_ns) close();
    end_ns = std::max(end_ns, block.range.end_ns);
    std::size_t level = 0;
    while (level < levels.size() && !levels[level].empty() &&
           levels[level].back().range.end_ns > block.range.begin_ns)
      ++level;
    if (level == levels.size()) levels.emplace_back();
    block.level = static_cast<std::uint32_t>(level);
    used = std::max(used, level + 1);
    together.emplace_back(level, levels[level].size());
    levels[level].push_back(block);
  }
  close();
  return levels;
}

}  // namespace

const TrackBlocks* PassBlocks::find(TrackId track) const {
  const auto found = std::ranges::lower_bound(tracks, track, {}, &TrackBlocks::track);
  return found != tracks.end() && found->track == track ? &*found : nullptr;
}

PassBlocks pass_blocks(const Trace& trace, const LayerFold& fold, const std::stop_token& stop) {
  PassBlocks made;
  std::map<TrackId, std::vector<PassBlock>> by_track;
  for (std::uint32_t i = 0; i < fold.stacks.size(); ++i) {
    VisitCollector collector(trace, fold, fold.stacks[i]);
    const std::vector<LayerVisit> visits = collector.collect(stop);
    if (stop.stop_requested()) return made;
    for (auto first = visits.begin(); first != visits.end();) {
      const auto last = std::find_if(first, visits.end(), [&](const LayerVisit& visit) {
        return block_key(visit) != block_key(*first);
      });
      const auto half = (collector.layers_of(first->pass, first->backward) + 1) / 2;
      if (last - first >= static_cast<std::ptrdiff_t>(half))
        add_blocks(trace, i, {first, last}, by_track[first->track], made.marks);
      first = last;
    }
  }
  for (auto& [track, blocks] : by_track) {
    if (!blocks.empty()) made.tracks.push_back({track, leveled(std::move(blocks))});
  }
  return made;
}

}  // namespace kino
