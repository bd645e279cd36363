#include "core/job/flight/hang_analysis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

/// Identity of a group: groups in the dumps of two ranks are the same if description and members are equal.
using GroupKey = std::pair<std::string, std::vector<std::int64_t>>;

GroupKey key_of(const FlightGroup& group) { return {group.description, group.ranks}; }

bool finished(const FlightEntry& entry) { return entry.state == FlightState::completed; }

/// Progress of a rank in one group.
struct RankInGroup {
  std::int64_t first_unfinished = -1;
  std::int64_t last_enqueued = -1;
  std::int64_t last_completed = -1;
  bool silent = false;
  std::vector<const FlightEntry*> unfinished;
};

using RanksOfGroups = std::map<GroupKey, std::map<std::int64_t, RankInGroup>>;

/// Returns whether the dump contains no information on its rank. It then counts as if there were no dump.
bool is_empty_dump(const FlightDump& dump) {
  const auto known = [](const FlightGroup& group) {
    return group.last_enqueued >= 0 || group.last_started >= 0 || group.last_completed >= 0;
  };
  return dump.entries.empty() && !dump.has_status && std::ranges::none_of(dump.groups, known);
}

RanksOfGroups gathered(const std::vector<FlightDump>& dumps) {
  RanksOfGroups groups;
  for (const FlightDump& dump : dumps) {
    for (const FlightGroup& group : dump.groups) {
      RankInGroup& own = groups[key_of(group)][dump.rank];
      own.silent = is_empty_dump(dump);
      own.last_enqueued = std::max(own.last_enqueued, group.last_enqueued);
      own.last_completed = std::max(own.last_completed, group.last_completed);
    }
    for (const FlightEntry& entry : dump.entries) {
      if (entry.message || entry.group >= dump.groups.size()) continue;
      RankInGroup& own = groups[key_of(dump.groups[entry.group])][dump.rank];
      own.last_enqueued = std::max(own.last_enqueued, entry.sequence);
      if (finished(entry)) continue;
      if (own.unfinished.empty() || entry.sequence < own.first_unfinished)
        own.first_unfinished = entry.sequence;
      own.unfinished.push_back(&entry);
    }
  }
  return groups;
}

std::optional<WaitingGroup> waiting_group(const GroupKey& key,
                                          const std::map<std::int64_t, RankInGroup>& ranks) {
  WaitingGroup group{key.first, key.second, -1, {}, {}, {}, {}, {}};
  bool any = false;
  for (const auto& [rank, own] : ranks) {
    if (own.unfinished.empty()) continue;
    if (!any || own.first_unfinished < group.sequence) group.sequence = own.first_unfinished;
    any = true;
  }
  if (!any) return std::nullopt;
  const auto gone_on = [&](const RankInGroup& own) {
    return own.unfinished.empty() ? own.last_completed >= group.sequence
                                  : own.first_unfinished > group.sequence;
  };
  for (const std::int64_t rank : key.second) {
    const auto found = ranks.find(rank);
    if (found == ranks.end() || found->second.silent) {
      group.no_dump.push_back(rank);
      continue;
    }
    const RankInGroup& own = found->second;
    const auto waits = std::ranges::find(own.unfinished, group.sequence, &FlightEntry::sequence);
    if (waits != own.unfinished.end()) {
      group.waiting.push_back(rank);
      if (group.operation.empty()) group.operation = (*waits)->operation;
    } else if (own.last_enqueued < group.sequence && own.last_completed < group.sequence) {
      group.missing.push_back(rank);
    }
  }
  for (const std::int64_t rank : group.waiting) {
    const bool left_behind = std::ranges::any_of(
        ranks, [&](const auto& other) { return other.first != rank && gone_on(other.second); });
    if (left_behind) group.stuck.push_back(rank);
  }
  return group;
}

/// Returns whether a collective of this name certainly has inputs of the same size on all ranks.
bool alike_on_all_ranks(std::string_view operation) {
  for (const std::string_view name : {"all_to_all", "scatter", "gather", "coalesced", "barrier"}) {
    if (operation.find(name) != std::string_view::npos)
      return operation.find("_base") != std::string_view::npos;
  }
  return true;
}

