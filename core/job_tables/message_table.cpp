#include "core/job_tables/message_table.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/job_tables/instance_table.hpp"

namespace kino {
namespace {

constexpr std::string_view kMessageKeys[] = {"source", "target"};

struct MessageRow {
  std::int64_t source = -1;
  std::int64_t target = -1;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  std::int64_t timed_bytes = 0;  // of those with a bandwidth
  std::int64_t timed_ns = 0;
  std::int64_t sender_waits_ns = 0;
  std::int64_t receiver_waits_ns = 0;
  std::int64_t transfer_ns = 0;
  std::uint32_t last = 0;  // index of the rank that came last to the one that was waited for most
  std::int64_t most_waited_ns = -1;
};

std::vector<MessageRow> message_rows(const JobAnalysis& job, const std::stop_token& stop) {
  std::map<std::pair<std::int64_t, std::int64_t>, MessageRow> pairs;
  for (const CollectiveWait& wait : job.waits.collectives) {
    if (stop.stop_requested()) break;
    const CollectiveInstance& instance = job.matched.instances[wait.instance];
    const MatchedGroup& group = job.matched.groups[instance.group];
    if (group.kind != MatchedGroupKind::messages) continue;
    MessageRow& row = pairs[{group.source, group.target}];
    row.source = group.source;
    row.target = group.target;
    ++row.messages;
    row.transfer_ns += wait.transfer_ns;
    const CollectiveCall call = call_of(job, wait);
    if (call.bytes > 0) row.bytes += call.bytes;
    if (call.algorithm_gb_per_s > 0) {
      row.timed_bytes += call.bytes;
      row.timed_ns += wait.transfer_ns;
    }
    for (const RankKernel& it : instance.kernels) {
      const bool sends = job.ranks[it.rank]->kernels[it.kernel].kind == CollectiveKind::send;
      (sends ? row.sender_waits_ns : row.receiver_waits_ns) +=
          job.waits.kernels[it.rank][it.kernel].waiting_ns;
    }
    if (wait.waiting_ns <= row.most_waited_ns) continue;
    row.most_waited_ns = wait.waiting_ns;
    row.last = wait.latest;
  }
  std::vector<MessageRow> rows;
  rows.reserve(pairs.size());
  for (const auto& [pair, row] : pairs) rows.push_back(row);
  return rows;
}

Table message_table(const JobScope& scope, const std::stop_token& stop) {
  const std::vector<MessageRow> rows = message_rows(scope.analysis, stop);
  Table table;
  table.name = kMessageTable.name;
  table.title = kMessageTable.title;
  table.definition =
      "A row a pair of ranks, from the one that sends to the one that receives: messages of pipelines and "
      "the "
      "like that were matched with each other. Most of their waiting is a pipeline's schedule, which is "
      "nobody's fault.";
  const auto integer = [&](const char* key, const char* title, Unit unit, const char* about,
                           std::int64_t MessageRow::*of) {
    table.integers_of(rows, key, title, unit, about, [of](const MessageRow& row) { return row.*of; });
  };
  integer("source", "From", Unit::id, "The rank that sends", &MessageRow::source);
  integer("target", "To", Unit::id, "The rank that receives", &MessageRow::target);
  integer("messages", "Messages", Unit::count, "Those that were matched on both", &MessageRow::messages);
  integer("bytes", "Bytes", Unit::bytes, "Of all messages whose size is told", &MessageRow::bytes);
  integer("sender_waits_ns", "Sender waits", Unit::ns, "Until the other one has come",
          &MessageRow::sender_waits_ns);
  integer("receiver_waits_ns", "Receiver waits", Unit::ns, "Until the other one has come",
          &MessageRow::receiver_waits_ns);
  integer("transfer_ns", "Transfer", Unit::ns, "From the later arrival to the end", &MessageRow::transfer_ns);
  table.numbers_of(rows, "gb_per_s", "Bandwidth", Unit::gb_per_s, "Bytes over the time of their transfer",
                   [](const MessageRow& row) {
                     return row.timed_ns > 0
                                ? static_cast<double>(row.timed_bytes) / static_cast<double>(row.timed_ns)
                                : kNoNumber;
                   });
  for (const MessageRow& row : rows) table.links.push_back(RowLink::to_recording(row.last));
  if (rows.empty()) table.notes.emplace_back("No rank sends a message to another one here.");
  return table;
}

}  // namespace

constexpr TableKind kMessageTable{
    .name = "messages",
    .title = "Messages",
    .heading = "",
    .about = "Of a job: a row a pair of ranks, what one sends to the other, how fast, and who waits",
    .keys = kMessageKeys,
    .compute = [](const JobScope& scope, std::size_t, const std::stop_token& stop) -> Table {
      return message_table(scope, stop);
    }};

}  // namespace kino
