#include "app/cli/trace_info.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/info_lines.hpp"
#include "app/cli/serving_info.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/ascii.hpp"
#include "core/base/duration_list.hpp"
#include "core/base/step_words.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/serving/iterations.hpp"
#include "core/trace/event_parts.hpp"
#include "core/trace/recorder_notes.hpp"
#include "core/trace/track_names.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_format.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTracks = 20;
constexpr std::size_t kLeastNameColumns = 20;
constexpr std::size_t kMostNameColumns = 56;

/// Returns a text such as "4, ProfilerStep#3 to #6"; requires at least one step.
std::string steps_text(const Steps& steps) {
  std::string text = grouped(steps.steps.size()) + ", " + step_title(steps.steps.front().number);
  if (steps.steps.size() > 1) text += " to #" + std::to_string(steps.steps.back().number);
  return text;
}

/// Returns a text such as "5, the mean 29.88 ms, the median 29.08 ms". For two steps the median is omitted,
/// because it equals the mean.
std::string lengths_text(const UsedSteps& used) {
  const std::size_t count = used.lengths_ns.size();
  if (count == 0) return "0";
  const std::string mean = text_from_duration(std::llround(used.mean_ns));
  if (count == 1) return "1, " + mean;
  if (count == 2) return "2, the mean " + mean;
  std::vector<std::int64_t> lengths_ns = used.lengths_ns;  // duration_stats() reorders them
  return grouped(count) + ", the mean " + mean + ", the median " +
         text_from_duration(duration_stats(lengths_ns).median_ns);
}

void add_steps(std::string& out, const Trace& trace) {
  const Steps steps = find_steps(trace);
  if (steps.steps.empty()) return;
  add_line(out, "Steps", steps_text(steps));
  const UsedSteps used = used_steps(trace, steps);
  add_line(out, "Used steps", lengths_text(used));
  for (const Message& note : used.notes) add_line(out, "", escaped(note.str()));
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
  if (!text.empty()) return text;
  return unanalysed_device_note(trace).empty() ? "none" : "none used (see the notes)";
}

/// Adds the numbers in names such as "Rank 3" and "trainer_rank_1_system".
void add_ranks_named(std::string_view name, std::set<std::int64_t>& ranks) {
  const std::string text = lowered(name);
  constexpr std::string_view kWord = "rank";
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + 1)) {
    if (at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') continue;
    const std::size_t digits = text.find_first_not_of(" _-:#=", at + kWord.size());
    if (digits == std::string::npos) continue;
    std::int64_t rank = -1;
    const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), rank);
    if (error == std::errc{} && rank >= 0) ranks.insert(rank);
  }
}

/// Returns a text with at most eight ranks from the names of processes and threads, for traces whose header
/// contains no rank.
std::string rank_by_names(const Trace& trace) {
  constexpr std::size_t kNamed = 8;
  std::set<std::int64_t> ranks;
  for (const Process& process : trace.processes) add_ranks_named(process.title, ranks);
  for (const Track& track : trace.tracks) add_ranks_named(track.name, ranks);
  if (ranks.empty()) return "not in the file";
  std::string text = ranks.size() == 1 ? "not in the header; a process or thread is named rank "
                                       : "not in the header; processes or threads are named ranks ";
  std::size_t named = 0;
  for (const std::int64_t rank : ranks) {
    if (named == kNamed) break;
    text += (named++ > 0 ? ", " : "") + std::to_string(rank);
  }
  return text + (ranks.size() > kNamed ? " and " + grouped(ranks.size() - kNamed) + " more" : "");
}

std::string rank_text(const Trace& trace) {
  const JobInfo& job = trace.job;
  if (job.rank < 0) return rank_by_names(trace);
  std::string text = std::to_string(job.rank);
  if (job.world_size > 0) text += " of " + std::to_string(job.world_size);
  if (!job.backend.empty()) text += " (" + shown_name(job.backend) + ")";
  return text;
}

void add_events(std::string& out, const Trace& trace) {
  add_line(out, "Events", grouped(trace.counts.total()));
  const std::size_t columns = columns_of(grouped(trace.counts.total()));
  for (const EventPartCount& count : event_parts(trace)) {
    out += "  " + padded_left(grouped(count.count), columns) + "  " + text_of(count.part, count.count).str() +
           "\n";
  }
}

