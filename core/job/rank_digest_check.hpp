// Whether a RankDigest that was not just made holds together, so that nothing that reads it can go astray.
#pragma once

#include "core/job/rank_digest.hpp"

namespace kino {

/// Whether every number in it that stands for a place or a kind is one of those that exist, times are in
/// order and can be added, parts add up, and tables have columns of one length. What digest_of() makes does;
/// what comes from a file may not. Says nothing of whether the content is right. O(everything).
bool holds_together(const RankDigest& digest);

}  // namespace kino
