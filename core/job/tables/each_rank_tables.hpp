// Tables of a trace for all ranks of a job: GPU time, reasons for idle GPUs, kinds of kernels, and launch
// delays, one rank after the other.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "core/job/rank_digest.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct JobScope;

/// Returns the tables of this header, which are a part of job_table_kinds().
std::span<const TableKind<JobScope>* const> each_rank_table_kinds();

/// Returns digest_of() with the trace's tables that each_rank_table_kinds() combines, without their links.
/// O(slices log slices).
RankDigest digest_with_tables(const Trace& trace, std::shared_ptr<const WorkRules> rules,
                              const std::stop_token& stop = {});

}  // namespace kino
