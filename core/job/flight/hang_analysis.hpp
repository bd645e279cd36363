// Finds the ranks that hold up a hanging job, from the flight recorder dumps of its ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/flight_dump.hpp"
#include "core/job/flight/group_status.hpp"

namespace kino {

/// A process group in which ranks wait. Ranks are those of the job, in the order of the group.
struct WaitingGroup {
  std::string description;
  std::vector<std::int64_t> ranks;
  std::int64_t sequence = -1;  ///< the smallest sequence number that some rank has not completed
  std::string operation;
  std::vector<std::int64_t> waiting;  ///< ranks that have enqueued the operation and not completed it
  std::vector<std::int64_t> missing;  ///< ranks that have never enqueued the operation
  std::vector<std::int64_t> stuck;    ///< ranks that wait in the operation although others have completed it
  std::vector<std::int64_t> no_dump;
};

enum class MismatchKind : std::uint8_t { operation, size, dtype };
msg::Id text_of(MismatchKind kind);

/// Ranks whose operations, sizes or types differ at one sequence number, as PyTorch's own analyzer reports.
struct Mismatch {
  MismatchKind kind{};
  std::string description;
  std::int64_t sequence = -1;
  std::map<std::string, std::vector<std::int64_t>> ranks;  ///< by operation, size or dtype
};

/// Unfinished messages between two ranks.
struct Messages {
  std::int64_t from = -1;
  std::int64_t to = -1;
  std::uint64_t sends = 0;     ///< unfinished sends on the sending rank
  std::uint64_t receives = 0;  ///< unfinished receives on the receiving rank
};

/// An entry that is not completed.
struct Outstanding {
  std::int64_t rank = -1;
  std::size_t dump = 0;  ///< index into the dumps
  std::size_t entry = 0;
};

/// Duration of the hang: from the last enqueue or completion on any rank until the dumps were written.
struct HangTime {
  enum class Basis : std::uint8_t {
    unknown,
    files,    ///< until the earliest modification time of a dump
    timeout,  ///< until the first timeout of an operation, at which PyTorch's watchdog writes dumps
  };
  Basis basis = Basis::unknown;
  std::int64_t hung_ns = -1;
  std::int64_t timeout_ms = -1;  ///< timeout of the operation that times out first; -1: unknown
  /// Whether the files have modification times. They are unreliable, because copying sets later ones.
  bool files_dated = false;
};

/// Cell of the matrix of ranks and groups.
struct GroupCell {
  std::int64_t last_enqueued = -1;
  std::int64_t last_completed = -1;
  std::uint64_t outstanding = 0;
  bool member = false;
};

struct HangAnalysis {
  std::vector<WaitingGroup> groups;               ///< sorted by description, then ranks
  std::map<std::int64_t, std::uint64_t> missing;  ///< number of groups in which a rank is missing, by rank
  std::map<std::int64_t, std::uint64_t> stuck;
  std::vector<Mismatch> mismatches;
  std::vector<Messages> messages;     ///< sorted by both ranks
  std::vector<std::int64_t> idle;     ///< ranks with a dump and nothing outstanding
  std::vector<std::int64_t> silent;   ///< ranks whose dump has neither operations nor a status
  std::vector<GroupStatus> statuses;  ///< statuses in dumps without entries
  /// Ranks of any process group that have no dump, and ranks of `groups` that have an empty one.
  std::vector<std::int64_t> no_dump;
  std::vector<Outstanding> outstanding;  ///< oldest first
  std::uint64_t outstanding_groups = 0;  ///< groups with an outstanding operation, messages included
  /// Unix time of the last enqueue of an unfinished entry, by rank; 0 if the rank has none.
  std::map<std::int64_t, std::int64_t> last_activity_ns;
  std::int64_t newest_ns = 0;  ///< Unix time of the last enqueue in all dumps
  std::uint64_t entries = 0;   ///< number of entries in all dumps; 0: at most statuses are known
  std::uint64_t dumps = 0;
  HangTime time;

  /// Returns the ranks that are missing or stuck, sorted.
  std::vector<std::int64_t> suspects() const;
};

/// Analyzes dumps of different ranks. O(entries log entries).
HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps);

/// Returns the status of each group on one rank, in the order of `groups`.
std::vector<GroupCell> group_cells(const FlightDump& dump, const std::vector<WaitingGroup>& groups);

/// Returns sentences on the ranks that hold up the job, with the likely cause, and on how far ranks without
/// entries are behind.
Message hang_verdict(const HangAnalysis& analysis);
/// Returns a sentence on how long the job has hung, and the source of that time. Empty if unknown.
Message hang_time_text(const HangAnalysis& analysis);

/// Returns the operation with ranks of the job: "nccl:send 4->16" for "nccl:send 1->4" if ranks 1 and 4 of
/// the group are ranks 4 and 16 of the job. If the operation is not a message, or the dump does not list the
/// group's ranks, returns the recorded text.
std::string operation_text(const FlightDump& dump, const FlightEntry& entry);

/// Returns a list such as "0, 4 and 7". If there are more than twelve ranks, the list has the first twelve
/// and the number of the others.
Message ranks_text(const std::vector<std::int64_t>& ranks);
/// Returns ranks_text() with a noun: "rank 9" or "ranks 9 and 14".
Message ranks_with_noun(const std::vector<std::int64_t>& ranks);
/// Returns the message `one` or `several`, with ranks_text() as its argument. Empty if there are no ranks.
Message message_on_ranks(const std::vector<std::int64_t>& ranks, msg::Id one, msg::Id several);

}  // namespace kino
