#include "core/memory/tables/snapshot_table_kinds.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/terminal_text.hpp"
#include "core/memory/tables/memory_advice.hpp"
#include "core/memory/tables/what_if_table.hpp"

namespace kino {
namespace {

constexpr std::array<const TableInfo*, 8> kSnapshotKinds{&kLiveTable,       &kGrowthTable, &kSegmentTable,
                                                         &kAllocationTable, &kEventTable,  &kWhatIfTable,
                                                         &kAdviceTable,     &kCompareTable};
constexpr std::array kOfOneSnapshot{&kLiveTable,  &kGrowthTable, &kSegmentTable, &kAllocationTable,
                                    &kEventTable, &kWhatIfTable, &kAdviceTable};

/// A parsed command-line request. The scope has a pointer to the query, so it must not outlive the request.
struct ParsedRequest {
  SnapshotScope scope;
  std::optional<SnapshotQuery> query;
};

std::optional<Error> read_request(const Snapshot& snapshot, const TableRequest& request,
                                  ParsedRequest& parsed) {
  // Whole stacks are only exported.
  const bool exported = request.format == TableFormat::json || request.format == TableFormat::csv;
  if (!exported) parsed.scope.most_stack_bytes = 0;
  if (exported && request.sort.empty() && request.limit.value_or(0) > 0)
    parsed.scope.most_rows = static_cast<std::size_t>(*request.limit);
  const Result<std::size_t> device = requested_device(snapshot, request.device);
  if (!device.ok()) return device.error();
  parsed.scope.snapshot = &snapshot;
  parsed.scope.settings = request.settings;
  parsed.scope.units = request.units;
  if (const auto tried = what_if_settings(request.settings); !tried.ok()) return tried.error();
  parsed.scope.device = device.value();
  const Result<EventIndex> at = requested_moment(parsed.scope.of(), request.at.empty() ? "peak" : request.at);
  if (!at.ok()) return at.error();
  parsed.scope.at = at.value();
  if (!request.since.empty()) {
    const Result<EventIndex> since = requested_moment(parsed.scope.of(), request.since);
    if (!since.ok()) return since.error();
    parsed.scope.baseline = since.value();
  }
  if (request.find.empty()) return std::nullopt;
  Result<SnapshotQuery> query = SnapshotQuery::compile(request.find, snapshot, device.value());
  if (!query.ok()) return query.error();
  parsed.query = std::move(query).value();
  parsed.scope.query = &*parsed.query;
  return std::nullopt;
}

Error unknown_table(std::string_view name) {
  std::string known;
  for (const TableInfo* const kind : kSnapshotKinds)
    known += (known.empty() ? "" : ", ") + std::string(kind->name);
  return request_error({msg::no_table_of_a_snapshot, escaped(name), known});
}

Error unknown_group(std::string_view table, std::string_view group) {
  return request_error({msg::the_table_cannot_be_grouped_by, table, escaped(group)});
}

/// Returns an error for an option that the table does not support.
std::optional<Error> idle_option(const TableRequest& request) {
  const auto idle = [&](std::string_view option) {
    return request_error({msg::option_has_no_effect, option, request.name});
  };
  if (request.range || request.step) return request_error(msg::range_and_step_are_for_traces);
  if (request.stream) return request_error(msg::stream_is_for_traces);
  const bool folded = request.format == TableFormat::folded;
  if (folded && (!request.group.empty() || !request.sort.empty() || request.limit || !request.since.empty()))
    return request_error(msg::folded_stacks_cannot_be_grouped);
  const TableInfo* const kind = kind_named(kSnapshotKinds, request.name);
  if (kind == nullptr) return unknown_table(request.name);
  const TableOptions& supports = kind->supports;
  if (!request.at.empty() && !supports.moment) return idle("--at");
  if (!request.since.empty() && !supports.since) return idle("--since");
  if (!request.settings.empty() && !supports.settings) return idle("--set");
  if (!request.find.empty() && !supports.find) return idle("--find");
  return std::nullopt;
}

Result<AllocationCategories> categories_of(const SnapshotScope& scope, const CategoryRuleSet& rules) {
  return categorize(*scope.snapshot, scope.device, rules, scope.units);
}

}  // namespace

std::span<const TableInfo* const> snapshot_table_kinds() { return kSnapshotKinds; }

Result<std::size_t> requested_device(const Snapshot& snapshot, std::optional<std::int64_t> ordinal) {
  if (snapshot.devices.empty()) return request_error(msg::snapshot_contains_no_device);
  if (!ordinal) {
    const auto most = std::ranges::max_element(snapshot.devices, {}, [](const SnapshotDevice& device) {
      return device.history.curve(MemoryCurve::requested).peak.bytes;
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
  return request_error({msg::no_device_in_this_snapshot, std::to_string(*ordinal), known});
}

Result<EventIndex> requested_moment(const SnapshotDevice& device, std::string_view text) {
  const auto count = static_cast<EventIndex>(device.entries.entry_count());
  if (text == "peak") return device.history.curve(MemoryCurve::requested).peak.event;
  if (text == "start") return kBeforeRecording;
  if (text == "end") return count - 1;
  if (text == "oom") {
    const auto actions = device.entries.action.span();
    const auto found = std::ranges::find(actions, SnapshotAction::oom);
    if (found == actions.end()) return request_error(msg::no_out_of_memory_error_in_this);
    return static_cast<EventIndex>(found - actions.begin());
  }
  EventIndex event = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), event);
  if (error != std::errc() || end != text.data() + text.size())
    return request_error({msg::is_not_a_moment, text});
  if (event < kBeforeRecording || event >= count)
    return request_error({msg::no_event_the_recording_has, text, std::to_string(count)});
  return event;
}

Result<Table> snapshot_table(const SnapshotScope& scope, std::string_view name, std::string_view group,
                             const std::stop_token& stop) {
  if (name == kCompareTable.name) return request_error({msg::table_needs_two_snapshots, name});
  const auto* const kind = kind_named(kOfOneSnapshot, name);
  if (kind == nullptr) return unknown_table(name);
  const std::optional<std::size_t> place = kind->group_named(group);
  if (!place) return unknown_group(name, group);
  if (scope.query != nullptr && scope.query->requests_events() && !kind->supports.actions)
    return request_error(msg::only_events_are_searched_by_action);
  return kind->compute(scope, {.group = *place}, stop);
}

Result<Table> compute_snapshot_table(const Snapshot& snapshot, const TableRequest& request,
                                     const CategoryRuleSet& rules) {
  ParsedRequest parsed;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(snapshot, request, parsed)) return *problem;
  const Result<AllocationCategories> categories = categories_of(parsed.scope, rules);
  if (!categories.ok()) return categories.error();
  parsed.scope.categories = &categories.value();
  return snapshot_table(parsed.scope, request.name, request.group);
}

Result<Table> compute_comparison(const Snapshot& before, const Snapshot& after, const TableRequest& request,
                                 const CategoryRuleSet& rules) {
  ParsedRequest first;
  ParsedRequest second;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(before, request, first)) return *problem;
  if (const auto problem = read_request(after, request, second)) return *problem;
  if (kind_named(kSnapshotKinds, request.name) == nullptr) return unknown_table(request.name);
  if (request.name != kCompareTable.name) return request_error({msg::table_needs_one_snapshot, request.name});
  const std::optional<std::size_t> group = kCompareTable.group_named(request.group);
  if (!group) return unknown_group(request.name, request.group);
  const Result<AllocationCategories> of_first = categories_of(first.scope, rules);
  if (!of_first.ok()) return of_first.error();
  const Result<AllocationCategories> of_second = categories_of(second.scope, rules);
  if (!of_second.ok()) return of_second.error();
  first.scope.categories = &of_first.value();
  second.scope.categories = &of_second.value();
  return kCompareTable.compute({first.scope, second.scope}, {.group = *group}, {});
}

Result<std::string> compute_folded(const Snapshot& snapshot, const TableRequest& request) {
  ParsedRequest parsed;
  if (const auto problem = idle_option(request)) return *problem;
  if (const auto problem = read_request(snapshot, request, parsed)) return *problem;
  return folded_stacks(parsed.scope);
}

}  // namespace kino
