#include "app/cli/snapshot_set_info.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/info_lines.hpp"
#include "app/pages/snapshot_set/snapshot_set_loader.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDifferences = 20;
constexpr std::size_t kMostShown = 64;

Json time_json(std::int64_t time_us) { return time_us == SnapshotEntries::kNoTime ? Json() : Json(time_us); }

Json differences_json(const SnapshotSums& member, const SnapshotSums& median) {
  constexpr std::array<const char*, kSumsByCount> kNames{"line", "function", "file", "category", "module"};
  Json all;
  for (std::size_t by = 0; by < kSumsByCount; ++by) {
    Json list = Json::array();
    for (const SumDifference& difference : differences(member, median, static_cast<SumsBy>(by))) {
      if (list.size() == kMostDifferences) break;
      list.push_back({{"name", difference.name.str()},
                      {"key", difference.key},
                      {"bytes", difference.bytes},
                      {"median_bytes", difference.median_bytes},
                      {"difference_bytes", difference.difference()}});
    }
    all[kNames[by]] = std::move(list);
  }
  return all;
}

Json member_json(const SnapshotSet& set, std::uint32_t index) {
  const SnapshotMember& member = set.members[index];
  const SnapshotSums& sums = member.sums;
  Json failed;
  if (sums.out_of_memory) {
    const SumOutOfMemory& first = *sums.out_of_memory;
    failed = {{"event", first.event},
              {"unix_us", time_json(first.time_us)},
              {"asked_bytes", first.asked},
              {"device_free_bytes", first.device_free},
              {"times", first.times}};
  }
  return {{"name", set.names[index].str()},
          {"file", member.file},
          {"rank", member.rank < 0 ? Json() : Json(member.rank)},
          {"gpu", sums.device},
          {"whole", member.whole},
          {"outlier", static_cast<bool>(set.outlier[index])},
          {"out_of_memory", std::move(failed)},
          {"peak_bytes", sums.peak_bytes},
          {"difference_bytes", set.difference(index)},
          {"peak_event", sums.peak_event},
          {"peak_unix_us", time_json(sums.peak_us)},
          {"allocations_at_peak", sums.peak_count},
          {"reserved_peak_bytes", sums.reserved_peak_bytes},
          {"reserved_end_bytes", sums.reserved_end_bytes},
          {"events", sums.events},
          {"begin_unix_us", time_json(sums.first_us)},
          {"end_unix_us", time_json(sums.last_us)},
          {"differences", differences_json(sums, set.members[set.median].sums)},
          {"notes", english_texts(sums.notes)}};
}

/// Returns one sentence per unreadable file and per kind of lost data in a file, and one on the GPUs that are
/// left out.
std::vector<std::string> set_problems(const std::vector<SnapshotFile>& files) {
  std::vector<std::string> problems;
  std::size_t small = 0;
  for (const SnapshotFile& file : files) {
    if (file.state == SnapshotFile::State::failed) problems.push_back(error_sentence(file.error, file.name));
    for (const Damage& entry : file.damage.entries()) {
      if (!drops_event(entry.reason) && !ends_early(entry.reason)) continue;
      problems.push_back(file.name + ": " + grouped(entry.count) + " " +
                         std::string(english(text_of(entry.reason, entry.count))));
    }
    small += file.small_gpus;
  }
  if (small > 0) {
    problems.push_back(
        "Devices excluded because their peak is below a tenth of the highest peak of their "
        "file: " +
        grouped(small));
  }
  return problems;
}

std::string signed_bytes(std::int64_t bytes) {
  return (bytes < 0 ? "-" : bytes > 0 ? "+" : "") + text_from_bytes(std::abs(bytes));
}

}  // namespace

ContainedTraces only_snapshots(ContainedTraces contained) {
  std::erase_if(contained.traces, [](const ContainedTrace& trace) { return !trace.snapshot; });
  return contained;
}

