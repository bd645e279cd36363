#include "app/cli/info_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/cli/cut_file.hpp"
#include "app/cli/hang_info.hpp"
#include "app/cli/info_lines.hpp"
#include "app/cli/job_info.hpp"
#include "app/cli/snapshot_info.hpp"
#include "app/cli/snapshot_set_info.hpp"
#include "app/text/columns_of_text.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/step_words.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/gpu/time_base.hpp"
#include "core/gpu/trust_report.hpp"
#include "core/platform/process_limits.hpp"
#include "core/trace/steps.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/chrome_trace/chrome_trace_format.hpp"
#include "loaders/contained_traces.hpp"
#include "loaders/open.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTracks = 20;
constexpr std::size_t kLeastNameColumns = 20;
constexpr std::size_t kMostNameColumns = 56;

std::uint64_t slices_of(const Trace& trace) {
  return trace.counts[EventSort::complete] + trace.paired_slices;
}

std::uint64_t slices_on(const Trace& trace, const Track& track) {
  std::uint64_t slices = 0;
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    slices += trace.rows[row].slice_count;
  }
  return slices;
}

/// "4, ProfilerStep#3 to #6, 12 ms in the middle"; empty without steps.
std::string steps_text(const Steps& steps) {
  if (steps.steps.empty()) return {};
  std::string text = grouped(steps.steps.size()) + ", " + step_title(steps.steps.front().number);
  if (steps.steps.size() > 1) text += " to #" + std::to_string(steps.steps.back().number);
  return text + ", the median " + text_from_duration(steps.median_ns);
}

double megabytes_per_second(const LoadStats& stats) {
  return stats.seconds > 0 ? static_cast<double>(stats.text_bytes) / 1e6 / stats.seconds : 0;
}

std::string gpu_text(const Trace& trace) {
  std::string text;
  const auto gpus = static_cast<std::size_t>(std::ranges::count_if(trace.processes, &Process::gpu));
  if (gpus > 0) text = std::to_string(gpus);
  std::vector<std::string> models;
  for (const std::string& name : trace.job.device_names) {
    if (!name.empty() && std::ranges::find(models, name) == models.end()) models.push_back(name);
  }
  if (gpus > 0 && !models.empty()) text += " with work; the machine has ";
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (i > 0) text += ", ";
    text +=
        std::to_string(std::ranges::count(trace.job.device_names, models[i])) + " " + shown_name(models[i]);
  }
  if (gpus > 0 && models.empty()) {
    for (const Process& process : trace.processes) {
      if (process.gpu)
        text += (text.size() > 1 && text.back() != ' ' ? ", " : ": ") + shown_name(process.title);
    }
  }
  return text.empty() ? "none" : text;
}

std::string rank_text(const JobInfo& job) {
  if (job.rank < 0) return "not in the file";
  std::string text = std::to_string(job.rank);
  if (job.world_size > 0) text += " of " + std::to_string(job.world_size);
  if (!job.backend.empty()) text += " (" + shown_name(job.backend) + ")";
  return text;
}

void add_events(std::string& out, const Trace& trace) {
  const EventCounts& counts = trace.counts;
  add_line(out, "Events", grouped(counts.total()));
  const std::pair<const char*, std::uint64_t> kinds[] = {
      {"slices", slices_of(trace)},
      {"async slices", trace.async_slices},
      {"instants", counts[EventSort::instants]},
      {"counters", counts[EventSort::counters]},
      {"flow ends", counts[EventSort::flows]},
      {"metadata", counts[EventSort::metadata]},
      {"empty", counts[EventSort::empty]},
      {"left out", counts[EventSort::dropped]},
  };
  const std::size_t columns = columns_of(grouped(counts.total()));
  for (const auto& [name, count] : kinds) {
    if (count > 0) out += "  " + padded_left(grouped(count), columns) + "  " + name + "\n";
  }
}

void add_tracks(std::string& out, const Trace& trace) {
  out += "Tracks      " + grouped(trace.tracks.size()) + " with " + grouped(trace.rows.size()) + " lanes\n";
  std::uint32_t last_process = ~std::uint32_t{0};
  const std::size_t shown = std::min(trace.tracks.size(), kMostTracks);
  std::size_t name_columns = kLeastNameColumns;
  for (std::size_t i = 0; i < shown; ++i) {
    name_columns = std::max(name_columns, columns_of(shown_name(trace.tracks[i].name)));
  }
  name_columns = std::min(name_columns, kMostNameColumns);
  for (std::size_t i = 0; i < shown; ++i) {
    const Track& track = trace.tracks[i];
    if (track.process != last_process && track.process < trace.processes.size()) {
      last_process = track.process;
      out += "  " + shown_name(trace.processes[track.process].title) + "\n";
    }
    const std::uint64_t slices = slices_on(trace, track);
    std::string line = "    " + padded_right(shown_name(track.name), name_columns);
    if (slices > 0) line += "  " + padded_left(grouped(slices), 11) + " slices";
    if (track.instant_count > 0) line += "  " + padded_left(grouped(track.instant_count), 11) + " instants";
    if (track.sample_count > 0) line += "  " + padded_left(grouped(track.sample_count), 11) + " samples";
    if (!track.contents.empty()) line += "  " + shown_name(track.contents);
    out += line + "\n";
  }
  if (shown < trace.tracks.size()) out += "    and " + grouped(trace.tracks.size() - shown) + " more\n";
}

