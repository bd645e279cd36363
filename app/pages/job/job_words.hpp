// What a job tells, in words: the verdict, its clocks, how its collectives were matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/job/job_analysis.hpp"

namespace kino {

/// "A/complete", "B/partial", "single/alone": how many collectives, and of how many kernels.
struct LevelCounts {
  std::map<std::string, std::size_t> instances;
  std::map<std::string, std::size_t> kernels;
};
LevelCounts level_counts(const MatchedJob& job);

/// "host" of "host_1375.1724066820237002797.pt.trace.json", as tensorboard_trace_handler writes it; nothing
/// of other names.
std::optional<std::string> host_of(const std::filesystem::path& file);

/// "Rank 2".
std::string rank_name(const JobAnalysis& job, std::uint32_t index);
/// How late it was by its own doing: "1.6 ms in 22 of 22 steps" where it recurs, else "27.5 ms in step 19".
/// May be empty.
std::string lateness_words(const JobAnalysis& job, std::uint32_t index);
/// Who makes the others wait, in one sentence without a full stop: what recurs in most steps comes before
/// what took long once. Where ranks are missing, what is known is a lower bound and called so.
std::string verdict_title(const JobAnalysis& job);
/// What the verdict rests on; may be empty.
std::string verdict_reason(const JobAnalysis& job);
/// What of a rank the others wait for, the most first: "compute 98 %". May be empty.
std::string blame_words(const JobAnalysis& job, std::uint32_t index);
/// "GPU time 1.149 [1.148, 1.151] of the other ranks' for the same kernels, n = 1,152: slower"; says how many
/// calls there are where they are too few. Empty for a single rank.
std::string gpu_words(const JobAnalysis& job, std::uint32_t index);
/// "Rank 2: CPU busy +1.78 ms, compute +1.47 ms": what took the time of the rank that a collective's lateness
/// goes back to, or why that is not known; empty where nobody's does.
std::string cause_words(const JobAnalysis& job, std::uint32_t collective);
/// What is said once about the ranks' clocks.
std::string clocks_words(const JobAnalysis& job);
/// In a few letters: how sure they are, or whether at all.
std::string clocks_in_brief(const JobAnalysis& job);
/// How many ends lie before a begin of the same collective, which cannot be, by own clocks and by fitted
/// ones. Empty if nothing could be checked.
std::string clock_check_words(const JobAnalysis& job);

}  // namespace kino
