// Statuses of ranks whose dumps have no entries, compared with the other dumps of the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Status of one process group in a dump without entries. Members are sequence numbers; -1: unknown.
struct GroupStatus {
  std::int64_t rank = -1;
  std::string description;
  std::vector<std::int64_t> ranks;
  std::int64_t last_enqueued = -1;
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
  std::int64_t others_enqueued = -1;  ///< largest last_enqueued of the group's other ranks

  /// Returns how many collectives fewer the rank has enqueued than the most advanced other rank. Negative if
  /// the rank is ahead. nullopt if the numbers cannot be compared.
  std::optional<std::int64_t> behind() const;
};

/// Returns statuses sorted by rank, then by behind(), largest first; those that cannot be compared are last.
/// A status of a group with messages between two ranks is not compared, because its numbers count these
/// messages, too. O(groups and entries of all dumps).
std::vector<GroupStatus> statuses_without_entries(const std::vector<FlightDump>& dumps);

/// Returns one sentence per outcome: how far the ranks without entries are behind. Empty if there are no
/// statuses.
Message status_verdict(const std::vector<GroupStatus>& statuses);

/// Returns lines for the first twelve ranks: one per group in which the rank is behind or ahead, or one for
/// the rank's first group if there is none. One more line counts the groups in which the rank is level.
std::vector<Message> status_lines(const std::vector<GroupStatus>& statuses);

}  // namespace kino
