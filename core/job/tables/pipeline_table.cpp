#include "core/base/messages/message.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/pipelines.hpp"

namespace kino {
namespace {

constexpr std::string_view kStageKeys[] = {"pipeline", "stage"};
constexpr std::string_view kPipelineStepKeys[] = {"pipeline", "step"};
constexpr TableGroup kPipelineGroups[] = {{"stage", msg::stage, kStageKeys},
                                          {"step", msg::step, kPipelineStepKeys}};

struct PipelineRow {
  const Pipeline* pipeline = nullptr;
  std::int64_t stage = 0;
  std::int64_t steps = 0;
  std::int64_t step = -1;
  std::int64_t micro_batches = 0;
  StageTimes times;
  double share = -1;
  double even = -1;
  std::uint32_t rank = 0;  // index into JobAnalysis::ranks
};

std::vector<PipelineRow> rows_by_stage(const std::vector<Pipeline>& pipelines) {
  std::vector<PipelineRow> rows;
  for (const Pipeline& pipeline : pipelines) {
    for (std::size_t stage = 0; stage < pipeline.ranks.size(); ++stage) {
      PipelineRow& row = rows.emplace_back();
      row.pipeline = &pipeline;
      row.stage = static_cast<std::int64_t>(stage);
      row.rank = pipeline.ranks[stage];
      row.steps = static_cast<std::int64_t>(pipeline.steps.size());
      for (const PipelineStep& step : pipeline.steps) {
        row.times += step.stages[stage];
        row.micro_batches += step.micro_batches;
      }
      row.share = row.times.bubble_share();
      row.even = pipeline.even_bubble_share();
    }
  }
  return rows;
}

std::vector<PipelineRow> rows_by_step(const std::vector<Pipeline>& pipelines) {
  std::vector<PipelineRow> rows;
  for (const Pipeline& pipeline : pipelines) {
    for (const PipelineStep& step : pipeline.steps) {
      PipelineRow& row = rows.emplace_back();
      row.pipeline = &pipeline;
      row.step = step.number;
      row.micro_batches = step.micro_batches;
      for (const StageTimes& stage : step.stages) row.times += stage;
      row.share = step.bubble_share();
      row.even = step.even_bubble_share();
      row.rank = pipeline.ranks.front();
    }
  }
  return rows;
}

Table pipeline_table(const JobScope& scope, const TableQuery& query, const std::stop_token& stop) {
  const bool by_stage = query.group == 0;
  const JobAnalysis& job = scope.analysis;
  const std::vector<Pipeline> pipelines = pipelines_of(job, stop);
  const std::vector<PipelineRow> rows = by_stage ? rows_by_stage(pipelines) : rows_by_step(pipelines);
  Table table = titled_table(kPipelineTable, msg::pipeline_definition);
  const auto integer = [&](const char* key, msg::Id title, Unit unit, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, unit, about, get);
  };
  table.texts_of(rows, "pipeline", msg::pipeline, msg::pipeline_process_group,
                 [](const PipelineRow& row) { return row.pipeline->name; });
  if (by_stage) {
    integer("stage", msg::stage, Unit::id, msg::stage_number_from_0, &PipelineRow::stage);
    integer("rank", msg::rank, Unit::id, msg::as_stated_in_file,
            [&](const PipelineRow& row) { return job.ranks[row.rank]->rank; });
    integer("steps", msg::steps, Unit::count, msg::steps_all_stages_recorded, &PipelineRow::steps);
  } else {
    integer("step", msg::step, Unit::id, msg::profiler_step_number, &PipelineRow::step);
  }
  integer("micro_batches", msg::micro_batches, Unit::count, msg::messages_from_the_first_stage_to,
          &PipelineRow::micro_batches);
  integer("bubble_ns", msg::bubble, Unit::ns, msg::wait_for_scheduled_messages,
          [](const PipelineRow& row) { return row.times.bubble_ns; });
  integer("straggling_ns", msg::straggling, Unit::ns, msg::wait_for_late_messages,
          [](const PipelineRow& row) { return row.times.straggling_ns; });
  integer("busy_ns", msg::busy, Unit::ns, msg::busy_meaning,
          [](const PipelineRow& row) { return row.times.busy_ns; });
  table.number_column(rows, "bubble_share", msg::bubble_share, Unit::share, msg::bubble_share_meaning,
                      [&](const PipelineRow& row) { return known_or_none(row.share); });
  table.number_column(rows, "least_bubble_share", msg::even_1f1b, Unit::share, msg::even_1f1b_meaning,
                      [&](const PipelineRow& row) { return known_or_none(row.even); });
  for (const PipelineRow& row : rows) table.links.push_back(RowLink::to_recording(row.rank));
  if (pipelines.empty()) table.notes.emplace_back(msg::no_pipeline_stages);
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kPipelineTable{
    {.name = "pipeline", .title = msg::pipelines, .about = msg::about_pipeline, .groups = kPipelineGroups},
    &pipeline_table};

}  // namespace kino
