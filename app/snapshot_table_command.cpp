#include "app/snapshot_table_command.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace kino {
namespace {

/// In the order of LiveGrouping.
constexpr std::array<std::string_view, 9> kLiveGroups{"stack", "allocation", "line",   "function", "file",
                                                      "size",  "category",   "stream", "pool"};
constexpr std::array<std::string_view, 3> kSegmentGroups{"segment", "pool", "block"};
constexpr std::array<std::string_view, 3> kGrowthGroups{"stack", "step", "allocation"};

constexpr std::array<TableKind, 5> kSnapshotKinds{
    {{"live", "What is live at a moment (--at)", kLiveGroups},
     {"growth", "What stays from step to step", kGrowthGroups},
     {"segments", "What is reserved at a moment (--at)", kSegmentGroups},
     {"allocations", "Every allocation with its life", {}},
     {"events", "What the allocator did", {}}}};

/// What a request of the command line comes to; the scope points into it.
struct Asked {
  SnapshotScope scope;
  std::optional<SnapshotQuery> query;
};

std::optional<Error> read_request(const Snapshot& snapshot, const TableRequest& request, Asked& asked) {
  // Whole stacks are for programs.
  const bool exported = request.format == TableFormat::json || request.format == TableFormat::csv;
  if (!exported) asked.scope.most_stack_bytes = 0;
  if (exported && request.sort.empty() && request.limit.value_or(0) > 0)
    asked.scope.most_rows = static_cast<std::size_t>(*request.limit);
  const Result<std::size_t> device = device_asked_for(snapshot, request.device);
  if (!device.ok()) return device.error();
  asked.scope.snapshot = &snapshot;
  asked.scope.device = device.value();
  const Result<EventIndex> at = moment_named(asked.scope.of(), request.at.empty() ? "peak" : request.at);
  if (!at.ok()) return at.error();
  asked.scope.at = at.value();
  if (!request.since.empty()) {
    const Result<EventIndex> since = moment_named(asked.scope.of(), request.since);
    if (!since.ok()) return since.error();
    asked.scope.baseline = since.value();
  }
  if (request.find.empty()) return std::nullopt;
  Result<SnapshotQuery> query = SnapshotQuery::compile(request.find, snapshot, device.value());
  if (!query.ok()) return query.error();
  asked.query = std::move(query).value();
  asked.scope.query = &*asked.query;
  return std::nullopt;
}

/// What the request asks for and the table cannot heed, so that nobody believes that it did.
std::optional<Error> idle_option(const TableRequest& request) {
  const std::string table = "the table " + request.name;
  if (request.range || request.step)
    return request_error("--range and --step are for traces; of a snapshot --at takes a moment");
  const bool folded = request.format == TableFormat::folded;
  if (folded && (!request.group.empty() || !request.sort.empty() || request.limit || !request.since.empty()))
    return request_error("Folded stacks are not grouped, sorted, limited or compared");
  const bool of_moment =
      request.name == "live" || request.name == "segments" || request.name == kCompareKind.name;
  if (!request.at.empty() && !of_moment) return request_error("--at says nothing to " + table);
  if (!request.since.empty() && request.name != "live")
    return request_error("--since says nothing to " + table);
  if (!request.find.empty() && request.name == "segments")
    return request_error("--find says nothing to " + table);
  return std::nullopt;
}

Result<AllocationCategories> categories_of(const SnapshotScope& scope,
                                           const std::vector<CategoryRule>& rules) {
  return categorize(*scope.snapshot, scope.device, rules);
}

}  // namespace

std::optional<LiveGrouping> live_grouping(std::string_view group) {
  if (group.empty()) return LiveGrouping::stack;
  const auto found = std::ranges::find(kLiveGroups, group);
  if (found == kLiveGroups.end()) return std::nullopt;
  return static_cast<LiveGrouping>(found - kLiveGroups.begin());
}

std::span<const TableKind> snapshot_table_kinds() { return kSnapshotKinds; }

Result<std::size_t> device_asked_for(const Snapshot& snapshot, std::optional<std::int64_t> ordinal) {
  if (snapshot.devices.empty()) return request_error("The snapshot holds no device");
  if (!ordinal) {
    const auto most = std::ranges::max_element(snapshot.devices, {}, [](const SnapshotDevice& device) {
      return device.history.curve(MemoryCurve::active).peak.bytes;
    });
    return static_cast<std::size_t>(most - snapshot.devices.begin());
  }
  std::string known;
  for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
    const SnapshotDevice& device = snapshot.devices[i];
    if (device.host) continue;
    if (device.ordinal == *ordinal) return i;
    known += (known.empty() ? "" : ", ") + std::to_string(device.ordinal);
  }
  return request_error("There is no device " + std::to_string(*ordinal) + " in this snapshot, only " + known);
}

