// The part of each collective that at least waits for other ranks, from one trace alone.
#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>

#include "core/trace/trace.hpp"

namespace kino {

/// How one collective splits. A kernel that is not known has no known wait.
struct CollectiveSplit {
  std::int64_t wait_ns = 0;  ///< at its beginning; a lower bound
  bool p2p = false;          ///< sends and receives
};

/// Collectives of communication libraries (is_attributed_collective()) that wait or are point-to-point, by slice. Among at
/// least kFewest kernels of one name, size, type and group, each one waits for as long as it exceeds the fastest one.
/// O(collectives * log collectives). Unspecified if stopped.
class CollectiveWaits {
 public:
  static constexpr std::size_t kFewest = 3;

  CollectiveWaits() = default;
  explicit CollectiveWaits(const Trace& trace, const std::stop_token& stop = {});

  CollectiveSplit of(SliceId kernel) const {
    const auto found = splits_.find(index_of(kernel));
    return found == splits_.end() ? CollectiveSplit{} : found->second;
  }

 private:
  std::unordered_map<std::uint32_t, CollectiveSplit> splits_;
};

}  // namespace kino
