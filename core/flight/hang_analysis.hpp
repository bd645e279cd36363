// Who holds up a job that hangs, from the dumps of its ranks' flight recorders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/flight/flight_dump.hpp"

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
std::string_view text_of(MismatchKind kind);

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
  std::vector<std::int64_t> no_dump;     ///< ranks of groups of which there is no dump
  std::vector<Outstanding> outstanding;  ///< the oldest first
  std::map<std::int64_t, std::int64_t>
      last_activity_ns;        ///< by rank: its newest entry that is not finished; 0: none
  std::int64_t newest_ns = 0;  ///< Unix time of the newest entry of all

  /// The ranks that are missing or stuck, in order.
  std::vector<std::int64_t> culprits() const;
};

/// `dumps` of different ranks. O(entries log entries).
HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps);

/// What a rank knows of each of the groups, in their order.
std::vector<GroupCell> group_cells(const FlightDump& dump, const std::vector<WaitingGroup>& groups);

/// A sentence on who holds up the job, and one on what that means.
std::string hang_verdict(const HangAnalysis& analysis);

/// "0, 4 and 7", at most the first twelve of them.
std::string ranks_text(const std::vector<std::int64_t>& ranks);

}  // namespace kino
