#include "core/job/flight/hang_sentences.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostGroups = 3;  // largest number of groups that are named for one rank

bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

std::string number_text(std::int64_t number) { return number < 0 ? "?" : std::to_string(number); }

std::string known(const std::string& text) { return text.empty() ? "?" : text; }

Message group_title(const std::string& description, const std::vector<std::int64_t>& ranks) {
  const std::string name = known(description);
  return ranks.empty() ? Message(name) : Message(msg::group_with_ranks, name, ranks_text(ranks));
}

/// Returns the operations of the groups in which `ranks` contains the rank. Empty if there are none.
Message operations_of(const HangAnalysis& analysis, std::int64_t rank,
                      std::vector<std::int64_t> WaitingGroup::*ranks) {
  std::vector<Message> named;
  std::size_t more = 0;
  for (const WaitingGroup& group : analysis.groups) {
    if (!has(group.*ranks, rank)) continue;
    if (named.size() == kMostGroups) {
      ++more;
    } else {
      named.push_back(waiting_operation_text(group));
    }
  }
  if (named.empty()) return {};
  return more > 0 ? Message(msg::and_more, comma_list(named), std::to_string(more)) : comma_list(named);
}

Message sentence_on(const std::vector<std::int64_t>& ranks, msg::Id form) {
  return ranks.empty() ? Message() : Message(form, ranks_text(ranks));
}

}  // namespace

Message waiting_operation_text(const WaitingGroup& group) {
  return {msg::operation_of_group, known(group.operation), number_text(group.sequence),
          group_title(group.description, group.ranks)};
}

Message rank_sentences(const HangRecording& hang, std::size_t dump) {
  const HangAnalysis& analysis = hang.analysis;
  const std::int64_t rank = hang.dumps[dump].rank;
  const std::string name = number_text(rank);
  if (has(analysis.silent, rank)) return {msg::rank_dump_is_empty, name};
  std::vector<Message> sentences;
  const Message missing = operations_of(analysis, rank, &WaitingGroup::missing);
  const Message stuck = operations_of(analysis, rank, &WaitingGroup::stuck);
  const Message waiting = operations_of(analysis, rank, &WaitingGroup::waiting);
  if (!missing.empty()) sentences.emplace_back(msg::rank_has_not_entered, name, missing);
  if (!stuck.empty()) sentences.emplace_back(msg::rank_is_stuck_in, name, stuck);
  if (!waiting.empty() && stuck.empty()) sentences.emplace_back(msg::rank_waits_in, name, waiting);
  const auto outstanding =
      static_cast<std::uint64_t>(std::ranges::count(analysis.outstanding, dump, &Outstanding::dump));
  sentences.emplace_back(msg::rank_outstanding, name, grouped(outstanding));
  return joined_sentences(sentences);
}

Message group_sentences(const HangRecording& hang, std::size_t group) {
  const WaitingGroup& waiting = hang.analysis.groups[group];
  return joined_sentences(
      {Message(msg::group_waits_in, waiting_operation_text(waiting)),
       sentence_on(waiting.missing, msg::group_missing), sentence_on(waiting.stuck, msg::group_stuck),
       sentence_on(waiting.waiting, msg::group_waiting), sentence_on(waiting.no_dump, msg::group_no_dump)});
}

Message cell_sentences(const HangRecording& hang, std::size_t dump, std::size_t group) {
  const WaitingGroup& waiting = hang.analysis.groups[group];
  const std::int64_t rank = hang.dumps[dump].rank;
  const std::string name = number_text(rank);
  const GroupCell cell = group_cells(hang.dumps[dump], std::vector<WaitingGroup>{waiting}).front();
  const Message title = group_title(waiting.description, waiting.ranks);
  if (!cell.member) return {msg::rank_is_no_member, name, title};
  const Message operation = waiting_operation_text(waiting);
  Message state;
  if (has(waiting.missing, rank)) {
    state = {msg::rank_has_not_entered, name, operation};
  } else if (has(waiting.stuck, rank)) {
    state = {msg::rank_is_stuck_in, name, operation};
  } else if (has(waiting.waiting, rank)) {
    state = {msg::rank_waits_in, name, operation};
  } else {
    state = {msg::rank_does_not_wait_in, name, operation};
  }
  return joined_sentences({state, Message(msg::rank_progress, number_text(cell.last_completed),
                                          number_text(cell.last_enqueued), grouped(cell.outstanding))});
}

Message operation_sentences(const HangRecording& hang, std::size_t outstanding) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  const Outstanding& operation = hang.analysis.outstanding[outstanding];
  const FlightDump& dump = hang.dumps[operation.dump];
  const FlightEntry& entry = dump.entries[operation.entry];
  Message title = "?";
  if (entry.group < dump.groups.size())
    title = group_title(dump.groups[entry.group].description, dump.groups[entry.group].ranks);
  const Message called{msg::operation_of_group, known(operation_text(dump, entry)),
                       number_text(entry.sequence), title};
  std::vector<Message> sentences;
  const bool started = entry.state == FlightState::started;
  sentences.emplace_back(started ? msg::operation_started : msg::operation_scheduled,
                         number_text(operation.rank), called);
  if (entry.created_ns > 0) {
    sentences.emplace_back(msg::operation_age,
                           text_from_duration(hang.analysis.newest_ns - entry.created_ns));
  }
  if (!entry.input_sizes.empty() && entry.input_sizes != "[]")
    sentences.emplace_back(msg::operation_inputs, entry.input_sizes, entry.dtypes);
  if (entry.timeout_ms > 0) {
    const std::int64_t timeout_ms = std::min(entry.timeout_ms, INT64_MAX / kMillisecond);
    sentences.emplace_back(msg::operation_timeout, text_from_duration(timeout_ms * kMillisecond));
  }
  return joined_sentences(sentences);
}

}  // namespace kino
