// Sorts each track's slices by time and assigns their lanes; summarizes the contents of streams.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/build/track_records.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Number of calls that were cut at the end of their caller (call_stacks.hpp).
struct CutCalls {
  std::uint64_t count = 0;
  std::uint64_t first_offset = kNoOffset;
};

/// The number of slices in each lane of each track, and the contents of streams.
class TrackLanes {
 public:
  /// Sorts each track of `records` by (start, longer first, file offset) and cuts calls at the end of their
  /// caller. Stores the lane of each slice in its `track`. O(n log runs), parallel over tracks.
  TrackLanes(TrackRecords& records, const MergedIds& ids, const RecordKinds& kinds, const StringTable& names,
             unsigned threads, const std::stop_token& stop);

  std::uint32_t count(std::uint32_t track) const { return counts_[track]; }
  std::uint64_t total() const;
  const CutCalls& cut_calls() const { return cut_calls_; }
  /// Returns the number of slices in each lane. `slices` is the number of slices of the track. For a track
  /// with a single lane, the returned span refers to `slices`.
  std::span<const std::uint32_t> lengths(std::uint32_t track, const std::uint32_t& slices) const {
    if (counts_[track] > 1) return several_.at(track);
    return {&slices, counts_[track]};
  }
  /// Returns the text of contents_of() for a stream; empty for all other tracks.
  std::string_view contents(std::uint32_t track) const {
    return contents_.empty() || contents_[track] == 0 ? std::string_view()
                                                      : content_texts_[contents_[track] - 1];
  }

 private:
  std::vector<std::uint32_t> counts_;                                      // by track
  std::mutex mutex_;                                                       // during construction
  CutCalls cut_calls_;                                                     // guarded
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> several_;  // guarded: slices by lane
  std::vector<std::uint32_t> contents_;  // guarded: id in content_texts_ plus one, by track; 0: none
  StringTable content_texts_;            // guarded: contents of streams, which are often equal
};

}  // namespace kino
