#include "core/job/tables/job_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "core/base/terminal_text.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "core/job/tables/job_range.hpp"
#include "core/job/tables/rank_table.hpp"

namespace kino {
namespace {

/// Tables of any range.
constexpr std::array kWholeJobKinds{&kRankTable,    &kLateTable,     &kInstanceTable, &kJobStepTable,
                                    &kMessageTable, &kPipelineTable, &kClockTable};
/// Tables of whole recordings, in addition to each_rank_table_kinds().
constexpr std::array kRecordingKinds{&kJobLedgerTable, &kJobLayerTable};

}  // namespace

std::span<const TableInfo* const> job_table_kinds() {
  static const std::vector<const TableInfo*> kAll = [] {
    std::vector<const TableInfo*> all(kWholeJobKinds.begin(), kWholeJobKinds.end());
    std::ranges::copy(kRecordingKinds, std::back_inserter(all));
    std::ranges::copy(each_rank_table_kinds(), std::back_inserter(all));
    return all;
  }();
  return kAll;
}

Table job_table(const TableInfo& kind, const JobScope& scope, const TableQuery& query,
                const std::stop_token& stop) {
  const auto* typed = kind_named(kWholeJobKinds, kind.name);
  if (typed == nullptr) typed = kind_named(kRecordingKinds, kind.name);
  if (typed == nullptr) typed = kind_named(each_rank_table_kinds(), kind.name);
  return typed->compute(scope, query, stop);
}

Result<Table> job_table(const JobScope& scope, const TableRequest& request, const std::stop_token& stop) {
  const TableInfo* const kind = kind_named(job_table_kinds(), request.name);
  if (kind == nullptr) return request_error(Message(msg::table_needs_one_recording, request.name));
  if (request.step || request.stream || request.device || !request.at.empty() || !request.since.empty() ||
      !request.find.empty()) {
    return request_error(msg::options_need_one_recording);
  }
  if (request.range && kind_named(kWholeJobKinds, request.name) == nullptr)
    return request_error(Message(msg::table_covers_whole_recordings, request.name));
  const std::optional<std::size_t> group = kind->group_named(request.group);
  if (!group)
    return request_error(Message(msg::the_table_cannot_be_grouped_by, request.name, escaped(request.group)));
  if (!request.range) return job_table(*kind, scope, {.group = *group}, stop);
  const std::int64_t begin_ns = scope.analysis.begin_ns();
  const JobAnalysis part = job_in_range(
      scope.analysis, {begin_ns + request.range->begin_ns, begin_ns + request.range->end_ns}, stop);
  return job_table(*kind, {part, scope.files}, {.group = *group}, stop);
}

}  // namespace kino
