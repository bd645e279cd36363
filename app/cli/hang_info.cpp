#include "app/cli/hang_info.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/messages/message.hpp"
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
    for (const auto& [what, members] : mismatch.ranks) ranks.push_back({{"does", what}, {"ranks", members}});
    list.push_back({{"kind", english(text_of(mismatch.kind))},
                    {"group", mismatch.description},
                    {"seq", mismatch.sequence},
                    {"ranks", ranks}});
  }
  return list;
}

Json outstanding_json(const HangRecording& hang) {
  Json list = Json::array();
  for (const Outstanding& outstanding : hang.analysis.outstanding) {
    const FlightDump& dump = hang.dumps[outstanding.dump];
    const FlightEntry& entry = dump.entries[outstanding.entry];
    Json frames = Json::array();
    for (const FlightFrame& frame : entry.frames)
      frames.push_back({{"name", frame.function}, {"filename", frame.file}, {"line", frame.line}});
    list.push_back(
        {{"rank", outstanding.rank},
         {"group", dump.groups[entry.group].description},
         {"seq", entry.sequence},
         {"op", operation_text(dump, entry)},
         {"state", entry.state == FlightState::started ? "started" : "scheduled"},
         {"created_ns", entry.created_ns},
         {"before_newest_ns",
          entry.created_ns > 0 ? Json(hang.analysis.newest_ns - entry.created_ns) : Json()},
         {"age_ns", entry.created_ns > 0 ? Json(hang.analysis.newest_ns - entry.created_ns) : Json()},
         {"input_sizes", entry.input_sizes},
         {"dtypes", entry.dtypes},
         {"frames", frames}});
  }
  return list;
}

Json statuses_json(const HangAnalysis& analysis) {
  const auto known = [](std::int64_t number) { return number < 0 ? Json() : Json(number); };
  Json list = Json::array();
  for (const GroupStatus& status : analysis.statuses) {
    const std::optional<std::int64_t> behind = status.behind();
    list.push_back({{"rank", known(status.rank)},
                    {"group", status.description},
                    {"ranks", status.ranks},
                    {"last_enqueued", known(status.last_enqueued)},
                    {"last_started", known(status.last_started)},
                    {"last_completed", known(status.last_completed)},
                    {"behind", behind ? Json(*behind) : Json()}});
  }
  return list;
}

Json stood_json(const HangTime& time) {
  constexpr std::array<const char*, 3> kBases{"unknown", "files", "timeout"};
  return {{"duration_ns", time.hung_ns >= 0 ? Json(time.hung_ns) : Json()},
          {"basis", kBases[static_cast<std::size_t>(time.basis)]},
          {"timeout_ms", time.timeout_ms >= 0 ? Json(time.timeout_ms) : Json()}};
}

Json messages_json(const HangAnalysis& analysis) {
  Json list = Json::array();
  for (const Messages& messages : analysis.messages) {
    list.push_back({{"from", messages.from},
                    {"to", messages.to},
                    {"sends", messages.sends},
                    {"receives", messages.receives}});
  }
  return list;
}

void add_groups(std::string& out, const HangAnalysis& analysis) {
  for (const WaitingGroup& group : analysis.groups) {
    out += "  " + escaped(group.description) + " [" + ranks_text(group.ranks).str() +
           "]: " + escaped(group.operation) + " " + std::to_string(group.sequence);
    const auto add = [&](const char* what, const std::vector<std::int64_t>& ranks) {
      if (!ranks.empty()) out += std::string("; ") + what + ": " + ranks_with_noun(ranks).str();
    };
    std::vector<std::int64_t> empty;
    std::vector<std::int64_t> none;
    for (const std::int64_t rank : group.no_dump)
      (std::ranges::binary_search(analysis.silent, rank) ? empty : none).push_back(rank);
    add("waiting", group.waiting);
    add("missing", group.missing);
    add("stuck", group.stuck);
    add("empty dump", empty);
    add("no dump", none);
    out += "\n";
  }
}

