// Tables of a trace over all ranks of a job, one below the other: where the time of each rank's GPUs went,
// why they were idle, which kinds of kernels ran, how late work began.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/rank_digest.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct JobScope;

/// For job_table_kinds().
std::span<const TableKind<JobScope>* const> each_rank_table_kinds();

/// digest_of() with the tables of the trace that each_rank_table_kinds() put together, without their links.
/// Empty when stopped. O(slices log slices).
RankDigest digest_with_tables(const Trace& trace, std::shared_ptr<const WorkRules> rules,
                              const std::stop_token& stop = {});

}  // namespace kino
