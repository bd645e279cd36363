// Collectives of a recording: their GPU work, and the time that each needs without waiting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/critical/gpu_dependences.hpp"
#include "core/critical/rank_work.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// Returns, for each rank of the job and each kernel of its digest, the matched collective to which the
/// kernel belongs: an index into MatchedJob::instances; -1 for kernels without one, and for collectives and
/// messages that do not make all members wait for each other. O(kernels).
std::vector<std::vector<std::int32_t>> joined_instances(const JobAnalysis& job);

/// Fills RankGraph::collectives, and GraphWork::collective. `instances`: by kernel of the digest, the matched
/// collective; may be empty. O(work + collectives log collectives).
void find_collectives(RankGraph& rank, const RankWork& works, const RankDigest& digest,
                      std::span<const std::int32_t> instances);

/// Adds the arrivals of the matched collectives as the last nodes: from the starts of the members to the last
/// arrival, and from there to their ends. O(collectives).
void add_arrivals(ActivityGraph& graph, std::vector<std::int64_t>& time_ns, std::vector<DraftEdge>& edges);

/// Adds the edges of collectives without a counterpart on other ranks: from the end of the previous
/// collective to the end of a collective that waited. They apply only in the reading `others_fixed`.
void add_alone_edges(const RankGraph& rank, std::vector<DraftEdge>& edges);

}  // namespace kino
