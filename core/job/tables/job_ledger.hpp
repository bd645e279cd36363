// Ledgers of all ranks of a job. The recordings of the other ranks determine the waiting in each collective.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/job/job_analysis.hpp"
#include "core/tables/compare/step_rows.hpp"

namespace kino {

/// One step of a rank on one GPU.
struct JobLedgerStep {
  std::uint32_t rank = 0;      ///< index into JobAnalysis::ranks
  std::int64_t step = -1;      ///< number of the step; -1: the trace marks no steps
  std::string_view gpu;        ///< number of the device; refers to the digest
  std::int64_t length_ns = 0;  ///< the sum of `times`
  StepTimes times;
  bool waits_at_least = false;  ///< waiting is a lower bound, because a collective has a missing member
};

/// Returns the steps of all ranks, sorted by step, then rank. Matched collectives wait for
/// KernelWait::waiting_ns from their start, and transfer data from then on; the others are comm_unsplit.
/// Messages of pipelines wait as in PipelineMessage. After the wait, messages count as comm_p2p. O(pieces of
/// the ledgers), and the cost of pipelines_of().
std::vector<JobLedgerStep> job_ledger(const JobAnalysis& job, const std::stop_token& stop = {});

}  // namespace kino