void find_mismatches(const std::vector<FlightDump>& dumps, std::vector<Mismatch>& mismatches) {
  std::map<std::pair<GroupKey, std::int64_t>, std::vector<std::pair<std::int64_t, const FlightEntry*>>>
      places;
  for (const FlightDump& dump : dumps) {
    for (const FlightEntry& entry : dump.entries) {
      if (!entry.message && entry.group < dump.groups.size())
        places[{key_of(dump.groups[entry.group]), entry.sequence}].emplace_back(dump.rank, &entry);
    }
  }
  for (const auto& at : places) {
    const auto& place = at.first;
    const auto& entries = at.second;
    const auto look = [&](MismatchKind kind, auto&& what) {
      Mismatch mismatch{kind, place.first.first, place.second, {}};
      for (const auto& [rank, entry] : entries) mismatch.ranks[std::invoke(what, *entry)].push_back(rank);
      const bool differs = mismatch.ranks.size() > 1;
      if (differs) mismatches.push_back(std::move(mismatch));
      return differs;
    };
    if (look(MismatchKind::operation, &FlightEntry::operation)) continue;
    if (alike_on_all_ranks(entries.front().second->operation))
      look(MismatchKind::size, &FlightEntry::input_sizes);
    look(MismatchKind::dtype, &FlightEntry::dtypes);
  }
}

/// Ranks of a message within its group, parsed from "nccl:send 0->3" or "nccl:recv 0<-3".
struct Peers {
  std::int64_t own = -1;
  std::int64_t other = -1;
  bool sends = false;
};
std::optional<Peers> peers_of(std::string_view operation) {
  Peers peers;
  std::size_t arrow = operation.find("->");
  peers.sends = arrow != std::string_view::npos;
  if (!peers.sends) arrow = operation.find("<-");
  const std::size_t space = operation.rfind(' ');
  if (arrow == std::string_view::npos || space == std::string_view::npos || space > arrow)
    return std::nullopt;
  const char* const begin = operation.data();
  const auto own = std::from_chars(begin + space + 1, begin + arrow, peers.own);
  const auto other = std::from_chars(begin + arrow + 2, begin + operation.size(), peers.other);
  if (own.ec != std::errc{} || other.ec != std::errc{}) return std::nullopt;
  return peers;
}

void find_messages(const std::vector<FlightDump>& dumps, std::vector<Messages>& messages) {
  std::map<std::pair<std::int64_t, std::int64_t>, Messages> by_peers;
  for (const FlightDump& dump : dumps) {
    for (const FlightEntry& entry : dump.entries) {
      if (!entry.message || finished(entry) || entry.group >= dump.groups.size()) continue;
      const std::optional<Peers> peers = peers_of(entry.operation);
      const std::vector<std::int64_t>& ranks = dump.groups[entry.group].ranks;
      if (!peers || peers->other < 0 || peers->other >= static_cast<std::int64_t>(ranks.size())) continue;
      const std::int64_t other = ranks[static_cast<std::size_t>(peers->other)];
      const auto way = peers->sends ? std::pair(dump.rank, other) : std::pair(other, dump.rank);
      Messages& between = by_peers[way];
      between.from = way.first;
      between.to = way.second;
      ++(peers->sends ? between.sends : between.receives);
    }
  }
  for (const auto& [way, between] : by_peers) messages.push_back(between);
}

/// Returns the ranks without a dump that are members of a process group of any dump.
std::set<std::int64_t> ranks_without_dump(const std::vector<FlightDump>& dumps) {
  std::set<std::int64_t> ranks;
  for (const FlightDump& dump : dumps) {
    for (const FlightGroup& group : dump.groups) ranks.insert(group.ranks.begin(), group.ranks.end());
  }
  for (const FlightDump& dump : dumps) ranks.erase(dump.rank);
  return ranks;
}

void find_outstanding(const std::vector<FlightDump>& dumps, HangAnalysis& out) {
  std::set<GroupKey> groups;
  for (std::size_t d = 0; d < dumps.size(); ++d) {
    std::int64_t& last = out.last_activity_ns[dumps[d].rank];
    bool any = false;
    for (std::size_t e = 0; e < dumps[d].entries.size(); ++e) {
      const FlightEntry& entry = dumps[d].entries[e];
      out.newest_ns = std::max(out.newest_ns, entry.created_ns);
      if (finished(entry)) continue;
      any = true;
      last = std::max(last, entry.created_ns);
      out.outstanding.push_back({dumps[d].rank, d, e});
      if (entry.group < dumps[d].groups.size()) groups.insert(key_of(dumps[d].groups[entry.group]));
    }
    out.entries += dumps[d].entries.size();
    if (is_empty_dump(dumps[d])) {
      out.silent.push_back(dumps[d].rank);
    } else if (!any) {
      out.idle.push_back(dumps[d].rank);
    }
  }
  out.outstanding_groups = groups.size();
  std::ranges::sort(out.idle);
  std::ranges::sort(out.silent);
  std::ranges::stable_sort(out.outstanding, {}, [&](const Outstanding& operation) {
    return std::pair(dumps[operation.dump].entries[operation.entry].created_ns, operation.rank);
  });
}

