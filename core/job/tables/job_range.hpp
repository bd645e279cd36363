// A part of a job's time as a job of its own: the same collectives and clocks, and sums of that part alone.
#pragma once

#include <stop_token>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Returns the analysis restricted to `range`, in common Unix time: the collectives whose kernels all begin
/// in it, what was computed, communicated and copied within it, and the steps that it contains on their rank.
/// Matching and clocks are those of the whole job, and so is the GPU index. Unspecified if stopped.
/// O(kernels).
JobAnalysis job_in_range(const JobAnalysis& job, TimeRange range, const std::stop_token& stop = {});

}  // namespace kino
