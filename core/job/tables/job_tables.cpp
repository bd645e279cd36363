#include "core/job/tables/job_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "core/base/terminal_text.hpp"
#include "core/job/tables/clock_table.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "core/job/tables/instance_table.hpp"
#include "core/job/tables/job_range.hpp"
#include "core/job/tables/job_step_table.hpp"
#include "core/job/tables/late_table.hpp"
#include "core/job/tables/message_table.hpp"
#include "core/job/tables/pipeline_table.hpp"
#include "core/job/tables/rank_table.hpp"

namespace kino {
namespace {

constexpr std::array kWholeJobKinds{&kRankTable,    &kLateTable,     &kInstanceTable, &kJobStepTable,
                                    &kMessageTable, &kPipelineTable, &kClockTable};

}  // namespace

std::span<const TableKind* const> job_table_kinds() {
  static const std::vector<const TableKind*> kAll = [] {
    std::vector<const TableKind*> all(kWholeJobKinds.begin(), kWholeJobKinds.end());
    std::ranges::copy(each_rank_table_kinds(), std::back_inserter(all));
    return all;
  }();
  return kAll;
}

Result<Table> job_table(const JobScope& scope, const TableRequest& request, const std::stop_token& stop) {
  const TableKind* const kind = kind_named(job_table_kinds(), request.name);
  if (kind == nullptr)
    return request_error("The table " + request.name + " is of one recording, and this is a job of several");
  if (request.step || request.stream || request.device || !request.at.empty() || !request.since.empty() ||
      !request.find.empty()) {
    return request_error(
        "--step, --stream, --at, --since, --find and --device are of one recording, and this is a job of "
        "several");
  }
  if (request.range && std::ranges::find(kWholeJobKinds, kind) == kWholeJobKinds.end())
    return request_error("The table " + request.name + " is of whole recordings when it is of a job");
  const std::optional<std::size_t> place = kind->group_named(request.group);
  if (!place) {
    return request_error("The table " + request.name + " cannot be grouped by " + escaped(request.group));
  }
  const auto& compute = std::get<TableKind::OfJob>(kind->compute);
  if (!request.range) return compute(scope, *place, stop);
  const std::int64_t begin_ns = scope.analysis.begin_ns();
  const JobAnalysis part = job_in_range(
      scope.analysis, {begin_ns + request.range->begin_ns, begin_ns + request.range->end_ns}, stop);
  return compute({part, scope.files}, *place, stop);
}

}  // namespace kino
