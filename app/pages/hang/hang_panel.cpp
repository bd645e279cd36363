#include "app/pages/hang/hang_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/flight/flight_counters.hpp"

namespace kino {
namespace {

constexpr float kStackEm = 34;  // width of the call stacks

bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

std::string rank_text(std::int64_t rank) { return rank < 0 ? std::string("?") : std::to_string(rank); }

/// Returns the file name of a path.
std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

HangPanel::HangPanel(std::shared_ptr<const HangRecording> hang) : hang_(std::move(hang)) {
  const HangAnalysis& analysis = hang_->analysis;
  for (const FlightDump& dump : hang_->dumps) cells_.push_back(group_cells(dump, analysis.groups));
  for (const WaitingGroup& group : analysis.groups) {
    group_titles_.push_back((group.description.empty() ? "?" : group.description) + " [" +
                            in_language(ranks_text(group.ranks)) + "]");
  }
  for (const bool blamed : {true, false}) {
    for (std::size_t d = 0; d < hang_->dumps.size(); ++d) {
      if (is_straggler(hang_->dumps[d].rank) == blamed) rows_.push_back(d);
    }
  }
  // Groups with missing or stuck ranks come first, because not all groups may fit: ImGui's tables have at
  // most 64 columns.
  constexpr std::size_t kMostGroups = 60;
  for (const bool blamed : {true, false}) {
    for (std::size_t g = 0; g < analysis.groups.size() && shown_groups_.size() < kMostGroups; ++g) {
      const WaitingGroup& group = analysis.groups[g];
      if ((group.missing.empty() && group.stuck.empty()) != blamed) shown_groups_.push_back(g);
    }
  }
  verdict_ = hang_verdict(analysis);
  stood_ = hang_time_text(analysis);
  statuses_ = status_lines(analysis.statuses);
  constexpr std::size_t kMostBeside = 4;
  for (std::size_t i = 0; i < std::min(hang_->beside.size(), kMostBeside); ++i)
    beside_.append(i > 0 ? ", " : "").append(escaped(hang_->beside[i]));
  if (hang_->beside.size() > kMostBeside) beside_ += ", +" + grouped(hang_->beside.size() - kMostBeside);
  const auto first_of = [&](bool straggler) {
    const auto found = std::ranges::find_if(analysis.outstanding, [&](const Outstanding& operation) {
      return is_straggler(operation.rank) == straggler;
    });
    return static_cast<std::size_t>(found - analysis.outstanding.begin());
  };
  waiting_ = first_of(false);
  first_ = first_of(true);
  if (first_ >= analysis.outstanding.size()) first_ = waiting_;
  selected_ = first_;
}

bool HangPanel::is_straggler(std::int64_t rank) const {
  return hang_->analysis.missing.contains(rank) || hang_->analysis.stuck.contains(rank);
}

std::optional<std::size_t> HangPanel::dump_of(const Trace& trace) const {
  for (std::size_t d = 0; d < hang_->dumps.size(); ++d) {
    if (is_same_run(trace, hang_->dumps[d], hang_->analysis.newest_ns)) return d;
  }
  return std::nullopt;
}

void HangPanel::set_open_traces(std::span<const OpenTrace> traces) {
  traces_.assign(hang_->dumps.size(), {});
  for (const OpenTrace& open : traces) {
    const std::optional<std::size_t> dump = dump_of(*open.trace);
    if (dump && traces_[*dump].document == 0) traces_[*dump] = {open.document, open.title};
  }
}

std::optional<CountersOfRun> HangPanel::counters_for(const Trace& trace) const {
  const std::optional<std::size_t> dump = dump_of(trace);
  if (!dump) return std::nullopt;
  const std::string& file = hang_->dumps[*dump].file;
  return CountersOfRun{hang_, file,
                       [hang = hang_, dump = *dump, file](const Trace& of, const std::stop_token& stop) {
                         return flight_counters(of, hang->dumps[dump], hang->analysis.newest_ns, file, stop);
                       }};
}

// A folder with dumps and other recordings opens as two tabs. The tab of the dumps gets a path of its own.
std::filesystem::path HangPanel::tab_path(const std::filesystem::path& file) const {
  if (hang_->beside.empty()) return file;
  const std::filesystem::path folder = file.has_filename() ? file : file.parent_path();
  return folder.parent_path() / filled(Text::hang_title, {folder.filename().string()});
}

void HangPanel::draw_content(const PageFrame& frame, ImVec2 /*at*/, ImVec2 /*size*/) {
  link_ = {};
  draw_head(frame);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float rows = static_cast<float>(hang_->dumps.size() + 3) * table_row_height();
  const float matrix = std::floor(std::min(rows, room.y * 0.55F));
  draw_matrix(frame, matrix);
  const float below = std::max(1.0F, ImGui::GetContentRegionAvail().y);
  const float stacks = std::min(room.x * 0.5F, kStackEm * ImGui::GetFontSize());
  draw_outstanding(frame, room.x - stacks - ImGui::GetStyle().ItemSpacing.x, below);
  ImGui::SameLine();
  draw_stacks(frame, below);
}

void HangPanel::draw_head(const PageFrame& frame) const {
  const Theme& theme = *frame.theme;
  const bool straggler = !hang_->analysis.suspects().empty();
  ImGui::Spacing();
  ImGui::Indent(10 * frame.scale);
  ImGui::PushFont(heading_font());
  wrapped_text(straggler ? theme.error : theme.text, in_language(verdict_));
  ImGui::PopFont();
  if (!stood_.empty()) wrapped_text(theme.text, in_language(stood_));
  const HangAnalysis& analysis = hang_->analysis;
  wrapped_text(theme.text_dim,
               filled(Text::hang_facts, {grouped(hang_->dumps.size()), grouped(analysis.outstanding_groups),
                                         grouped(analysis.outstanding.size())}));
  if (!beside_.empty()) wrapped_text(theme.text_dim, filled(Text::hang_beside, {beside_}));
  for (const std::string& problem : hang_->problems) wrapped_text(theme.warning, escaped(problem));
  for (const Mismatch& mismatch : hang_->analysis.mismatches) {
    std::string text;
    for (const auto& [what, ranks] : mismatch.ranks)
      text += (text.empty() ? "" : "; ") + what + ": " + in_language(ranks_text(ranks));
    wrapped_text(theme.warning,
                 filled(Text::hang_mismatch, {in_language(text_of(mismatch.kind)), mismatch.description,
                                              std::to_string(mismatch.sequence), escaped(text)}));
  }
  ImGui::Unindent(10 * frame.scale);
  ImGui::Spacing();
}

void HangPanel::draw_matrix(const PageFrame& frame, float height) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_BordersOuter | ImGuiTableFlags_Resizable;
  const std::size_t groups = shown_groups_.size();
  const auto columns = static_cast<int>(groups) + 2;
  if (!ImGui::BeginTable("matrix", columns, kFlags, {0, height})) return;
  const float em = ImGui::GetFontSize();
  ImGui::TableSetupScrollFreeze(2, 1);
  ImGui::TableSetupColumn(tr(Text::job_column_rank), ImGuiTableColumnFlags_WidthFixed, 4 * em);
  ImGui::TableSetupColumn(tr(Text::hang_state), ImGuiTableColumnFlags_WidthFixed, 9 * em);
  for (std::size_t g = 0; g < groups; ++g) {
    ImGui::TableSetupColumn(group_titles_[shown_groups_[g]].c_str(), ImGuiTableColumnFlags_WidthFixed,
                            13 * em);
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int column = 0; column < columns; ++column) {
    ImGui::TableSetColumnIndex(column);
    const char* const name = ImGui::TableGetColumnName(column);
    ImGui::TableHeader(name);
    if (column >= 2 && ImGui::IsItemHovered()) {
      const WaitingGroup& group = hang_->analysis.groups[shown_groups_[static_cast<std::size_t>(column) - 2]];
      ImGui::SetTooltip("%s\n%s %lld", name, group.operation.c_str(), static_cast<long long>(group.sequence));
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(hang_->dumps.size()), table_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const std::size_t dump = rows_[static_cast<std::size_t>(row)];
      const std::int64_t rank = hang_->dumps[dump].rank;
      const bool missing = hang_->analysis.missing.contains(rank);
      const bool stuck = hang_->analysis.stuck.contains(rank);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      fitted_text(missing || stuck ? frame.theme->error : frame.theme->text, rank_text(rank));
      ImGui::TableNextColumn();
      const Text state = missing ? Text::hang_missing : stuck ? Text::hang_stuck : Text::hang_waiting;
      const bool blamed = missing || stuck;
      const bool silent = !blamed && has(hang_->analysis.silent, rank);
      const bool idle = !blamed && has(hang_->analysis.idle, rank);
      fitted_text(blamed ? frame.theme->error : frame.theme->text_dim, tr(silent ? Text::hang_silent
                                                                          : idle ? Text::hang_idle
                                                                                 : state));
      for (std::size_t g = 0; g < groups; ++g) {
        ImGui::TableNextColumn();
        draw_cell(frame, dump, shown_groups_[g]);
      }
    }
  }
  ImGui::EndTable();
}

void HangPanel::draw_cell(const PageFrame& frame, std::size_t dump, std::size_t group) {
  const GroupCell& cell = cells_[dump][group];
  if (!cell.member) return;
  const WaitingGroup& waiting = hang_->analysis.groups[group];
  const std::int64_t rank = hang_->dumps[dump].rank;
  const bool missing = has(waiting.missing, rank);
  const bool stuck = has(waiting.stuck, rank);
  const Theme& theme = *frame.theme;
  if (missing || stuck) ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, with_alpha(theme.error, 70));
  const auto number = [](std::int64_t value) { return value < 0 ? std::string("?") : std::to_string(value); };
  std::string text = number(cell.last_completed) + " / " + number(cell.last_enqueued);
  if (missing) text = tr(Text::hang_missing);
  colored_text(missing || stuck ? theme.text : theme.text_dim, text);
  if (cell.outstanding > 0) {
    ImGui::SameLine();
    colored_text(stuck ? theme.text : theme.accent, "+" + grouped(cell.outstanding));
  }
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", filled(Text::hang_cell, {number(cell.last_completed), number(cell.last_enqueued),
                                                     grouped(cell.outstanding)})
                                .c_str());
  }
}