HangTime time_of(const std::vector<FlightDump>& dumps, const std::vector<Outstanding>& outstanding) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  // The watchdog of each rank writes its dump within minutes of the first timeout; the default timeout is 10
  // minutes. Files with later modification times were copied.
  constexpr std::int64_t kLatest = std::int64_t{15} * 60 * 1000 * kMillisecond;
  HangTime time;
  if (outstanding.empty()) return time;
  std::int64_t last_sign_ns = -1;
  std::int64_t written_ns = -1;
  for (const FlightDump& dump : dumps) {
    for (const FlightEntry& entry : dump.entries)
      last_sign_ns = std::max({last_sign_ns, entry.created_ns, entry.completed_ns});
    if (dump.written_ns >= 0 && (written_ns < 0 || dump.written_ns < written_ns))
      written_ns = dump.written_ns;
  }
  time.files_dated = written_ns >= 0;
  std::int64_t expires_ns = -1;
  for (const Outstanding& operation : outstanding) {
    const FlightEntry& entry = dumps[operation.dump].entries[operation.entry];
    if (entry.created_ns <= 0 || entry.timeout_ms <= 0) continue;
    const std::int64_t at_ns =
        saturating_add(entry.created_ns, std::min(entry.timeout_ms, INT64_MAX / kMillisecond) * kMillisecond);
    if (expires_ns >= 0 && at_ns >= expires_ns) continue;
    expires_ns = at_ns;
    time.timeout_ms = entry.timeout_ms;
  }
  if (last_sign_ns <= 0) return time;
  const std::int64_t latest_ns = saturating_add(std::max(expires_ns, last_sign_ns), kLatest);
  if (written_ns >= last_sign_ns && written_ns <= latest_ns) {
    time.basis = HangTime::Basis::files;
    time.hung_ns = written_ns - last_sign_ns;
  } else if (expires_ns > last_sign_ns) {
    time.basis = HangTime::Basis::timeout;
    time.hung_ns = expires_ns - last_sign_ns;
  }
  return time;
}

std::vector<std::int64_t> ranks_of(const std::map<std::int64_t, std::uint64_t>& votes) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(votes.size());
  for (const auto& [rank, count] : votes) ranks.push_back(rank);
  return ranks;
}

/// Returns sentences that name the ranks that hold up the others, or state why none is named. Empty if the
/// dumps have statuses and no entries.
Message culprit_verdict(const HangAnalysis& analysis) {
  const Message missing =
      message_on_ranks(ranks_of(analysis.missing), msg::rank_never_entered, msg::ranks_never_entered);
  const Message stuck = message_on_ranks(ranks_of(analysis.stuck), msg::rank_stuck, msg::ranks_stuck);
  const bool named = !missing.empty() || !stuck.empty();
  if (!named && !analysis.no_dump.empty() && !analysis.groups.empty()) {
    if (analysis.dumps == 1) return msg::one_dump_is_not_enough;
    return message_on_ranks(analysis.no_dump, msg::no_dumped_rank_blocks_one_missing,
                            msg::no_dumped_rank_blocks_several_missing);
  }
  if (analysis.entries == 0 && !analysis.statuses.empty()) return {};
  if (analysis.entries == 0)
    return analysis.dumps == 1 ? msg::dump_without_operations : msg::dumps_without_operations;
  if (!named && analysis.outstanding.empty()) {
    if (analysis.silent.empty()) return msg::no_outstanding_operation;
    return message_on_ranks(analysis.silent, msg::no_outstanding_one_dump_empty,
                            msg::no_outstanding_dumps_empty);
  }
  if (!named && analysis.groups.empty()) return msg::only_messages_outstanding;
  if (!named) return msg::all_ranks_wait_alike;
  return joined_sentences(
      {missing, stuck, message_on_ranks(analysis.no_dump, msg::rank_without_dump, msg::ranks_without_dump)});
}

}  // namespace

