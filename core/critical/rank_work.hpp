// GPU work of one recording in order of start, with its launches and its neighbors on the stream.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/critical/activity_graph.hpp"

namespace kino {

/// Columns by index of RankGraph::works. Times are common times.
struct RankWork {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::int64_t kNoTime = INT64_MIN;

  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<SliceId> launch;              ///< call that launches the work, or kNoSlice
  std::vector<std::int64_t> call_begin_ns;  ///< kNoTime without a launch
  std::vector<std::int64_t> call_end_ns;
  std::vector<std::uint32_t> track;       ///< track of the launch
  std::vector<std::uint32_t> call_works;  ///< number of pieces of work that the same call launches
  std::vector<std::uint32_t> previous;    ///< index of the work that starts before it on its stream
  std::vector<std::uint32_t> last_ended;  ///< index of the work that ends last among earlier work
                                          ///< of its stream
  std::vector<std::vector<std::uint32_t>> by_stream;  ///< indices of the work of each stream, sorted by start
  std::vector<std::uint32_t> by_launch;  ///< indices of launched work, sorted by the start of the call, then
                                         ///< by the start of the work
  std::vector<std::uint32_t> by_end;     ///< indices of all work, sorted by end

  std::size_t size() const { return start_ns.size(); }
  bool launched(std::size_t work) const { return launch[work] != kNoSlice; }
};

/// Fills RankGraph::works and streams, and returns the columns. O(work log work).
RankWork rank_work(RankGraph& rank, const std::stop_token& stop = {});

}  // namespace kino