void HangPanel::draw_outstanding(const PageFrame& frame, float width, float height) {
  const std::vector<Outstanding>& list = hang_->analysis.outstanding;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_BordersOuter |
                                     ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("outstanding", 6, kFlags, {std::max(1.0F, width), height})) return;
  const float em = ImGui::GetFontSize();
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(tr(Text::job_column_rank), ImGuiTableColumnFlags_WidthFixed, 4 * em);
  ImGui::TableSetupColumn(tr(Text::hang_before_newest), ImGuiTableColumnFlags_WidthFixed, 6 * em);
  ImGui::TableSetupColumn(tr(Text::hang_operation), ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn(tr(Text::hang_group), ImGuiTableColumnFlags_WidthStretch, 4);
  ImGui::TableSetupColumn(tr(Text::hang_sequence), ImGuiTableColumnFlags_WidthFixed, 5 * em);
  ImGui::TableSetupColumn(tr(Text::hang_sizes), ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(list.size()), table_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const Outstanding& operation = list[static_cast<std::size_t>(row)];
      const FlightDump& dump = hang_->dumps[operation.dump];
      const FlightEntry& entry = dump.entries[operation.entry];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(row);
      const bool chosen = selected_ == static_cast<std::size_t>(row);
      if (ImGui::Selectable(rank_text(operation.rank).c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns))
        selected_ = static_cast<std::size_t>(row);
      ImGui::PopID();
      ImGui::TableNextColumn();
      const bool aged = entry.created_ns > 0;
      fitted_text(frame.theme->text,
                  aged ? text_from_duration(hang_->analysis.newest_ns - entry.created_ns) : "?");
      ImGui::TableNextColumn();
      fitted_text(is_straggler(operation.rank) ? frame.theme->error : frame.theme->text,
                  operation_text(dump, entry));
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text_dim, dump.groups[entry.group].description);
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text, std::to_string(entry.sequence));
      ImGui::TableNextColumn();
      fitted_text(frame.theme->text_dim, entry.input_sizes + " " + entry.dtypes);
    }
  }
  ImGui::EndTable();
}

