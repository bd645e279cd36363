#include "core/job/flight/group_status.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/base/time_text.hpp"
#include "core/job/flight/hang_analysis.hpp"

namespace kino {
namespace {

using StatusGroup = std::pair<std::string, std::vector<std::int64_t>>;

/// Last collective of a group that each rank has enqueued.
struct EnqueuedByRank {
  std::map<std::int64_t, std::int64_t> last;
  bool messages = false;
};

bool has_status_of(const FlightGroup& group) {
  return group.last_enqueued >= 0 || group.last_started >= 0 || group.last_completed >= 0;
}

std::map<StatusGroup, EnqueuedByRank> enqueued_by_group(const std::vector<FlightDump>& dumps) {
  std::map<StatusGroup, EnqueuedByRank> groups;
  for (const FlightDump& dump : dumps) {
    std::vector<EnqueuedByRank*> own;
    own.reserve(dump.groups.size());
    for (const FlightGroup& group : dump.groups) {
      EnqueuedByRank& enqueued = groups[{group.description, group.ranks}];
      own.push_back(&enqueued);
      if (group.last_enqueued < 0) continue;
      std::int64_t& last = enqueued.last.try_emplace(dump.rank, group.last_enqueued).first->second;
      last = std::max(last, group.last_enqueued);
    }
    for (const FlightEntry& entry : dump.entries) {
      if (entry.group >= own.size()) continue;
      EnqueuedByRank& enqueued = *own[entry.group];
      if (entry.message) {
        enqueued.messages = true;
      } else if (entry.sequence >= 0) {
        std::int64_t& last = enqueued.last.try_emplace(dump.rank, entry.sequence).first->second;
        last = std::max(last, entry.sequence);
      }
    }
  }
  return groups;
}

Message counted_collectives(std::int64_t count) {
  return count == 1 ? Message(msg::n_1_collective) : Message(msg::n_collectives, std::to_string(count));
}

/// Describes the position of the rank relative to the others of the group.
Message distance_text(std::optional<std::int64_t> behind) {
  if (!behind) return msg::not_comparable_with_the_others;
  if (*behind == 0) return msg::in_sync_with_the_others;
  return *behind > 0 ? Message(msg::behind_the_others, counted_collectives(*behind))
                     : Message(msg::ahead_of_the_others, counted_collectives(-*behind));
}

Message status_line(const GroupStatus& status) {
  const auto number = [](std::int64_t value) { return value < 0 ? std::string("?") : std::to_string(value); };
  return {msg::rank_status_line,
          number(status.rank),
          status.description.empty() ? "?" : status.description,
          ranks_text(status.ranks),
          number(status.last_enqueued),
          number(status.last_started),
          number(status.last_completed),
          distance_text(status.behind())};
}

/// Returns the index of the first status of the next rank.
std::size_t end_of_rank(const std::vector<GroupStatus>& statuses, std::size_t begin) {
  std::size_t end = begin;
  while (end < statuses.size() && statuses[end].rank == statuses[begin].rank) ++end;
  return end;
}

}  // namespace

std::optional<std::int64_t> GroupStatus::behind() const {
  if (last_enqueued < 0 || others_enqueued < 0) return std::nullopt;
  return others_enqueued - last_enqueued;
}

std::vector<GroupStatus> statuses_without_entries(const std::vector<FlightDump>& dumps) {
  std::vector<GroupStatus> statuses;
  const auto has_only_status = [](const FlightDump& dump) {
    return dump.entries.empty() && std::ranges::any_of(dump.groups, has_status_of);
  };
  if (std::ranges::none_of(dumps, has_only_status)) return statuses;
  const std::map<StatusGroup, EnqueuedByRank> groups = enqueued_by_group(dumps);
  for (const FlightDump& dump : dumps) {
    if (!dump.entries.empty()) continue;
    for (const FlightGroup& group : dump.groups) {
      if (!has_status_of(group)) continue;
      GroupStatus status{dump.rank,          group.description,    group.ranks, group.last_enqueued,
                         group.last_started, group.last_completed, -1};
      const EnqueuedByRank& enqueued = groups.at({group.description, group.ranks});
      if (!enqueued.messages) {
        for (const auto& [rank, last] : enqueued.last) {
          if (rank != dump.rank) status.others_enqueued = std::max(status.others_enqueued, last);
        }
      }
      statuses.push_back(std::move(status));
    }
  }
  std::ranges::stable_sort(statuses, [](const GroupStatus& a, const GroupStatus& b) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::min();
    return std::pair(a.rank, -1 - a.behind().value_or(kLast)) <
           std::pair(b.rank, -1 - b.behind().value_or(kLast));
  });
  return statuses;
}

Message status_verdict(const std::vector<GroupStatus>& statuses) {
  std::map<std::int64_t, std::vector<std::int64_t>, std::greater<>> behind;  // ranks by largest distance
  std::vector<std::int64_t> level;
  std::vector<std::int64_t> alone;
  for (std::size_t begin = 0; begin < statuses.size(); begin = end_of_rank(statuses, begin)) {
    const std::optional<std::int64_t> most = statuses[begin].behind();
    const std::int64_t rank = statuses[begin].rank;
    if (!most) {
      alone.push_back(rank);
    } else if (*most > 0) {
      behind[*most].push_back(rank);
    } else {
      level.push_back(rank);
    }
  }
  Message verdict;
  for (const auto& [most, ranks] : behind) {
    const msg::Id one = msg::status_of_rank_is_behind;
    verdict.then({ranks.size() == 1 ? one : msg::status_of_ranks_is_behind, ranks_text(ranks),
                  counted_collectives(most)});
  }
  verdict.then(message_on_ranks(level, msg::status_of_rank_not_behind, msg::status_of_ranks_not_behind));
  verdict.then(
      message_on_ranks(alone, msg::status_of_rank_not_comparable, msg::status_of_ranks_not_comparable));
  return verdict;
}

std::vector<Message> status_lines(const std::vector<GroupStatus>& statuses) {
  constexpr std::size_t kMostRanks = 12;
  std::vector<Message> lines;
  std::size_t ranks = 0;
  for (std::size_t begin = 0; begin < statuses.size() && ranks < kMostRanks; ++ranks) {
    const std::size_t end = end_of_rank(statuses, begin);
    std::size_t level = 0;
    std::size_t apart = 0;  // groups whose numbers cannot be compared
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t behind = statuses[i].behind().value_or(0);
      if (i == begin || behind != 0) {
        lines.push_back(status_line(statuses[i]));
      } else if (statuses[i].behind()) {
        ++level;
      } else {
        ++apart;
      }
    }
    const std::string rank = std::to_string(statuses[begin].rank);
    if (level == 1) lines.emplace_back(msg::rank_level_in_one_group, rank);
    if (level > 1) lines.emplace_back(msg::rank_level_in_groups, rank, std::to_string(level));
    if (apart == 1) lines.emplace_back(msg::one_group_not_comparable, rank);
    if (apart > 1) lines.emplace_back(msg::groups_not_comparable, grouped(apart), rank);
    begin = end;
  }
  return lines;
}

}  // namespace kino