ReadSnapshots read_snapshots(const OpenOptions& options, const ContainedTraces& contained) {
  SnapshotSetLoader loader(contained.traces, options, category_rules_or_complaint().rules);
  loader.wait();
  const std::vector<SnapshotFile> files = loader.files();
  ReadSnapshots read;
  read.set = loaded_set(files);
  read.files = files.size();
  read.broken = failed_file_count(files);
  read.problems = set_problems(files);
  if (!contained.left_out.empty()) read.problems.push_back(contained.left_out);
  read.incomplete = read.broken > 0 || std::ranges::any_of(files, [](const SnapshotFile& file) {
                      return file.damage.drops_events() || truncation_sentence(file.damage).has_value();
                    });
  return read;
}

std::string snapshot_set_json(const std::filesystem::path& path, const ReadSnapshots& read) {
  const SnapshotSet& set = read.set;
  Json list = Json::array();
  for (const std::uint32_t i : set.order) list.push_back(member_json(set, i));
  Json json = {{"schema", kInfoSchema},
               {"kind", "snapshots"},
               {"file", path.string()},
               {"files", read.files},
               {"broken", read.broken},
               {"verdict", set_verdict(set, read.broken, byte_units()).str()},
               {"median", set.median == SnapshotSet::kNone ? Json() : Json(set.names[set.median].str())},
               {"typical", set.typical}};
  json["snapshots"] = std::move(list);
  json["notes"] = english_texts(set_notes(set));
  json["problems"] = read.problems;
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string snapshot_set_text(const std::filesystem::path& path, const ReadSnapshots& read) {
  const SnapshotSet& set = read.set;
  std::string out;
  add_line(out, "Snapshots", escaped(path.string()));
  add_line(out, "Files", grouped(read.files - read.broken) + " of " + grouped(read.files) + " read");
  add_line(out, "Verdict", escaped(set_verdict(set, read.broken, byte_units()).str()));
  if (set.median != SnapshotSet::kNone) {
    add_line(
        out, set.typical ? "Median" : "Reference",
        escaped(set.names[set.median].str()) + ", peak " + text_from_bytes(set.median_peak()) +
            (set.typical              ? ""
             : set.members.size() < 3 ? " (the lower one)"
                                      : " (the snapshot with the middle peak; not typical of the others)"));
    std::size_t columns = 8;
    const std::size_t shown = std::min(kMostShown, set.order.size());
    for (std::size_t i = 0; i < shown; ++i)
      columns = std::max(columns, columns_of(escaped(set.names[set.order[i]].str())));
    out += "\n  " + padded_right("Snapshot", columns) + padded_left("Peak", 12) +
           padded_left("Difference", 13) + padded_left("Reserved", 12) + "  Largest difference from the " +
           (set.typical ? "median\n" : "reference\n");
    for (std::size_t i = 0; i < shown; ++i) {
      const std::uint32_t index = set.order[i];
      const SnapshotSums& sums = set.members[index].sums;
      out += "  " + padded_right(escaped(set.names[index].str()), columns) +
             padded_left(text_from_bytes(sums.peak_bytes), 12) +
             padded_left(signed_bytes(set.difference(index)), 13) +
             padded_left(text_from_bytes(sums.reserved_peak_bytes), 12) + "  ";
      if (sums.out_of_memory) out += "OUT OF MEMORY  ";
      if (!set.members[index].whole) out += "TRUNCATED  ";
      const auto lines = differences(sums, set.members[set.median].sums, SumsBy::line);
      if (!lines.empty())
        out += signed_bytes(lines.front().difference()) + " " + escaped(lines.front().name.str());
      out += "\n";
    }
    if (set.order.size() > shown)
      out += "  and " + grouped(set.order.size() - shown) + " more: kinetoscope table snapshots\n";
  }
  for (const Message& note : set_notes(set)) add_line(out, "Note", escaped(note.str()));
  for (const std::string& problem : read.problems) out += escaped(problem) + "\n";
  return out;
}

}  // namespace kino
