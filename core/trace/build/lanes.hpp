// The lane rule: arranges slices of one track in rows that are disjoint for any input.
#pragma once

#include <cstdint>
#include <vector>

namespace kino {

/// Assigns lanes. Pass slices in order of (start, longer first, file order). The parent of a slice is the
/// innermost open slice that encloses it. The lane of a slice is its parent's + 1 (0 without a parent), or
/// the next higher one that is free. Properly nested input has lane = depth. Amortized O(log lanes) per slice
/// for any input.
class LaneAssigner {
 public:
  static constexpr std::uint32_t kNoParent = 0xffffffffU;

  struct Placement {
    std::uint32_t lane = 0;
    std::uint32_t parent = kNoParent;  ///< `key` of the parent
    bool spilled = false;              ///< whether its parent's lane + 1 (0 without a parent) was busy
  };

  /// Places the next slice. Slices that it encloses get `key` as their parent.
  Placement place(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t key);
  std::uint32_t lane_count() const { return lane_count_; }

 private:
  struct Open {
    std::int64_t end_ns;
    std::uint32_t lane;
    std::uint32_t key;
  };

  std::uint32_t first_free_lane(std::uint32_t from, std::int64_t start_ns) const;
  void occupy(std::uint32_t lane, std::int64_t end_ns);

  std::vector<Open> open_;  // ends do not ascend from bottom to top
  // Tournament tree over lanes: the leaves, from index leaves_ on, contain the last end in each lane, and
  // other nodes the minimum below them.
  std::vector<std::int64_t> min_end_;
  std::uint32_t leaves_ = 0;
  std::uint32_t lane_count_ = 0;
};

}  // namespace kino