void add_trust(std::string& out, const TrustReport& report, const std::string& device) {
  if (const auto covered = report.covered_gpu_time()) {
    const auto launches = report.covered_launches();
    add_line(out, "Covered",
             text_from_share(*covered) + " of " + device + " time has its launch, " +
                 (launches ? text_from_share(*launches) + " of launches their " + device + " work"
                           : std::string("there are no launches in the trace")));
  }
  for (const std::string& note : report.notes) add_line(out, "Note", escaped(note));
  if (report.lines.empty()) return;
  out += "Trust\n";
  for (const TrustLine& line : report.lines) {
    out += "  " + padded_left(grouped(line.count), 11) + "  " + std::string(text_of(line.finding));
    if (line.of > 0) out += ", of " + grouped(line.of);
    if (line.duration_ns > 0) out += ", " + text_from_duration(line.duration_ns);
    out += "\n               " + std::string(meaning_of(line.finding)) + "\n";
  }
}

}  // namespace

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

Json steps_json(const Steps& steps) {
  Json list = Json::array();
  for (const Step& step : steps.steps) {
    list.push_back({{"number", step.number},
                    {"start_ns", step.range.begin_ns},
                    {"duration_ns", step.range.length_ns()}});
  }
  return list;
}

Json events_json(const Trace& trace) {
  Json json = {{"total", trace.counts.total()}, {"slices", slices_of(trace)}};
  for (std::size_t sort = 0; sort < kEventSortNames.size(); ++sort)
    json[std::string(kEventSortNames[sort])] = trace.counts.by_sort[sort];
  json["async_slices"] = trace.async_slices;
  return json;
}

}  // namespace

std::string info_json(const std::filesystem::path& path, const OpenedTrace& opened, std::uint64_t peak_rss) {
  const Trace& trace = *opened.trace;
  const TrustReport report = trust_report(trace);
  Json trust = Json::array();
  for (const TrustLine& line : report.lines) {
    trust.push_back({{"finding", text_of(line.finding)},
                     {"count", line.count},
                     {"of", line.of > 0 ? Json(line.of) : Json()},
                     {"duration_ns", line.duration_ns},
                     {"first_slice", line.first == kNoSlice ? Json() : Json(index_of(line.first))}});
  }
  const Steps steps = find_steps(trace);
  const auto share = [](std::optional<double> part) { return part ? Json(*part) : Json(); };
  const Json json = {{"schema", kInfoSchema},
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
                     {"steps", steps_json(steps)},
                     {"median_step_ns", steps.steps.empty() ? Json() : Json(steps.median_ns)},
                     {"damage", damage_json(trace.damage)},
                     {"trust", trust},
                     {"notes", report.notes},
                     {"covered_gpu_time", share(report.covered_gpu_time())},
                     {"covered_launches", share(report.covered_launches())},
                     {"load",
                      {{"bytes", opened.stats.text_bytes},
                       {"file_bytes", opened.stats.file_bytes},
                       {"seconds", opened.stats.seconds},
                       {"mb_per_s", megabytes_per_second(opened.stats)},
                       {"from_cache", opened.from_cache},
                       {"peak_rss_bytes", peak_rss}}}};
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string content_text(const OpenedTrace& opened) {
  const LoadStats& stats = opened.stats;
  const std::string file = text_from_bytes(static_cast<double>(stats.file_bytes));
  if (opened.format != nullptr && opened.format->name != kChromeTrace.name)
    return std::string(opened.format->title) + ", " + file;
  std::string text = text_from_bytes(static_cast<double>(stats.text_bytes)) + " of JSON";
  if (stats.file_bytes == stats.text_bytes) return text;
  return text + " from " + file + (stats.file_bytes < stats.text_bytes ? " compressed" : "");
}

std::string info_text(const std::filesystem::path& path, const OpenedTrace& opened, std::uint64_t peak_rss) {
  const Trace& trace = *opened.trace;
  const LoadStats& stats = opened.stats;
  std::string out;
  add_line(out, "File", escaped(path.string()));
  add_line(out, "What", "trace, " + content_text(opened));
  if (opened.capsule != nullptr) add_line(out, "Capsule", capsule_text(*opened.capsule, "a trace"));
  add_line(out, "Rank", rank_text(trace.job));
  add_line(out, device_word(trace) + "s", gpu_text(trace));
  std::string span = text_from_duration(trace.range.length_ns());
  if (trace.content != trace.range) {
    span += "; without far outliers " + text_from_duration(trace.content.length_ns());
  }
  add_line(out, "Time span", span);
  if (const std::string steps = steps_text(find_steps(trace)); !steps.empty()) add_line(out, "Steps", steps);
  add_events(out, trace);
  add_tracks(out, trace);
  add_damage(out, trace.damage);
  add_trust(out, trust_report(trace), device_word(trace));
  add_line(out, "Load",
           fixed(stats.seconds, 3) + " s " +
               (opened.from_cache ? "from the cache"
                                  : "at " + text_from_bytes(megabytes_per_second(stats) * 1e6) + "/s") +
               "; peak memory " + text_from_bytes(static_cast<double>(peak_rss)));
  return out;
}

std::string choices_text(const ContainedTraces& choices) {
  std::string text;
  for (const ContainedTrace& trace : choices.traces) {
    const std::string size = trace.size_bytes ? text_from_bytes(static_cast<double>(*trace.size_bytes)) : "";
    text += padded_left(size, 10) + "  " + escaped(trace.path.string()) + "\n";
  }
  if (!choices.left_out.empty()) text += "(" + escaped(choices.left_out) + ")\n";
  return text;
}

namespace {

std::string summary_of(const std::filesystem::path& path, const OpenedFile& file, bool json) {
  const std::uint64_t peak = peak_memory_bytes();
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file)) {
    return json ? snapshot_info_json(path, *snapshot, peak) : snapshot_info_text(path, *snapshot, peak);
  }
  if (const auto* const hang = std::get_if<OpenedHang>(&file))
    return json ? hang_info_json(path, *hang->hang) : hang_info_text(path, *hang->hang);
  const auto& trace = std::get<OpenedTrace>(file);
  return json ? info_json(path, trace, peak) : info_text(path, trace, peak);
}

