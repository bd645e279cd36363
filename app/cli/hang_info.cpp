#include "app/cli/hang_info.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/text/columns_of_text.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

Json votes_json(const std::map<std::int64_t, std::uint64_t>& votes) {
  Json json = Json::object();
  for (const auto& [rank, groups] : votes) json[std::to_string(rank)] = groups;
  return json;
}

Json groups_json(const HangAnalysis& analysis) {
  Json list = Json::array();
  for (const WaitingGroup& group : analysis.groups) {
    list.push_back({{"group", group.description},
                    {"ranks", group.ranks},
                    {"seq", group.sequence},
                    {"op", group.operation},
                    {"waiting", group.waiting},
                    {"missing", group.missing},
                    {"stuck", group.stuck},
                    {"no_dump", group.no_dump}});
  }
  return list;
}

Json mismatches_json(const HangAnalysis& analysis) {
  Json list = Json::array();
  for (const Mismatch& mismatch : analysis.mismatches) {
    Json ranks = Json::array();
    for (const auto& [what, of] : mismatch.ranks) ranks.push_back({{"does", what}, {"ranks", of}});
    list.push_back({{"kind", text_of(mismatch.kind)},
                    {"group", mismatch.description},
                    {"seq", mismatch.sequence},
                    {"ranks", ranks}});
  }
  return list;
}

Json outstanding_json(const HangRecording& hang) {
  Json list = Json::array();
  for (const Outstanding& it : hang.analysis.outstanding) {
    const FlightDump& dump = hang.dumps[it.dump];
    const FlightEntry& entry = dump.entries[it.entry];
    Json frames = Json::array();
    for (const FlightFrame& frame : entry.frames)
      frames.push_back({{"name", frame.function}, {"filename", frame.file}, {"line", frame.line}});
    list.push_back(
        {{"rank", it.rank},
         {"group", dump.groups[entry.group].description},
         {"seq", entry.sequence},
         {"op", entry.operation},
         {"state", entry.state == FlightState::started ? "started" : "scheduled"},
         {"created_ns", entry.created_ns},
         {"age_ns", entry.created_ns > 0 ? Json(hang.analysis.newest_ns - entry.created_ns) : Json()},
         {"input_sizes", entry.input_sizes},
         {"dtypes", entry.dtypes},
         {"frames", frames}});
  }
  return list;
}

Json messages_json(const HangAnalysis& analysis) {
  Json list = Json::array();
  for (const Messages& it : analysis.messages)
    list.push_back({{"from", it.from}, {"to", it.to}, {"sends", it.sends}, {"receives", it.receives}});
  return list;
}

void add_groups(std::string& out, const HangAnalysis& analysis) {
  for (const WaitingGroup& group : analysis.groups) {
    out += "  " + escaped(group.description) + " [" + ranks_text(group.ranks) +
           "]: " + escaped(group.operation) + " " + std::to_string(group.sequence) + ", waiting " +
           ranks_text(group.waiting);
    if (!group.missing.empty()) out += ", missing " + ranks_text(group.missing);
    if (!group.stuck.empty()) out += ", stuck " + ranks_text(group.stuck);
    if (!group.no_dump.empty()) out += ", without a dump " + ranks_text(group.no_dump);
    out += "\n";
  }
}

}  // namespace

std::string hang_info_json(const std::filesystem::path& path, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  Json ranks = Json::array();
  Json activity = Json::object();
  for (const FlightDump& dump : hang.dumps) {
    ranks.push_back({{"rank", dump.rank < 0 ? Json() : Json(dump.rank)},
                     {"file", dump.file},
                     {"version", dump.version},
                     {"nccl_version", dump.nccl_version},
                     {"entries", dump.entries.size()}});
  }
  for (const auto& [rank, time] : analysis.last_activity_ns) activity[std::to_string(rank)] = time;
  const Json json = {{"schema", kInfoSchema},
                     {"kind", "hang"},
                     {"file", path.string()},
                     {"ranks", ranks},
                     {"problems", hang.problems},
                     {"beside", hang.beside},
                     {"hang",
                      {{"verdict", hang_verdict(analysis)},
                       {"culprits", analysis.culprits()},
                       {"missing", votes_json(analysis.missing)},
                       {"stuck", votes_json(analysis.stuck)},
                       {"groups", groups_json(analysis)},
                       {"mismatches", mismatches_json(analysis)},
                       {"messages", messages_json(analysis)},
                       {"nothing_outstanding", analysis.idle},
                       {"no_dump", analysis.no_dump},
                       {"last_activity_ns", activity},
                       {"outstanding", outstanding_json(hang)}}}};
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string hang_info_text(const std::filesystem::path& path, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  std::string out;
  add_line(out, "File", escaped(path.string()));
  add_line(out, "What", grouped(hang.dumps.size()) + " dumps of NCCL's flight recorder");
  add_line(out, "Verdict", hang_verdict(analysis));
  add_line(out, "Outstanding",
           grouped(analysis.outstanding.size()) +
               " operations; groups that wait: " + grouped(analysis.groups.size()));
  if (!analysis.idle.empty()) add_line(out, "Nothing on", "ranks " + ranks_text(analysis.idle));
  add_groups(out, analysis);
  for (const Mismatch& mismatch : analysis.mismatches) {
    out += "  Mismatch of " + std::string(text_of(mismatch.kind)) + " in " + escaped(mismatch.description) +
           " " + std::to_string(mismatch.sequence) + ":";
    for (const auto& [what, ranks] : mismatch.ranks)
      out += " " + escaped(what) + " on " + ranks_text(ranks) + ";";
    out.back() = '\n';
  }
  for (const Messages& it : analysis.messages) {
    if (it.sends == it.receives) continue;
    out += "  From rank " + std::to_string(it.from) + " to " + std::to_string(it.to) + ": " +
           grouped(it.sends) + " sends and " + grouped(it.receives) + " receives are outstanding\n";
  }
  if (!hang.beside.empty()) {
    add_line(out, "Beside",
             grouped(hang.beside.size()) + " traces or snapshots: `kinetoscope info " +
                 escaped(hang.beside.front()) + "`, or `kinetoscope table ranks` of the folder");
  }
  for (const std::string& problem : hang.problems) add_line(out, "Problem", escaped(problem));
  return out;
}

}  // namespace kino