/// Returns a text such as "2 sends and 1 receive are outstanding"; counts of 0 are left out.
std::string outstanding_messages(const Messages& messages) {
  const auto counted = [](std::uint64_t count, const char* what) {
    return count == 0 ? std::string() : counted_noun(count, what);
  };
  const std::string sends = counted(messages.sends, "send");
  const std::string receives = counted(messages.receives, "receive");
  const char* const verb = messages.sends + messages.receives == 1 ? " is" : " are";
  return sends + (sends.empty() || receives.empty() ? "" : " and ") + receives + verb + " outstanding";
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
                      {{"verdict", hang_verdict(analysis).str()},
                       {"culprits", analysis.suspects()},
                       {"missing", votes_json(analysis.missing)},
                       {"stuck", votes_json(analysis.stuck)},
                       {"groups", groups_json(analysis)},
                       {"mismatches", mismatches_json(analysis)},
                       {"messages", messages_json(analysis)},
                       {"nothing_outstanding", analysis.idle},
                       {"no_operations", analysis.silent},
                       {"statuses_without_entries", statuses_json(analysis)},
                       {"stood", stood_json(analysis.time)},
                       {"no_dump", analysis.no_dump},
                       {"last_activity_ns", activity},
                       {"outstanding", outstanding_json(hang)}}}};
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

int hang_exit_code(const HangRecording& hang, bool strict) {
  const bool incomplete =
      !hang.problems.empty() || !hang.analysis.no_dump.empty() || !hang.analysis.silent.empty();
  return strict && incomplete ? 1 : 0;
}

std::string hang_info_text(const std::filesystem::path& path, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  std::string out;
  add_line(out, "File", escaped(path.string()));
  add_line(out, "Type", counted_noun(hang.dumps.size(), "dump") + " of the NCCL flight recorder");
  add_line(out, "Verdict", hang_verdict(analysis).str());
  if (const Message stood = hang_time_text(analysis); !stood.empty())
    add_line(out, "No progress", stood.str());
  add_line(out, "Outstanding",
           counted_noun(analysis.outstanding.size(), "operation") + " in " +
               counted_noun(analysis.outstanding_groups, "group") +
               "; groups waiting in a collective: " + grouped(analysis.groups.size()));
  if (!analysis.silent.empty()) {
    add_line(
        out, "Empty",
        (analysis.silent.size() == 1 ? "dump of " : "dumps of ") + ranks_with_noun(analysis.silent).str());
  }
  if (analysis.entries > 0 && !analysis.idle.empty())
    add_line(out, "Idle", "no outstanding operation on " + ranks_with_noun(analysis.idle).str());
  for (const Message& line : status_lines(analysis.statuses)) add_line(out, "Status", escaped(line.str()));
  add_groups(out, analysis);
  for (const Mismatch& mismatch : analysis.mismatches) {
    out += "  Mismatch of " + std::string(english(text_of(mismatch.kind))) + " in " +
           escaped(mismatch.description) + " " + std::to_string(mismatch.sequence) + ":";
    for (const auto& [what, ranks] : mismatch.ranks)
      out += " " + escaped(what) + " on " + ranks_text(ranks).str() + ";";
    out.back() = '\n';
  }
  for (const Messages& messages : analysis.messages) {
    if (messages.sends == messages.receives) continue;
    out += "  From rank " + std::to_string(messages.from) + " to rank " + std::to_string(messages.to) + ": " +
           outstanding_messages(messages) + "\n";
  }
  if (!hang.beside.empty()) {
    add_line(out, "Also here",
             counted_noun(hang.beside.size(), "trace or snapshot", "traces or snapshots") +
                 ": `kinetoscope info " + escaped(hang.beside.front()) +
                 "`, or `kinetoscope table ranks` for the folder");
  }
  for (const std::string& problem : hang.problems) add_line(out, "Problem", escaped(problem));
  return out;
}

}  // namespace kino