void add_tracks(std::string& out, const Trace& trace) {
  out += "Tracks      " + grouped(trace.tracks.size()) + " with " + counted_noun(trace.rows.size(), "lane") +
         "\n";
  std::uint32_t last_process = ~std::uint32_t{0};
  const std::size_t shown = std::min(trace.tracks.size(), kMostTracks);
  std::vector<std::string> names;
  names.reserve(shown);
  std::size_t name_columns = kLeastNameColumns;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(shown_name(unique_track_name(trace, static_cast<std::uint32_t>(i))));
    name_columns = std::max(name_columns, columns_of(names.back()));
  }
  name_columns = std::min(name_columns, kMostNameColumns);
  for (std::size_t i = 0; i < shown; ++i) {
    const Track& track = trace.tracks[i];
    if (track.process != last_process && track.process < trace.processes.size()) {
      last_process = track.process;
      out += "  " + shown_name(unique_process_title(trace, track.process)) + "\n";
    }
    const std::uint64_t slices = slices_on(trace, track);
    std::string line = "    " + padded_right(names[i], name_columns);
    const auto add_count = [&](std::uint64_t count, const std::string& noun) {
      if (count == 0) return;
      line += "  " + padded_left(grouped(count), 11) + " " +
              padded_right(count == 1 ? noun : noun + "s", noun.size() + 1);
    };
    add_count(slices, track.kind == TrackKind::async ? "async slice" : "slice");
    add_count(track.instant_count, "instant");
    add_count(track.sample_count, "sample");
    while (track.contents.empty() && line.back() == ' ') line.pop_back();
    if (!track.contents.empty()) line += "  " + shown_name(track.contents);
    out += line + "\n";
  }
  if (shown < trace.tracks.size()) out += "    and " + grouped(trace.tracks.size() - shown) + " more\n";
}

void add_trust(std::string& out, const DataQualityReport& report, const std::string& device) {
  if (const std::string covered = covered_text(report, device); !covered.empty())
    add_line(out, "Covered", covered);
  for (const Message& note : report.notes) add_line(out, "Note", escaped(note.str()));
  if (report.lines.empty()) return;
  out += "Data quality\n";
  add_quality_lines(out, quality_lines(report, device));
}

}  // namespace

std::uint64_t slices_on(const Trace& trace, const Track& track) {
  std::uint64_t slices = 0;
  for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
    slices += trace.rows[row].slice_count;
  }
  return slices;
}

UsedSteps used_steps(const Trace& trace, const Steps& steps) {
  UsedSteps used;
  used.choice = choose_steps(trace, steps);
  const std::vector<TimeRange> ranges = step_ranges(steps);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    names.push_back(std::to_string(steps.steps[i].number));
    if (!is_used(used.choice.uses[i]) || ranges[i].length_ns() <= 0) continue;
    used.lengths_ns.push_back(ranges[i].length_ns());
    used.mean_ns += static_cast<double>(used.lengths_ns.back());
  }
  if (!used.lengths_ns.empty()) used.mean_ns /= static_cast<double>(used.lengths_ns.size());
  used.notes = step_notes(used.choice, names);
  for (Message& note : mark_notes(trace, step_windows(trace, steps))) used.notes.push_back(std::move(note));
  return used;
}

double megabytes_per_second(const LoadStats& stats) {
  return stats.seconds > 0 ? static_cast<double>(stats.text_bytes) / 1e6 / stats.seconds : 0;
}

namespace {

std::string content_text(const OpenedTrace& opened) {
  const LoadStats& stats = opened.stats;
  const std::string file = text_from_bytes(stats.file_bytes);
  if (opened.format != nullptr && opened.format->name != kChromeTrace.name)
    return std::string(opened.format->title) + ", " + file;
  std::string text = text_from_bytes(stats.text_bytes) + " of JSON";
  if (stats.file_bytes == stats.text_bytes) return text;
  return text + " from " + file + (stats.file_bytes < stats.text_bytes ? " compressed" : "");
}

}  // namespace

std::string info_text(const std::filesystem::path& path, const OpenedTrace& opened, std::uint64_t peak_rss) {
  const Trace& trace = *opened.trace;
  const LoadStats& stats = opened.stats;
  std::string out;
  add_line(out, "File", escaped(path.string()));
  add_line(out, "Type", "trace, " + content_text(opened));
  if (opened.capsule != nullptr) add_line(out, "Capsule", capsule_text(*opened.capsule, "a trace"));
  add_line(out, "Rank", rank_text(trace));
  add_line(out, device_word(trace) + "s", gpu_text(trace));
  std::string span = text_from_duration(trace.range.length_ns());
  if (trace.content != trace.range) {
    span += "; without outliers in time " + text_from_duration(trace.content.length_ns());
  }
  const DataQualityReport report = data_quality_report(trace);
  if (report.outlasting_work > 0)
    span += "; without GPU work that outlasts the recording " + text_from_duration(report.reliable_ns);
  add_line(out, "Time span", span);
  add_steps(out, trace);
  add_iterations(out, find_iterations(trace));
  add_findings(out, trace);
  add_events(out, trace);
  add_tracks(out, trace);
  add_damage(out, trace.damage.without(DamageReason::overlap_spilled, report.spilled), trace.counts.total());
  add_trust(out, report, device_word(trace));
  add_line(out, "Load",
           fixed(stats.seconds, 3) + " s " +
               (opened.from_cache ? "from the cache"
                                  : "at " + text_from_bytes(megabytes_per_second(stats) * 1e6) + "/s") +
               "; peak memory " + text_from_bytes(peak_rss));
  return out;
}

}  // namespace kino