/// Prints the jobs that the traces are ranks of; nothing when none of them is of several ranks.
std::optional<int> run_job_info(const CommandLine& command, const ContainedTraces& choices) {
  const NamedJobs named = read_jobs(command, choices);
  if (named.jobs.empty()) return std::nullopt;
  const std::filesystem::path& path = command.files.front();
  const std::string text = command.json ? job_info_json(path, named.jobs, named.problems)
                                        : job_info_text(path, named.jobs, named.problems);
  std::fputs(text.c_str(), stdout);
  return command.strict && named.incomplete ? 1 : 0;
}

/// Prints many snapshots; an exit code.
int run_snapshot_set_info(const CommandLine& command, const ContainedTraces& snapshots) {
  const ReadSnapshots read = read_snapshots(command, snapshots);
  const std::filesystem::path& path = command.files.front();
  const std::filesystem::path name = command.files.size() > 1 ? path.parent_path() : path;
  const std::string text = command.json ? snapshot_set_json(name, read) : snapshot_set_text(name, read);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fputs("kinetoscope: the summary cannot be written to the standard output\n", stderr);
    return 1;
  }
  return read.set.members.empty() || (command.strict && read.incomplete) ? 1 : 0;
}

}  // namespace

int run_info_command(const CommandLine& command) {
  const std::filesystem::path& path = command.files.front();
  if (command.files.size() > 1) {
    const std::optional<ContainedTraces> ranks = ranks_of_one_job(command.files);
    if (const std::optional<int> done = ranks ? run_job_info(command, *ranks) : std::nullopt) return *done;
    if (const std::optional<ContainedTraces> snapshots = snapshots_given(command.files))
      return run_snapshot_set_info(command, *snapshots);
    std::fputs("kinetoscope: these files are neither the ranks of one job nor all snapshots\n", stderr);
    return 1;
  }
  LoadProgress progress;
  ContainedTraces choices;
  OpenOptions options = open_options(command);
  options.choices = &choices;
  bool keep = false;
  if (command.keep) options.cache.keep = [&keep](const OpenedTrace& /*opened*/) { keep = true; };
  options.cache.least_text_bytes = 0;
  const Result<OpenedFile> opened = open_file(path, options, progress, {});
  if (!opened.ok()) {
    if (opened.error().kind == Error::Kind::several_traces) {
      if (are_snapshots(choices)) return run_snapshot_set_info(command, choices);
      if (const std::optional<int> done = run_job_info(command, choices)) return *done;
      std::fputs(choices_text(choices).c_str(), stdout);
    }
    std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(opened.error(), path.string()).c_str());
    return 1;
  }
  if (refuses_cut(damage_of(opened.value()), path.string(), command.strict)) return 1;
  const std::string text = summary_of(path, opened.value(), command.json);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fputs("kinetoscope: the summary cannot be written to the standard output\n", stderr);
    return 1;
  }
  // Scripts that watch a job ask whether somebody is to blame.
  constexpr int kCulprit = 2;
  const auto* const hang = std::get_if<OpenedHang>(&opened.value());
  if (hang != nullptr && !hang->hang->analysis.culprits().empty()) return kCulprit;
  if (!keep) return 0;
  const std::optional<Error> problem = keep_opened(std::get<OpenedTrace>(opened.value()), options, {});
  if (!problem) return 0;
  std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(*problem, path.string()).c_str());
  return 1;
}

}  // namespace kino
