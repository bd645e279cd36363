// Statuses of ranks whose dumps have no entries, compared with the other dumps of the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Status of one process group in a dump without entries. Unknown numbers are -1.
struct GroupStatus {
  std::int64_t rank = -1;
  std::string description;
  std::vector<std::int64_t> ranks;
  std::int64_t last_enqueued = -1;
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
  std::int64_t others_enqueued = -1;  ///< largest last_enqueued of the group's other ranks

  /// Returns how many collectives the rank is behind the most advanced other rank, by enqueued collectives.
  /// Negative if the rank is ahead. nullopt if the numbers cannot be compared.
  std::optional<std::int64_t> behind() const;
};

/// Returns statuses sorted by rank, then by behind(), largest first; statuses that cannot be compared are the
/// last of their rank. A status is not compared if its group has messages between two ranks, because its
/// numbers may count these messages. O(groups and entries of all dumps).
std::vector<GroupStatus> statuses_without_entries(const std::vector<FlightDump>& dumps);

/// Returns one sentence per distance by which ranks without entries are behind. Further sentences list the
/// ranks that are not behind, and those that cannot be compared. Empty if there are no statuses.
Message status_verdict(const std::vector<GroupStatus>& statuses);

/// Returns lines for the first twelve ranks: one for the rank's first group, and one per other group in which
/// the rank is behind or ahead. One more line counts the groups in which the rank is level, and another line
/// the groups that cannot be compared.
std::vector<Message> status_lines(const std::vector<GroupStatus>& statuses);

}  // namespace kino
