#include "app/pages/hang/hang_content.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/flight/hang_process.hpp"
#include "core/job/flight/hang_sentences.hpp"

namespace kino {
namespace {

using PartKind = HangPart::Kind;

constexpr std::size_t kMostRows = 24;
constexpr std::size_t kMostProcesses = 3;

std::string shown(const Message& message) { return escaped(in_language(message)); }

std::string rank_title(std::int64_t rank) {
  return filled(Text::job_rank, {rank < 0 ? "?" : std::to_string(rank)});
}

/// Adds sections and rows, with the results of clicks.
class ContentBuilder {
 public:
  explicit ContentBuilder(std::string title) { out_.content.title = std::move(title); }

  InspectorSection& section(std::string title = {}) {
    out_.targets.emplace_back();
    return out_.content.sections.emplace_back(InspectorSection{.title = std::move(title)});
  }
  /// Adds a row to the last section, unless it has kMostRows. Without a target, the row is not a link.
  void row(std::string name, std::string amount, std::optional<HangContent::Target> target = {}) {
    std::vector<InspectorRow>& rows = out_.content.sections.back().rows;
    if (rows.size() >= kMostRows) {
      ++left_out_;
      return;
    }
    rows.push_back({std::move(name), std::move(amount), target.has_value()});
    out_.targets.back().push_back(target.value_or(HangContent::Target{}));
  }
  /// If rows were left out of the last section, adds a row with their number.
  void end_rows() {
    if (left_out_ == 0) return;
    out_.content.sections.back().rows.push_back({filled(Text::and_more, {grouped(left_out_)}), {}, false});
    out_.targets.back().emplace_back();
    left_out_ = 0;
  }
  HangContent take() { return std::move(out_); }