// Draws a button that opens the rank's trace. It shows the interval from shortly before the operation was
// enqueued to shortly after the newest entry of all dumps.
void HangPanel::draw_link(const Outstanding& operation) {
  const FlightEntry& entry = hang_->dumps[operation.dump].entries[operation.entry];
  if (operation.dump >= traces_.size() || traces_[operation.dump].document == 0 || entry.created_ns <= 0)
    return;
  const TraceOfRank& trace = traces_[operation.dump];
  ImGui::PushID(static_cast<int>(operation.dump));
  if (ImGui::SmallButton(escaped(filled(Text::hang_show_in, {trace.title})).c_str())) {
    constexpr std::int64_t kLeastNs = 1'000'000;
    const std::int64_t length = std::max(hang_->analysis.newest_ns - entry.created_ns, kLeastNs);
    requests_.emplace_back(
        ShowInterval{trace.document, entry.created_ns - length / 10, entry.created_ns + length});
  }
  const ImVec2 corner = ImGui::GetItemRectMin();
  link_ = {corner.x + ImGui::GetItemRectSize().x / 2, corner.y + ImGui::GetItemRectSize().y / 2};
  ImGui::PopID();
}

void HangPanel::draw_entry(const PageFrame& frame, std::size_t outstanding) {
  const std::vector<Outstanding>& list = hang_->analysis.outstanding;
  if (outstanding >= list.size()) return;
  const Outstanding& operation = list[outstanding];
  const FlightEntry& entry = hang_->dumps[operation.dump].entries[operation.entry];
  colored_text(is_straggler(operation.rank) ? frame.theme->error : frame.theme->accent,
               filled(Text::hang_stack_of,
                      {rank_text(operation.rank), operation_text(hang_->dumps[operation.dump], entry)}));
  draw_link(operation);
  if (entry.frames.empty()) wrapped_text(frame.theme->text_dim, tr(Text::hang_no_stack));
  ImGui::PushFont(mono_font());
  for (const FlightFrame& at : entry.frames) {
    wrapped_text(frame.theme->text,
                 escaped(at.function + "  " + std::string(file_of(at.file)) + ":" + std::to_string(at.line)));
  }
  ImGui::PopFont();
  ImGui::Spacing();
}

