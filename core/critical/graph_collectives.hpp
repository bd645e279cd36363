// Collectives of a recording: their GPU work, and the time that each needs without waiting.
#pragma once

#include <vector>

#include "core/critical/gpu_dependences.hpp"
#include "core/critical/rank_work.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// Fills RankGraph::collectives, and GraphWork::collective. O(work + collectives log collectives).
void find_collectives(RankGraph& rank, const RankWork& works, const RankDigest& digest);

/// Adds the edges of collectives without a counterpart on other ranks: from the end of the previous
/// collective to the end of a collective that waited. They apply only in the reading `others_fixed`.
void add_alone_edges(const RankGraph& rank, std::vector<DraftEdge>& edges);

}  // namespace kino