 private:
  HangContent out_;
  std::size_t left_out_ = 0;
};

std::string operation_title(const HangRecording& hang, std::size_t outstanding) {
  const Outstanding& operation = hang.analysis.outstanding[outstanding];
  const FlightDump& dump = hang.dumps[operation.dump];
  const FlightEntry& entry = dump.entries[operation.entry];
  return escaped(operation_text(dump, entry)) + " " +
         (entry.sequence < 0 ? std::string("?") : std::to_string(entry.sequence));
}

void add_stack(ContentBuilder& builder, const HangRecording& hang, std::size_t outstanding, Text title) {
  const Outstanding& operation = hang.analysis.outstanding[outstanding];
  const FlightEntry& entry = hang.dumps[operation.dump].entries[operation.entry];
  InspectorSection& section = builder.section(tr(title));
  for (const FlightFrame& at : entry.frames) {
    const std::string_view file = std::string_view(at.file).substr(at.file.rfind('/') + 1);
    section.text += (section.text.empty() ? "" : "\n") +
                    escaped(at.function + "  " + std::string(file) + ":" + std::to_string(at.line));
  }
  if (section.text.empty()) section.text = tr(Text::hang_no_stack);
}

void add_process(ContentBuilder& builder, const RankProcess& process) {
  InspectorSection& section = builder.section();
  section.text = shown(process_text(process));
  section.code = stack_command(process);
}

void add_overview(ContentBuilder& builder, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  builder.section().text = shown(joined_sentences({hang_verdict(analysis), hang_time_text(analysis)}));
  const std::vector<RankProcess> processes = processes_to_inspect(hang);
  if (!processes.empty()) builder.section(tr(Text::hang_stacks_to_take));
  for (std::size_t i = 0; i < std::min(processes.size(), kMostProcesses); ++i)
    add_process(builder, processes[i]);
  if (!analysis.groups.empty()) builder.section(tr(Text::hang_waiting_groups));
  for (std::size_t g = 0; g < analysis.groups.size(); ++g) {
    builder.row(shown(waiting_operation_text(analysis.groups[g])), {},
                HangContent::Target{{.kind = PartKind::group, .group = g}});
  }
  builder.end_rows();
  if (!analysis.statuses.empty()) builder.section(tr(Text::hang_statuses_title));
  for (const Message& line : status_lines(analysis.statuses)) builder.row(shown(line), {});
  builder.end_rows();
  if (!analysis.messages.empty()) builder.section(tr(Text::hang_messages_title));
  for (const Messages& between : analysis.messages) {
    builder.row(filled(Text::hang_messages, {std::to_string(between.from), std::to_string(between.to),
                                             grouped(between.sends), grouped(between.receives)}),
                {});
  }
  builder.end_rows();
}

void add_rank(ContentBuilder& builder, const HangRecording& hang, std::size_t dump) {
  const std::int64_t rank = hang.dumps[dump].rank;
  if (rank >= 0) add_process(builder, process_of(hang, rank));
  const std::vector<GroupCell> cells = group_cells(hang.dumps[dump], hang.analysis.groups);
  bool any = false;
  for (std::size_t g = 0; g < cells.size(); ++g) {
    if (!cells[g].member) continue;
    if (!std::exchange(any, true)) builder.section(tr(Text::hang_groups_of_rank));
    builder.row(shown(waiting_operation_text(hang.analysis.groups[g])),
                cells[g].outstanding > 0 ? "+" + grouped(cells[g].outstanding) : std::string(),
                HangContent::Target{{.kind = PartKind::cell, .dump = dump, .group = g}});
  }
  builder.end_rows();
  any = false;
  const std::optional<TimeColumn> ages = age_format(hang);
  for (std::size_t i = 0; i < hang.analysis.outstanding.size(); ++i) {
    if (hang.analysis.outstanding[i].dump != dump) continue;
    if (!std::exchange(any, true)) builder.section(tr(Text::hang_outstanding_of_rank));
    const Outstanding& operation = hang.analysis.outstanding[i];
    builder.row(operation_title(hang, i), age_text(hang, hang.dumps[dump].entries[operation.entry], ages),
                HangContent::Target{{.kind = PartKind::operation, .dump = dump, .outstanding = i}});
  }
  builder.end_rows();
}

void add_group(ContentBuilder& builder, const HangRecording& hang, std::size_t group) {
  const WaitingGroup& waiting = hang.analysis.groups[group];
  builder.section(tr(Text::hang_ranks));
  const auto add = [&](const std::vector<std::int64_t>& ranks, const std::string& state) {
    for (const std::int64_t rank : ranks) {
      const bool stuck = std::ranges::find(waiting.stuck, rank) != waiting.stuck.end();
      if (&ranks == &waiting.waiting && stuck) continue;
      const auto dump = std::ranges::find(hang.dumps, rank, &FlightDump::rank);
      std::optional<HangContent::Target> target;
      if (dump != hang.dumps.end()) {
        target = HangContent::Target{{.kind = PartKind::cell,
                                      .dump = static_cast<std::size_t>(dump - hang.dumps.begin()),
                                      .group = group}};
      }
      builder.row(rank_title(rank), state, target);
    }
  };
  add(waiting.missing, tr(Text::hang_missing));
  add(waiting.stuck, tr(Text::hang_stuck));
  add(waiting.waiting, tr(Text::hang_waiting));
  add(waiting.no_dump, in_language(msg::no_dump));
  builder.end_rows();
}

std::string title_of(const HangRecording& hang, const HangPart& part) {
  switch (part.kind) {
    case PartKind::overview:
      return tr(Text::hang_overview);
    case PartKind::rank:
      return rank_title(hang.dumps[part.dump].rank);
    case PartKind::group:
      return escaped(hang.analysis.groups[part.group].description);
    case PartKind::cell: {
      const std::int64_t rank = hang.dumps[part.dump].rank;
      return filled(Text::hang_rank_in_group, {rank < 0 ? "?" : std::to_string(rank),
                                               escaped(hang.analysis.groups[part.group].description)});
    }
    case PartKind::operation:
      break;
  }
  return tr(Text::hang_operation);
}

}  // namespace

std::optional<TimeColumn> age_format(const HangRecording& hang) {
  std::vector<std::int64_t> ages;
  ages.reserve(hang.analysis.outstanding.size());
  for (const Outstanding& operation : hang.analysis.outstanding) {
    const FlightEntry& entry = hang.dumps[operation.dump].entries[operation.entry];
    if (entry.created_ns > 0) ages.push_back(hang.analysis.newest_ns - entry.created_ns);
  }
  return TimeColumn::of(ages);
}

std::string age_text(const HangRecording& hang, const FlightEntry& entry,
                     const std::optional<TimeColumn>& format) {
  return entry.created_ns > 0 ? time_text_in(format, hang.analysis.newest_ns - entry.created_ns) : "?";
}

std::string hang_part_text(const HangRecording& hang, const HangPart& part) {
  switch (part.kind) {
    case PartKind::overview:
      break;
    case PartKind::rank:
      return shown(rank_sentences(hang, part.dump));
    case PartKind::group:
      return shown(group_sentences(hang, part.group));
    case PartKind::cell:
      return shown(cell_sentences(hang, part.dump, part.group));
    case PartKind::operation:
      return shown(operation_sentences(hang, part.outstanding));
  }
  return {};
}

HangContent hang_content(const HangRecording& hang, const HangPart& part, std::span<const std::string> traces,
                         std::size_t waiting) {
  ContentBuilder builder(title_of(hang, part));
  if (part.kind == PartKind::overview) {
    add_overview(builder, hang);
    return builder.take();
  }
  builder.section().text = hang_part_text(hang, part);
  switch (part.kind) {
    case PartKind::rank:
      add_rank(builder, hang, part.dump);
      break;
    case PartKind::group:
      add_group(builder, hang, part.group);
      break;
    case PartKind::cell:
      builder.section();
      builder.row(rank_title(hang.dumps[part.dump].rank), {},
                  HangContent::Target{{.kind = PartKind::rank, .dump = part.dump}});
      builder.row(shown(waiting_operation_text(hang.analysis.groups[part.group])), {},
                  HangContent::Target{{.kind = PartKind::group, .group = part.group}});
      break;
    case PartKind::operation: {
      const std::size_t dump = hang.analysis.outstanding[part.outstanding].dump;
      const std::int64_t created_ns =
          hang.dumps[dump].entries[hang.analysis.outstanding[part.outstanding].entry].created_ns;
      builder.section();
      builder.row(rank_title(hang.dumps[dump].rank), {},
                  HangContent::Target{{.kind = PartKind::rank, .dump = dump}});
      if (dump < traces.size() && !traces[dump].empty() && created_ns > 0) {
        builder.row(
            escaped(filled(Text::hang_show_in, {traces[dump]})), {},
            HangContent::Target{{.kind = PartKind::operation, .outstanding = part.outstanding}, true});
      }
      add_stack(builder, hang, part.outstanding, Text::hang_stack);
      if (waiting != part.outstanding && waiting < hang.analysis.outstanding.size())
        add_stack(builder, hang, waiting, Text::hang_stack_of_waiting);
      break;
    }
    case PartKind::overview:
      break;
  }
  builder.section();
  builder.row(tr(Text::hang_back_to_overview), {}, HangContent::Target{});
  return builder.take();
}

}  // namespace kino
