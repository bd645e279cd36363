// Costs of one rank compared with those of the other ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/retiming.hpp"

namespace kino {

/// Returns the change that gives the rank with this index at most the median costs of the other ranks: of
/// thread time by cause, and of kernels by name. Requires at least two ranks. O(work + pieces of all ranks).
RankCostChange like_median(const ActivityGraph& graph, std::size_t index);
/// Returns like_median() of several ranks, in their order. O(work + pieces of all ranks + indices * ranks *
/// (causes + names of kernels)).
std::vector<RankCostChange> like_medians(const ActivityGraph& graph, std::span<const std::size_t> indices);

}  // namespace kino
