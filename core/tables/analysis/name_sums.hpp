// Statistics of slice durations by name and kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/trace/links/namesakes.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Statistics of slices within a time range. Only the part of a slice that is inside the range counts.
struct DurationTotals {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;  ///< total minus the union of direct children
  std::int64_t min_ns = 0;   ///< 0 if there are no slices
  std::int64_t max_ns = 0;
  std::uint64_t parts = 0;     ///< number of slices, included in `count`, for which is_merged_into_caller()
                               ///< is true: the caller's time includes them
  SliceId longest = kNoSlice;  ///< slice with the longest part in the range; the first of several equal ones

  /// Returns the number of calls as the operator table counts them: without `parts`.
  std::uint64_t calls() const { return count - parts; }
  double mean_ns() const {
    return count == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(count);
  }
  /// Updates the longest slice. Ids ascend by track and time, so the smallest id is the first of several
  /// equal slices.
  void note_longest(std::int64_t ns, SliceId slice) {
    if (ns < max_ns || (ns == max_ns && slice >= longest)) return;
    max_ns = ns;
    longest = slice;
  }
  void add(const Trace& trace, SliceId slice, std::int64_t ns) {
    min_ns = count == 0 ? ns : std::min(min_ns, ns);
    note_longest(ns, slice);
    ++count;
    parts += is_merged_into_caller(trace, slice) ? 1 : 0;
    add_saturating(total_ns, ns);
    add_saturating(self_ns, ns);
  }
  void merge(const DurationTotals& other) {
    if (other.count > 0) {
      min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
      note_longest(other.max_ns, other.longest);
    }
    count += other.count;
    parts += other.parts;
    add_saturating(total_ns, other.total_ns);
    // Added even if `other` has no slices: a worker that sums only children subtracts their time from the
    // parent.
    add_saturating(self_ns, other.self_ns);
  }
};

struct NameStats {
  NameId name{};
  SliceKind kind{};
  DurationTotals stats;
};

/// Statistics by name and kind. Most names have a single kind, so the statistics of a name's usual kind are
/// in an array indexed by name.
class NameSums {
 public:
  void prepare(const Trace& trace) {
    if (usual_.empty()) usual_.resize(trace.names.size());
  }
  /// Requires prepare().
  DurationTotals& of(const Trace& trace, std::uint32_t slice) {
    const NameId name = trace.slices.name[slice];
    const SliceKind kind = trace.slices.kind[slice];
    if (trace.name_kind[index_of(name)] == kind) return usual_[index_of(name)];
    return unusual_[index_of(name) * std::uint64_t{kSliceKindCount} + static_cast<std::uint64_t>(kind)];
  }
  void merge(const NameSums& other) {
    if (usual_.empty()) usual_.resize(other.usual_.size());
    for (std::size_t i = 0; i < other.usual_.size(); ++i) usual_[i].merge(other.usual_[i]);
    for (const auto& [key, stats] : other.unusual_) unusual_[key].merge(stats);
  }
  /// Returns the names that have slices, in no particular order.
  std::vector<NameStats> names(const Trace& trace) const {
    std::vector<NameStats> list;
    for (std::uint32_t i = 0; i < usual_.size(); ++i) {
      if (usual_[i].count > 0) list.push_back({NameId{i}, trace.name_kind[i], usual_[i]});
    }
    for (const auto& [key, stats] : unusual_) {
      if (stats.count == 0) continue;
      list.push_back({NameId{static_cast<std::uint32_t>(key / kSliceKindCount)},
                      static_cast<SliceKind>(key % kSliceKindCount), stats});
    }
    return list;
  }

 private:
  std::vector<DurationTotals> usual_;  // by NameId
  std::unordered_map<std::uint64_t, DurationTotals> unusual_;
};

}  // namespace kino
