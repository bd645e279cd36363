// Collectives of a recording: the work that they are, and the time that each needs without waiting.
#pragma once

#include <vector>

#include "core/critical/gpu_dependences.hpp"
#include "core/critical/rank_work.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// Fills RankGraph::collectives, and GraphWork::collective. O(work + collectives log collectives).
void find_collectives(RankGraph& rank, const RankWork& works, const RankDigest& digest);

/// Adds the edges of collectives without a counterpart on other ranks. They apply only if the other ranks do
/// not change: from the end of the collective before to the end of one that waited.
void add_alone_edges(const RankGraph& rank, std::vector<DraftEdge>& edges);

}  // namespace kino
