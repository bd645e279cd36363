#include "app/cli/trace_info_json.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/cli/serving_info.hpp"
#include "app/cli/trace_info.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/serving/iterations.hpp"
#include "core/trace/event_parts.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json gpus_json(const Trace& trace) {
  Json list = Json::array();
  for (const Process& process : trace.processes) {
    if (process.gpu) list.push_back({{"id", process.pid}, {"title", process.title}});
  }
  return list;
}

Json devices_json(const JobInfo& job) {
  Json list = Json::array();
  for (std::size_t i = 0; i < job.device_names.size(); ++i) {
    const std::int64_t memory = i < job.device_memory_bytes.size() ? job.device_memory_bytes[i] : 0;
    list.push_back({{"id", i},
                    {"name", text_or_null(job.device_names[i])},
                    {"memory_bytes", memory > 0 ? Json(memory) : Json()}});
  }
  return list;
}

Json track_list_json(const Trace& trace) {
  constexpr std::array<const char*, 6> kKinds{"gpu_stream", "gpu_annotation", "gpu_sync",
                                              "cpu_thread", "async",          "counter"};
  Json list = Json::array();
  for (const Track& track : trace.tracks) {
    list.push_back({{"process", trace.processes[track.process].title},
                    {"name", track.name},
                    {"kind", kKinds[static_cast<std::size_t>(track.kind)]},
                    {"lanes", track.row_count},
                    {"slices", slices_on(trace, track)},
                    {"instants", track.instant_count},
                    {"samples", track.sample_count},
                    {"contents", text_or_null(track.contents)}});
  }
  return list;
}

Json steps_json(const Steps& steps, const StepChoice& choice) {
  Json list = Json::array();
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    list.push_back({{"number", step.number},
                    {"start_ns", step.range.begin_ns},
                    {"duration_ns", step.range.length_ns()},
                    {"use", english(text_of(choice.uses[i]))}});
  }
  return list;
}

Json launches_json(const LaunchCounts& counts) {
  return {{"count", counts.all.calls.count},
          {"with_gpu_work", counts.all.with_work.count},
          {"captured", counts.all.captured.count},
          {"without_gpu_work", counts.all.without_work.count},
          {"transfers_without_gpu_work", counts.all.transfers_without_work.count},
          {"gpu_side_missing", counts.gpu_side_missing()},
          {"kernels_missing", counts.kernels_missing()}};
}

Json events_json(const Trace& trace) {
  Json json = {{"total", trace.counts.total()}, {"slices", slice_events(trace)}};
  for (std::size_t sort = 0; sort < kEventTypeNames.size(); ++sort)
    json[std::string(kEventTypeNames[sort])] = trace.counts.by_sort[sort];
  json["async_slices"] = trace.async_slices;
  return json;
}

}  // namespace

std::string info_json(const std::filesystem::path& path, const OpenedTrace& opened, std::uint64_t peak_rss) {
  const Trace& trace = *opened.trace;
  const DataQualityReport report = data_quality_report(trace);
  Json trust = Json::array();
  for (const DataQualityLine& line : report.lines) {
    trust.push_back({{"finding", english(text_of(line.finding))},
                     {"count", line.count},
                     {"of", line.of > 0 ? Json(line.of) : Json()},
                     {"duration_ns", line.duration_ns},
                     {"first_slice", line.first == kNoSlice ? Json() : Json(index_of(line.first))}});
  }
  const Steps steps = find_steps(trace);
  const UsedSteps used = used_steps(trace, steps);
  const auto share = [](std::optional<double> part) { return part ? Json(*part) : Json(); };
  Json json = {{"schema", kInfoSchema},
               {"kind", "trace"},
               {"file", path.string()},
               {"events", events_json(trace)},
               {"tracks", trace.tracks.size()},
               {"lanes", trace.rows.size()},
               {"track_list", track_list_json(trace)},
               {"capsule", capsule_json(opened.capsule.get())},
               {"span_ns", trace.range.length_ns()},
               {"content_ns", trace.content.length_ns()},
               {"rank", trace.job.rank < 0 ? Json() : Json(trace.job.rank)},
               {"world_size", trace.job.world_size > 0 ? Json(trace.job.world_size) : Json()},
               {"backend", text_or_null(trace.job.backend)},
               {"gpus", gpus_json(trace)},
               {"devices", devices_json(trace.job)},
               {"steps", steps_json(steps, used.choice)},
               {"median_step_ns", steps.steps.empty() ? Json() : Json(steps.median_ns)},
               {"mean_used_step_ns", used.lengths_ns.empty() ? Json() : Json(used.mean_ns)},
               {"step_notes", english_texts(used.notes)},
               {"what_to_fix", findings_json(trace)},
               {"damage", damage_json(trace.damage)},
               {"reading_notes", reading_notes_json(trace.damage)},
               {"trust", trust},
               {"notes", english_texts(report.notes)},
               {"covered_gpu_time", share(report.covered_gpu_time())},
               {"covered_launches", share(report.covered_launches())},
               {"launches", launches_json(report.launches)},
               {"load",
                {{"bytes", opened.stats.text_bytes},
                 {"file_bytes", opened.stats.file_bytes},
                 {"seconds", opened.stats.seconds},
                 {"mb_per_s", megabytes_per_second(opened.stats)},
                 {"from_cache", opened.from_cache},
                 {"peak_rss_bytes", peak_rss}}}};
  if (Json iterations = iterations_json(find_iterations(trace)); !iterations.is_null())
    json["iterations"] = std::move(iterations);
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace kino
