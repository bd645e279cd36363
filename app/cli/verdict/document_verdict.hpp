// The verdict of the window on a recording or on two runs, as plain text for commands and assistants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/verdict/opened_run.hpp"
#include "core/base/result.hpp"

namespace kino {

/// A row beside the verdict: a finding of a trace, a rank of a job or hung job, or a cause of a difference.
struct VerdictFinding {
  std::string name;
  std::optional<std::int64_t> ns;  ///< time per step, waiting caused by a rank, or change; nullopt if unknown
  std::string amount;              ///< `ns` as text; may be empty
  std::string share;               ///< such as "24.3 %"; may be empty
  std::string detail;              ///< advice, causes or state; may be empty
};

/// Texts in English, not escaped.
struct DocumentVerdict {
  std::string kind;  ///< "trace", "snapshot", "job", "hang" or "comparison"
  std::string sentence;
  std::string evidence;  ///< may be empty
  std::vector<VerdictFinding> findings;
  std::vector<std::string> commands;  ///< for a hung job: shell commands that print stacks of its processes
};

/// Returns the verdict on a recording. For a snapshot, `device` is the index of the device, by default the
/// one with the largest peak; the error reports an unknown device. O(slices), or as snapshot_verdict().
Result<DocumentVerdict> verdict_of(const OpenedRun& run, std::optional<std::size_t> device = std::nullopt);

/// Returns the verdict on the difference of B from A, which must each be a trace or a job. For jobs, all
/// traces are read. O(slices).
Result<DocumentVerdict> verdict_of(const OpenedRun& a, const OpenedRun& b, const OpenOptions& options);

nlohmann::ordered_json verdict_json(const DocumentVerdict& verdict);
/// Returns lines of text that are escaped for printing.
std::string verdict_lines(const DocumentVerdict& verdict);

}  // namespace kino