Result<EventIndex> moment_named(const SnapshotDevice& device, std::string_view text) {
  const auto count = static_cast<EventIndex>(device.entries.size_entries());
  if (text == "peak") return device.history.curve(MemoryCurve::active).peak.event;
  if (text == "start") return kBeforeRecording;
  if (text == "end") return count - 1;
  if (text == "oom") {
    const auto actions = device.entries.action.span();
    const auto found = std::ranges::find(actions, SnapshotAction::oom);
    if (found == actions.end()) return request_error("There is no out-of-memory error in this recording");
    return static_cast<EventIndex>(found - actions.begin());
  }
  EventIndex event = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), event);
  if (error != std::errc() || end != text.data() + text.size()) {
    return request_error("\"" + std::string(text) +
                         "\" is no moment; it can be peak, start, end, oom or the number of an event");
  }
  if (event < kBeforeRecording || event >= count) {
    return request_error("There is no event " + std::string(text) + "; the recording has " +
                         std::to_string(count));
  }
  return event;
}

Result<Table> snapshot_table(const SnapshotScope& scope, std::string_view name, std::string_view group,
                             const std::stop_token& stop) {
  const auto kind = std::ranges::find(kSnapshotKinds, name, &TableKind::name);
  if (kind == kSnapshotKinds.end()) {
    std::string known;
    for (const TableKind& it : kSnapshotKinds) known += (known.empty() ? "" : ", ") + std::string(it.name);
    return request_error("There is no table " + std::string(name) + " of an allocator snapshot, only " +
                         known);
  }
  const auto found = std::ranges::find(kind->groups, group);
  if (!group.empty() && found == kind->groups.end())
    return request_error("The table " + std::string(name) + " cannot be grouped by " + std::string(group));
  const auto place = group.empty() ? std::size_t{0} : static_cast<std::size_t>(found - kind->groups.begin());
  if (name == "events") return event_table(scope, stop);
  if (scope.query != nullptr && scope.query->asks_for_events())
    return request_error("Only the table of events can be searched by action");
  if (name == "live") return live_memory_table(scope, static_cast<LiveGrouping>(place), stop);
  if (name == "growth") return growth_table(scope, static_cast<GrowthGrouping>(place), stop);
  if (name == "segments") return segment_table(scope, static_cast<SegmentGrouping>(place), stop);
  return allocation_table(scope, stop);
}

Result<Table> compute_snapshot_table(const Snapshot& snapshot, const TableRequest& request,
                                     const std::vector<CategoryRule>& rules) {
  Asked asked;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(snapshot, request, asked)) return *problem;
  const Result<AllocationCategories> categories = categories_of(asked.scope, rules);
  if (!categories.ok()) return categories.error();
  asked.scope.categories = &categories.value();
  return snapshot_table(asked.scope, request.name, request.group);
}

Result<Table> compute_comparison(const Snapshot& before, const Snapshot& after, const TableRequest& request,
                                 const std::vector<CategoryRule>& rules) {
  Asked first;
  Asked second;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(before, request, first)) return *problem;
  if (const auto problem = read_request(after, request, second)) return *problem;
  const auto grouping = live_grouping(request.group);
  if (!grouping || (!request.group.empty() &&
                    std::ranges::find(kCompareKind.groups, request.group) == kCompareKind.groups.end()))
    return request_error("The table compare cannot be grouped by " + request.group);
  const Result<AllocationCategories> of_first = categories_of(first.scope, rules);
  if (!of_first.ok()) return of_first.error();
  const Result<AllocationCategories> of_second = categories_of(second.scope, rules);
  if (!of_second.ok()) return of_second.error();
  first.scope.categories = &of_first.value();
  second.scope.categories = &of_second.value();
  return snapshot_comparison(first.scope, second.scope, *grouping);
}

Result<std::string> compute_folded(const Snapshot& snapshot, const TableRequest& request) {
  Asked asked;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(snapshot, request, asked)) return *problem;
  return folded_stacks(asked.scope);
}

}  // namespace kino
