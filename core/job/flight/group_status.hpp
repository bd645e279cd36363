// Statuses of ranks whose dumps have no entries, compared with the other dumps of the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Status of one process group in a dump without entries. Sequence numbers; -1: unknown.
struct GroupStatus {
  std::int64_t rank = -1;
  std::string description;
  std::vector<std::int64_t> ranks;
  std::int64_t last_enqueued = -1;
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
  std::int64_t others_enqueued = -1;  ///< the largest of the group's other ranks

  /// Number of collectives that the rank has enqueued fewer than the other rank that is furthest. Negative if
  /// the rank is ahead. nullopt if the numbers cannot be compared.
  std::optional<std::int64_t> behind() const;
};

/// Sorted by rank, then by behind(), largest first; statuses that cannot be compared are last. A status of a
/// group with messages between two ranks is not compared, because its numbers count these messages, too.
/// O(groups and entries of all dumps).
std::vector<GroupStatus> statuses_without_entries(const std::vector<FlightDump>& dumps);

/// One sentence per outcome: how far the ranks without entries are behind. Empty without statuses.
Message status_verdict(const std::vector<GroupStatus>& statuses);

/// One line for each group in which a rank is behind or ahead, else for the rank's first group. One more line
/// counts the rank's groups in which it is level. The first twelve ranks.
std::vector<Message> status_lines(const std::vector<GroupStatus>& statuses);

}  // namespace kino
