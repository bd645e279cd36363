// Restricts a job to a time range: the same collectives and clocks, with sums of that range.
#pragma once

#include <stop_token>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Returns the analysis restricted to `range`, in common Unix time. The result contains the collectives whose
/// kernels all start in the range, and the compute, communication and copies within the range. It contains
/// the steps that are inside the range on their rank. Matches, clocks and the GPU index remain those of the
/// whole job. O(kernels).
JobAnalysis job_in_range(const JobAnalysis& job, TimeRange range, const std::stop_token& stop = {});

}  // namespace kino
