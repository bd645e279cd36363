// Who holds up a job that hangs, from the dumps of its ranks' flight recorders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/flight_dump.hpp"
#include "core/job/flight/group_status.hpp"

namespace kino {

/// A process group in which somebody waits. Ranks are those of the job, in order.
struct WaitingGroup {
  std::string description;
  std::vector<std::int64_t> ranks;
  std::int64_t sequence = -1;  ///< the smallest that any rank has not finished
  std::string operation;
  std::vector<std::int64_t> waiting;  ///< have enqueued it and not finished
  std::vector<std::int64_t> missing;  ///< have never enqueued it
  std::vector<std::int64_t> stuck;    ///< wait in it although others have gone on to later ones
  std::vector<std::int64_t> no_dump;
};

enum class MismatchKind : std::uint8_t { operation, size, dtype };
msg::Id text_of(MismatchKind kind);

/// Ranks that do not do the same at one place of a group, as PyTorch's own analyser looks for.
struct Mismatch {
  MismatchKind kind{};
  std::string description;
  std::int64_t sequence = -1;
  std::map<std::string, std::vector<std::int64_t>> ranks;  ///< by what they do
};

/// Messages between two ranks that are not finished.
struct Messages {
  std::int64_t from = -1;
  std::int64_t to = -1;
  std::uint64_t sends = 0;     ///< on the rank that sends
  std::uint64_t receives = 0;  ///< on the one that receives
};

/// One entry that is not completed.
struct Outstanding {
  std::int64_t rank = -1;
  std::size_t dump = 0;  ///< indices into the dumps
  std::size_t entry = 0;
};

/// How long the job had stood still when the dumps were written: nothing was enqueued or completed meanwhile.
struct HangTime {
  enum class Basis : std::uint8_t {
    unknown,
    files,    ///< from the last sign of life to the modification time of the first dump
    timeout,  ///< to the first time-out of an outstanding operation, at which PyTorch's watchdog writes dumps
  };
  Basis basis = Basis::unknown;
  std::int64_t stood_ns = -1;
  std::int64_t timeout_ms = -1;  ///< of the operation that times out first; -1: none is known
  bool files_dated = false;      ///< the files have times, which may not fit: copies are dated later
};

/// A cell of the matrix of ranks and groups.
struct GroupCell {
  std::int64_t last_enqueued = -1;
  std::int64_t last_completed = -1;
  std::uint64_t outstanding = 0;
  bool member = false;
};

struct HangAnalysis {
  std::vector<WaitingGroup> groups;               ///< by description, then ranks
  std::map<std::int64_t, std::uint64_t> missing;  ///< by rank: in how many groups
  std::map<std::int64_t, std::uint64_t> stuck;
  std::vector<Mismatch> mismatches;
  std::vector<Messages> messages;        ///< by the two ranks
  std::vector<std::int64_t> idle;        ///< ranks with a dump and nothing outstanding
  std::vector<std::int64_t> silent;      ///< ranks whose dump has neither operations nor a status
  std::vector<GroupStatus> statuses;     ///< statuses in dumps without entries
  std::vector<std::int64_t> no_dump;     ///< ranks without a dump, or with an empty one, that any group names
  std::vector<Outstanding> outstanding;  ///< the oldest first
  std::uint64_t outstanding_groups = 0;  ///< groups with an outstanding operation, messages included
  std::map<std::int64_t, std::int64_t> last_activity_ns;  ///< by rank: its newest unfinished entry; 0: none
  std::int64_t newest_ns = 0;                             ///< Unix time of the newest entry of all
  std::uint64_t entries = 0;  ///< of all dumps; without any, the dumps say nothing
  std::uint64_t dumps = 0;
  HangTime time;

  /// The ranks that are missing or stuck, in order.
  std::vector<std::int64_t> culprits() const;
};

/// `dumps` of different ranks. O(entries log entries).
HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps);

/// What a rank knows of each of the groups, in their order.
std::vector<GroupCell> group_cells(const FlightDump& dump, const std::vector<WaitingGroup>& groups);

/// A sentence on who holds up the job, and one on what that means. Then how far ranks without entries are
/// behind, by their statuses.
Message hang_verdict(const HangAnalysis& analysis);
/// A sentence on how long the job stood still, and what that is based on. Empty if unknown.
Message hang_time_text(const HangAnalysis& analysis);

/// The operation with ranks of the job: "nccl:send 4->16" for "nccl:send 1->4" of a group's ranks 1 and 4. As
/// recorded, if the dump does not list the group's ranks.
std::string operation_text(const FlightDump& dump, const FlightEntry& entry);

/// "0, 4 and 7", at most the first twelve of them.
Message ranks_text(const std::vector<std::int64_t>& ranks);
/// "rank 9", "ranks 9 and 14"; as ranks_text().
Message ranks_with_noun(const std::vector<std::int64_t>& ranks);
/// The message for one rank, or that for several, with ranks_text() in its slot. Empty without ranks.
Message message_on_ranks(const std::vector<std::int64_t>& ranks, msg::Id one, msg::Id several);

}  // namespace kino