msg::Id text_of(MismatchKind kind) {
  constexpr std::array kNames{msg::word_operation, msg::word_size, msg::dtype};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::int64_t> HangAnalysis::suspects() const {
  std::set<std::int64_t> ranks;
  for (const auto& [rank, count] : missing) ranks.insert(rank);
  for (const auto& [rank, count] : stuck) ranks.insert(rank);
  return {ranks.begin(), ranks.end()};
}

HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps) {
  HangAnalysis out;
  out.dumps = dumps.size();
  std::set<std::int64_t> without = ranks_without_dump(dumps);
  for (const auto& [key, ranks] : gathered(dumps)) {
    std::optional<WaitingGroup> group = waiting_group(key, ranks);
    if (!group) continue;
    for (const std::int64_t rank : group->missing) ++out.missing[rank];
    for (const std::int64_t rank : group->stuck) ++out.stuck[rank];
    without.insert(group->no_dump.begin(), group->no_dump.end());
    out.groups.push_back(std::move(*group));
  }
  out.no_dump.assign(without.begin(), without.end());
  find_mismatches(dumps, out.mismatches);
  find_messages(dumps, out.messages);
  find_outstanding(dumps, out);
  out.statuses = statuses_without_entries(dumps);
  out.time = time_of(dumps, out.outstanding);
  return out;
}

std::vector<GroupCell> group_cells(const FlightDump& dump, const std::vector<WaitingGroup>& groups) {
  std::vector<GroupCell> cells(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupKey key{groups[i].description, groups[i].ranks};
    GroupCell& cell = cells[i];
    for (std::uint32_t g = 0; g < dump.groups.size(); ++g) {
      if (key_of(dump.groups[g]) != key) continue;
      cell.member = true;
      cell.last_enqueued = std::max(cell.last_enqueued, dump.groups[g].last_enqueued);
      cell.last_completed = std::max(cell.last_completed, dump.groups[g].last_completed);
      for (const FlightEntry& entry : dump.entries) {
        if (entry.group != g || entry.message) continue;
        cell.last_enqueued = std::max(cell.last_enqueued, entry.sequence);
        if (!finished(entry)) ++cell.outstanding;
      }
    }
  }
  return cells;
}

Message ranks_text(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kMost = 12;
  const bool all = ranks.size() <= kMost;
  std::vector<Message> named;
  named.reserve(std::min(ranks.size(), kMost));
  for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i)
    named.emplace_back(std::to_string(ranks[i]));
  if (!all) return {msg::and_more, comma_list(named), std::to_string(ranks.size() - kMost)};
  if (named.size() < 2) return comma_list(named);
  const Message last = named.back();
  named.pop_back();
  return {msg::and_pair, comma_list(named), last};
}

Message ranks_with_noun(const std::vector<std::int64_t>& ranks) {
  return {ranks.size() == 1 ? msg::word_rank : msg::word_ranks, ranks_text(ranks)};
}

Message message_on_ranks(const std::vector<std::int64_t>& ranks, msg::Id one, msg::Id several) {
  return ranks.empty() ? Message() : Message(ranks.size() == 1 ? one : several, ranks_text(ranks));
}

Message hang_verdict(const HangAnalysis& analysis) {
  return joined_sentences({culprit_verdict(analysis), status_verdict(analysis.statuses)});
}

Message hang_time_text(const HangAnalysis& analysis) {
  const HangTime& time = analysis.time;
  if (time.basis == HangTime::Basis::unknown) return {};
  const std::string stood = text_from_duration(time.hung_ns);
  if (time.basis == HangTime::Basis::files) return {msg::job_was_stuck_before_dumps, stood};
  constexpr std::int64_t kMillisecond = 1'000'000;
  const std::string timeout =
      text_from_duration(std::min(time.timeout_ms, INT64_MAX / kMillisecond) * kMillisecond);
  return {
      time.files_dated ? msg::job_was_stuck_if_timeout_times_differ : msg::job_was_stuck_if_timeout_no_times,
      stood, timeout};
}

std::string operation_text(const FlightDump& dump, const FlightEntry& entry) {
  const std::optional<Peers> peers = peers_of(entry.operation);
  if (!peers || entry.group >= dump.groups.size()) return entry.operation;
  const std::vector<std::int64_t>& ranks = dump.groups[entry.group].ranks;
  const auto known = [&](std::int64_t rank) {
    return rank >= 0 && rank < static_cast<std::int64_t>(ranks.size());
  };
  if (!known(peers->own) || !known(peers->other)) return entry.operation;
  return entry.operation.substr(0, entry.operation.rfind(' ') + 1) +
         std::to_string(ranks[static_cast<std::size_t>(peers->own)]) + (peers->sends ? "->" : "<-") +
         std::to_string(ranks[static_cast<std::size_t>(peers->other)]);
}

}  // namespace kino
