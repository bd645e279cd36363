#include <cstdint>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/tables/collective_call.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/message_channels.hpp"

namespace kino {
namespace {

constexpr std::string_view kMessageKeys[] = {"source", "target"};

/// Returns the comparison of the pair with others; null if there is none.
const LinkSpeed* link_of(const JobAnalysis& job, const MessageChannel& channel) {
  return job.link_of(job.matched.instances[job.waits.collectives[channel.longest_collective].instance].group);
}

Table message_table(const JobScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  const std::vector<MessageChannel> rows = message_channels(job, stop);
  Table table = titled_table(kMessageTable, msg::row_per_pair_of_ranks);
  const auto integer = [&](const char* key, msg::Id title, Unit unit, msg::Id about,
                           std::int64_t MessageChannel::*member) {
    table.integers_of(rows, key, title, unit, about, member);
  };
  integer("source", msg::from, Unit::id, msg::sending_rank, &MessageChannel::source);
  integer("target", msg::to, Unit::id, msg::receiving_rank, &MessageChannel::target);
  integer("messages", msg::messages, Unit::count, msg::messages_matched_on_both, &MessageChannel::messages);
  integer("bytes", msg::bytes, Unit::bytes, msg::all_messages_with_known_size, &MessageChannel::bytes);
  integer("sender_waits_ns", msg::sender_waits, Unit::ns, msg::until_other_rank_arrives,
          &MessageChannel::sender_waits_ns);
  integer("receiver_waits_ns", msg::receiver_waits, Unit::ns, msg::until_other_rank_arrives,
          &MessageChannel::receiver_waits_ns);
  integer("transfer_ns", msg::transfer, Unit::ns, msg::from_later_arrival_to_end,
          &MessageChannel::transfer_ns);
  table.number_column(
      rows, "gb_per_s", msg::bandwidth, Unit::gb_per_s, msg::bytes_over_transfer_time,
      [](const MessageChannel& row) { return row.timed_ns > 0 ? row.gb_per_s() : kNoNumber; });
  table.number_column(rows, "others_gb_per_s", msg::others, Unit::gb_per_s, msg::median_of_other_pipelines,
                      [&](const MessageChannel& row) {
                        const LinkSpeed* const link = link_of(job, row);
                        return link != nullptr && link->others > 0 ? link->of_others.gb_per_s : kNoNumber;
                      });
  table.text_column(rows, "link", msg::link, msg::slow_pair_rule, [&](const MessageChannel& row) {
    const LinkSpeed* const link = link_of(job, row);
    return link == nullptr ? msg::nothing : text_of(*link);
  });
  for (const MessageChannel& row : rows)
    table.links.push_back(link_to_latest(job, job.waits.collectives[row.longest_collective]));
  if (rows.empty()) table.notes.emplace_back(msg::no_messages_between_ranks);
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kMessageTable{
    {.name = "messages", .title = msg::messages, .about = msg::about_messages, .keys = kMessageKeys},
    &message_table};

}  // namespace kino
