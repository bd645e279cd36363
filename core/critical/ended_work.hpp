// Finds the work that ended last before a time, among the work that was launched before an earlier time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/critical/rank_work.hpp"

namespace kino {

struct EndedQuery {
  std::int64_t launched_before_ns = 0;  ///< the launch call begins before this time
  std::int64_t ended_by_ns = 0;         ///< the work ends at or before this time
};

/// Returns the work that ends last for each query, or RankWork::kNone. At equal ends, the last one in
/// RankWork::by_end. O((work + queries) log (work + queries)).
std::vector<std::uint32_t> last_ended(const RankWork& works, std::span<const EndedQuery> queries);

}  // namespace kino
