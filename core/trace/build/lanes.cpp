#include "core/trace/build/lanes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kino {
namespace {

constexpr std::int64_t kNeverUsed = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t kFirstLeaves = 16;

}  // namespace

LaneAssigner::Placement LaneAssigner::place(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t key) {
  // Close slices that have ended. Also close slices that end inside the new one: a later slice inside them is
  // also inside the new one, which is the closer parent. If a slice remains on top, it encloses the new one.
  while (!open_.empty() && (open_.back().end_ns <= start_ns || open_.back().end_ns < end_ns))
    open_.pop_back();
  Placement placement;
  std::uint32_t lane = 0;
  if (!open_.empty()) {
    placement.parent = open_.back().key;
    lane = open_.back().lane + 1;
  }
  placement.lane = first_free_lane(lane, start_ns);
  placement.spilled = placement.lane != lane;
  occupy(placement.lane, end_ns);
  open_.push_back({end_ns, placement.lane, key});
  return placement;
}

std::uint32_t LaneAssigner::first_free_lane(std::uint32_t from, std::int64_t start_ns) const {
  if (from >= lane_count_) return from;
  if (min_end_[leaves_ + from] <= start_ns) return from;
  // Climb until a subtree to the right has a free lane, then descend to the first free lane in it.
  std::uint32_t node = leaves_ + from;
  while (true) {
    while ((node & 1U) == 1) {
      node /= 2;
      if (node <= 1) return std::max(from, lane_count_);
    }
    if (node <= 1) return std::max(from, lane_count_);
    ++node;
    if (min_end_[node] <= start_ns) break;
  }
  while (node < leaves_) node = min_end_[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
  return node - leaves_;
}

void LaneAssigner::occupy(std::uint32_t lane, std::int64_t end_ns) {
  if (lane >= leaves_) {
    std::uint32_t leaves = std::max(leaves_, kFirstLeaves);
    while (leaves <= lane) leaves *= 2;
    std::vector<std::int64_t> next(2 * static_cast<std::size_t>(leaves), kNeverUsed);
    for (std::uint32_t i = 0; i < leaves_; ++i) next[leaves + i] = min_end_[leaves_ + i];
    for (std::uint32_t i = leaves - 1; i >= 1; --i) next[i] = std::min(next[2 * i], next[2 * i + 1]);
    min_end_ = std::move(next);
    leaves_ = leaves;
  }
  lane_count_ = std::max(lane_count_, lane + 1);
  std::uint32_t node = leaves_ + lane;
  min_end_[node] = end_ns;
  for (node /= 2; node >= 1; node /= 2) {
    const std::int64_t low = std::min(min_end_[2 * node], min_end_[2 * node + 1]);
    if (min_end_[node] == low) break;
    min_end_[node] = low;
  }
}

}  // namespace kino
