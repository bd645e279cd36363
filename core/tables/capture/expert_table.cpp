#include "core/tables/capture/expert_table.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

constexpr std::string_view kGpuKeys[] = {"gpu"};
constexpr std::string_view kPeerKeys[] = {"gpu", "peer"};
/// In the order of ExpertGrouping.
constexpr TableGroup kExpertGroups[] = {{"gpu", msg::experts_by_gpu, kGpuKeys},
                                        {"pair", msg::experts_by_pair},
                                        {"peer", msg::experts_by_peer, kPeerKeys}};

std::int64_t duration_or_none(const Trace& trace, SliceId slice) {
  return slice == kNoSlice ? kNoInteger : trace.duration_ns(slice);
}

/// Adds the columns of one row per device.
void add_gpus(const Trace& trace, const std::vector<ExpertTraffic>& devices, Table& table) {
  const std::vector<std::string> titles = unique_process_titles(trace);
  table.texts_of(devices, "gpu", msg::gpu, msg::the_gpu,
                 [&](const ExpertTraffic& device) { return titles[device.process]; });
  table.integers_of(devices, "pairs", msg::pairs, Unit::count, msg::expert_pairs_about,
                    [](const ExpertTraffic& device) { return device.pairs.size(); });
  table.integers_of(devices, "dispatches", msg::dispatches, Unit::count, msg::dispatches_about,
                    &ExpertTraffic::dispatches);
  table.integers_of(devices, "dispatch_ns", msg::dispatch_time, Unit::ns, msg::dispatch_time_about,
                    &ExpertTraffic::dispatch_ns);
  table.integers_of(
      devices, "dispatch_max_ns", msg::longest_dispatch, Unit::ns, msg::longest_dispatch_about,
      [&](const ExpertTraffic& device) { return duration_or_none(trace, device.longest_dispatch); });
  table.integers_of(
      devices, "between_ns", msg::expert_time, Unit::ns, msg::expert_time_about,
      [](const ExpertTraffic& device) { return device.pairs.empty() ? kNoInteger : device.between_ns; });
  table.integers_of(devices, "combines", msg::combines, Unit::count, msg::combines_about,
                    &ExpertTraffic::combines);
  table.integers_of(devices, "combine_ns", msg::combine_time, Unit::ns, msg::combine_time_about,
                    &ExpertTraffic::combine_ns);
  table.integers_of(
      devices, "combine_max_ns", msg::longest_combine, Unit::ns, msg::longest_combine_about,
      [&](const ExpertTraffic& device) { return duration_or_none(trace, device.longest_combine); });
  table.links.reserve(devices.size());
  for (const ExpertTraffic& device : devices) table.links.emplace_back(device.longest_dispatch);
}

/// A dispatch and its combine, with their device.
struct PairRow {
  std::uint32_t process = 0;
  ExpertPair pair;
};

void add_pairs(const Trace& trace, const std::vector<ExpertTraffic>& devices, Table& table) {
  std::vector<PairRow> rows;
  for (const ExpertTraffic& device : devices) {
    for (const ExpertPair& pair : device.pairs) rows.push_back({device.process, pair});
  }
  const std::vector<std::string> titles = unique_process_titles(trace);
  table.texts_of(rows, "gpu", msg::gpu, msg::the_gpu,
                 [&](const PairRow& row) { return titles[row.process]; });
  table.integers_of(rows, "start_ns", msg::start, Unit::ns, msg::dispatch_start_about,
                    [&](const PairRow& row) { return trace.start_ns(row.pair.dispatch); });
  table.integers_of(rows, "dispatch_ns", msg::dispatch_time, Unit::ns, msg::dispatch_duration_about,
                    [&](const PairRow& row) { return trace.duration_ns(row.pair.dispatch); });
  table.integers_of(rows, "between_ns", msg::expert_time, Unit::ns, msg::expert_time_of_pair,
                    [](const PairRow& row) { return row.pair.between_ns; });
  table.integers_of(rows, "combine_ns", msg::combine_time, Unit::ns, msg::combine_duration_about,
                    [&](const PairRow& row) { return trace.duration_ns(row.pair.combine); });
  table.links.reserve(rows.size());
  for (const PairRow& row : rows) table.links.emplace_back(row.pair.dispatch);
}

/// Rows sent from a device to a rank.
struct PeerRow {
  std::uint32_t process = 0;
  std::int64_t peer = 0;
  SentRows sent;
};

void add_peers(const Trace& trace, const std::vector<ExpertTraffic>& devices, Table& table) {
  std::vector<PeerRow> rows;
  for (const ExpertTraffic& device : devices) {
    for (const auto& [peer, sent] : device.sent) rows.push_back({device.process, peer, sent});
  }
  const std::vector<std::string> titles = unique_process_titles(trace);
  table.texts_of(rows, "gpu", msg::gpu, msg::the_gpu,
                 [&](const PeerRow& row) { return titles[row.process]; });
  table.integers_of(rows, "peer", msg::rank, Unit::id, msg::peer_about, &PeerRow::peer);
  table.integers_of(rows, "messages", msg::messages, Unit::count, msg::sent_messages_about,
                    [](const PeerRow& row) { return row.sent.messages; });
  table.integers_of(rows, "rows", msg::sent_rows, Unit::count, msg::sent_rows_about,
                    [](const PeerRow& row) { return row.sent.rows; });
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::sent_bytes_about,
                    [](const PeerRow& row) { return row.sent.bytes_known ? row.sent.bytes : kNoInteger; });
  table.links.reserve(rows.size());
  for (const PeerRow& row : rows) table.links.emplace_back(row.sent.largest);
}

void add_notes_of_experts(const std::vector<ExpertTraffic>& devices, ExpertGrouping grouping, Table& table) {
  std::size_t with_pairs = 0;
  bool sent = false;
  for (const ExpertTraffic& device : devices) {
    with_pairs += device.pairs.empty() ? 0 : 1;
    sent = sent || !device.sent.empty();
  }
  if (grouping == ExpertGrouping::peer) {
    if (!sent) table.notes.emplace_back(msg::no_split_sizes);
    return;
  }
  if (with_pairs == 0) table.notes.emplace_back(msg::no_dispatch_and_combine);
  if (with_pairs > 1)
    table.notes.emplace_back(msg::expert_imbalance_is, formatted("%.2f", expert_imbalance(devices)));
}

}  // namespace

Table expert_table(const Trace& trace, const std::vector<ExpertTraffic>& devices, ExpertGrouping grouping) {
  Table table = titled_table(kExpertTable, msg::experts_definition);
  if (grouping == ExpertGrouping::gpu) add_gpus(trace, devices, table);
  if (grouping == ExpertGrouping::pair) add_pairs(trace, devices, table);
  if (grouping == ExpertGrouping::peer) add_peers(trace, devices, table);
  add_notes_of_experts(devices, grouping, table);
  return table;
}

constexpr TableKind<RangeParts> kExpertTable{
    {.name = "experts",
     .title = msg::experts_title,
     .heading = msg::communication,
     .about = msg::about_experts,
     .groups = kExpertGroups},
    [](const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const std::vector<ExpertTraffic> devices = expert_traffic(parts.trace(), parts.work(stop), stop);
      return expert_table(parts.trace(), devices, static_cast<ExpertGrouping>(query.group));
    }};

}  // namespace kino
