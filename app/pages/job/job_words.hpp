// Texts on a job: the verdict, its clocks, how its collectives were matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Numbers of collectives and of their kernels, by "A/complete", "B/partial", "single/alone".
struct LevelCounts {
  std::map<std::string, std::size_t> instances;
  std::map<std::string, std::size_t> kernels;
};
LevelCounts level_counts(const MatchedJob& job);

/// "host" in "host_1375.1724066820237002797.pt.trace.json", as written by tensorboard_trace_handler; nullopt
/// for other names.
std::optional<std::string> host_of(const std::filesystem::path& file);

/// "Rank 2".
std::string rank_name(const JobAnalysis& job, std::uint32_t index);
/// How late the rank was by itself: "1.6 ms in 22 of 22 steps" if it recurs, else "27.5 ms in step 19". May
/// be empty.
std::string lateness_text(const JobAnalysis& job, std::uint32_t index);
/// Names the straggler in one sentence without a full stop. Recurring lateness precedes a longer single one.
/// If ranks are missing, the result is called a lower bound.
std::string verdict_title(const JobAnalysis& job);
/// Reasons for the verdict; may be empty.
std::string verdict_reason(const JobAnalysis& job);
/// Causes of the waiting for a rank, largest first: "compute 98 %". May be empty.
std::string cause_shares_text(const JobAnalysis& job, std::uint32_t index);
/// "GPU time 1.149 [1.148, 1.151] of the other ranks' for the same kernels, n = 1,152: slower". If there are
/// too few calls, reports their number. Empty for a single rank.
std::string gpu_text(const JobAnalysis& job, std::uint32_t index);
/// "Rank 2: CPU busy +1.78 ms, compute +1.47 ms": the excess times of the root cause of a late collective, or
/// why it is unknown. Empty if no rank was late.
std::string cause_text(const JobAnalysis& job, std::uint32_t collective);
/// One sentence on the clocks of the ranks.
std::string clocks_text(const JobAnalysis& job);
/// The uncertainty of the clocks in a few characters, or that it is unknown.
std::string clocks_in_brief(const JobAnalysis& job);
/// Number of ends before a begin in the same collective, which is impossible, by the ranks' own and by fitted
/// clocks. Empty if nothing could be checked.
std::string clock_check_text(const JobAnalysis& job);

}  // namespace kino
