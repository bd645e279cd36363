// Texts on a job: the verdict, its reasons, the clocks, and how collectives were matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Numbers of collectives and of their kernels, by quality of the match: "A/complete", "B/partial",
/// "single/alone".
struct LevelCounts {
  std::map<std::string, std::size_t> instances;
  std::map<std::string, std::size_t> kernels;
};
LevelCounts level_counts(const MatchedJob& job);

/// Returns the host in a file name as written by tensorboard_trace_handler: "host" for
/// "host_1375.1724066820237002797.pt.trace.json". nullopt for other names.
std::optional<std::string> host_of(const std::filesystem::path& file);

/// Returns the name of a rank: "Rank 2". If its number is unknown, the name of its file.
std::string rank_name(const JobAnalysis& job, std::uint32_t index);
/// Returns how late the rank was: "1.6 ms in 22 of 22 steps" if the lateness recurs. Otherwise returns the
/// delay in the worst step: "27.5 ms in step 19". May be empty.
std::string lateness_text(const JobAnalysis& job, std::uint32_t index);
/// Returns the verdict in one sentence without a full stop. It names the straggler if there is one: a rank
/// that is late repeatedly takes precedence over one that is late once for longer. If ranks are missing, the
/// sentence calls the delay a lower bound, unless it states the number of late steps. Without a straggler, it
/// names a slow link, or states that there is no straggler or no verdict.
std::string verdict_title(const JobAnalysis& job);
/// Returns the reasons for the verdict; may be empty.
std::string verdict_reason(const JobAnalysis& job);
/// Returns the causes of the waiting for a rank, largest first: "compute 98 %". May be empty.
std::string cause_shares_text(const JobAnalysis& job, std::uint32_t index);
/// Returns the meaning of "CPU untraced" if `causes`, a text of causes from this header, contains it. Empty
/// otherwise.
std::string cpu_untraced_note(std::string_view causes);
/// Compares the rank's GPU with those of the other ranks for the same kernels. The text is "GPU time is 1.149
/// [1.148, 1.151] times that of the other ranks for the same kernels, n = 1 152: slower". If it cannot be
/// compared, reports the number of calls. Empty for a single rank, or if no GPU was compared.
std::string gpu_text(const JobAnalysis& job, std::uint32_t index);
/// Returns the root cause of a late collective with the excess times of its largest parts: "Rank 2: CPU busy
/// +1.78 ms, compute +1.47 ms". If the cause is unknown, returns the rank and the reason. Empty if no rank
/// was late.
std::string cause_text(const JobAnalysis& job, std::uint32_t collective);
/// Returns the reason why a collective without CollectiveWait::last names no rank, as one sentence: some rank
/// was not recording, or the last two ranks arrived within the tolerance of the clocks.
std::string unnamed_last_text(const JobAnalysis& job, std::uint32_t collective);
/// Returns one sentence on the clocks of the ranks.
std::string clocks_text(const JobAnalysis& job);
/// Returns the uncertainty of the clocks in a few characters, or a text for an unknown uncertainty.
std::string clocks_in_brief(const JobAnalysis& job);
/// Returns how many collectives end on one rank before they start on another, which is impossible. Counts
/// them by the ranks' own clocks and, if clocks were compared, by fitted clocks. Empty if nothing could be
/// checked.
std::string clock_check_text(const JobAnalysis& job);

}  // namespace kino