void HangPanel::draw_stacks(const PageFrame& frame, float height) {
  if (!ImGui::BeginChild("stacks", {0, height}, true)) {
    ImGui::EndChild();
    return;
  }
  for (const std::int64_t rank : hang_->analysis.idle) {
    if (is_straggler(rank))
      wrapped_text(frame.theme->error, filled(Text::hang_no_outstanding, {rank_text(rank)}));
  }
  for (const Message& line : statuses_) wrapped_text(frame.theme->text, escaped(in_language(line)));
  draw_entry(frame, selected_);
  if (waiting_ != selected_) draw_entry(frame, waiting_);
  for (const Messages& between : hang_->analysis.messages) {
    wrapped_text(frame.theme->text_dim,
                 filled(Text::hang_messages, {rank_text(between.from), rank_text(between.to),
                                              grouped(between.sends), grouped(between.receives)}));
  }
  ImGui::EndChild();
}

void HangPanel::write_test_state(nlohmann::ordered_json& json) const {
  json["verdict"] = verdict_.str();
  json["statuses"] = english_texts(statuses_);
  json["culprits"] = hang_->analysis.suspects();
  json["groups"] = group_titles_.size();
  json["link"] = link_;
  json["beside"] = hang_->beside;
  json["outstanding"] = hang_->analysis.outstanding.size();
}

}  // namespace kino
