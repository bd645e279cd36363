#include "app/pages/query/sql_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>
#include <nlohmann/json.hpp>

#include "app/pages/query/result_track.hpp"
#include "app/pages/query/sql_examples.hpp"
#include "app/pages/query/sql_result.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostHistory = 50;
constexpr std::size_t kShownHistory = 90;  // bytes of an entry that the menu shows
constexpr std::size_t kShownWords = 12;
constexpr float kEditorShare = 0.42F;

std::span<const TableInfo* const> only_kind() {
  static constexpr std::array kKinds{&kSqlTable};
  return kKinds;
}

TableResults::Compute rows_of(std::shared_ptr<const QueryModel> model, std::shared_ptr<SlowReasons> slow,
                              std::function<void()> wake) {
  return [model = std::move(model), slow = std::move(slow), wake = std::move(wake)](
             const TableResultQuery& question, const std::stop_token& stop) {
    const auto write_test_state = [&](const Message& sentence) {
      slow->add(sentence);
      wake();
    };
    return sql_table(model, question.find, write_test_state, stop);
  };
}

/// Returns the start of a query in one line.
std::string one_line(std::string_view sql) {
  std::string line;
  for (const char c : head_of(sql, 4 * kShownHistory)) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : c;
  }
  if (line.size() > kShownHistory) {
    line.resize(head_of(line, kShownHistory).size());
    line += "…";
  }
  return line;
}

}  // namespace

SqlPage::SqlPage(const TimelineHost& host, std::shared_ptr<const EventDetails> details)
    : state_(host.state),
      page_requests_(host.page_requests),
      look_(host.look),
      pool_(host.pool),
      wake_(host.wake),
      details_(std::move(details)),
      file_(host.file.string()),
      tab_(only_kind(), {}, host.file, host.pool, host.wake),
      text_(sql_examples().front().sql) {}

const char* SqlPage::title() const { return tr(Text::tab_sql); }

std::string SqlPage::note() const {
  const TableResults::Rows* const rows = asked_.empty() ? nullptr : tab_.matching_rows();
  return rows != nullptr && rows->answer->problem.empty() ? grouped(rows->answer->table.row_count())
                                                          : std::string();
}

void SqlPage::ask(const std::string& sql) {
  state_.drawer.show(id());
  replaced_ = sql;
  run(sql);
}

/// Stops the current query and drops its rows, which may be many. Afterwards, the same SQL can be run again.
void SqlPage::begin_anew() {
  if (model_ == nullptr) model_ = std::make_shared<const QueryModel>(state_.trace, details_, file_);
  slow_ = std::make_shared<SlowReasons>();
  tab_.set_compute(rows_of(model_, slow_, wake_));
  asked_.clear();
}

void SqlPage::run(const std::string& sql) {
  if (sql.find_first_not_of(" \t\r\n") == std::string::npos) return;
  begin_anew();
  asked_ = sql;
  std::erase(history_, sql);
  history_.push_back(sql);
  if (history_.size() > kMostHistory) history_.erase(history_.begin());
}

void SqlPage::handle_keys(bool shown) {
  if (shown && command_pressed(CommandId::run_sql)) run(text_);
  if (shown && command_pressed(CommandId::clear_selection) && !tab_.complete()) begin_anew();
  tab_.handle_keys(shown);
}

void SqlPage::update(bool shown) {
  if (shown && !std::exchange(shown_before_, shown)) {
    focus_ = true;
    if (names_.value() == nullptr && !names_.running())
      names_.start(pool_, wake_, [](const std::stop_token&) { return query_tables(); });
  }
  shown_before_ = shown;
  names_.poll();
  std::optional<TableResultQuery> question;
  if (!asked_.empty()) {
    question.emplace();
    question->find = asked_;
  }
  tab_.update(shown && question.has_value(), question);
}

void SqlPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("sql", size, look);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::floor(room.x * kEditorShare);
  ImGui::BeginChild("query", {width, room.y});
  draw_tools(look);
  draw_editor(ImGui::GetContentRegionAvail(), look);
  ImGui::EndChild();
  ImGui::SameLine(0, 14 * look.scale);
  draw_result(ImGui::GetContentRegionAvail(), look);
  ImGui::EndChild();
}

void SqlPage::store_index_as(const NamedQuery& query) {
  if (const std::optional<Error> error = store_named_query(named_queries_path(), query))
    show_toast(in_language(error->what), true);
}

void SqlPage::draw_named() {
  ImGui::SameLine(0, 0);
  if (flat_button(tr(Text::sql_saved), nullptr)) {
    Result<std::vector<NamedQuery>> read = read_named_queries(named_queries_path());
    if (!read.ok()) show_toast(in_language(read.error().what), true);
    named_ = read.ok() ? std::move(*read) : std::vector<NamedQuery>();
    name_.clear();
    ImGui::OpenPopup("named");
  }
  named_place_ = item_center();
  if (!ImGui::BeginPopup("named")) return;
  if (popup_closed_by_escape()) return;
  for (const NamedQuery& query : named_) {
    ImGui::PushID(query.name.c_str());
    if (ImGui::MenuItem(escaped(query.name).c_str())) replaced_ = query.sql;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", escaped(one_line(query.sql)).c_str());
    if (ImGui::BeginPopupContextItem("forget")) {
      if (ImGui::MenuItem(escaped(filled(Text::sql_delete, {query.name})).c_str())) {
        store_index_as({query.name, {}});
        ImGui::CloseCurrentPopup();
      }
      ImGui::EndPopup();
    }
    ImGui::PopID();
  }
  if (!named_.empty()) ImGui::Separator();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(16 * ImGui::GetFontSize());
  bool keep = ImGui::InputTextWithHint("##name", tr(Text::sql_name_hint), &name_,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  keep = flat_button(tr(Text::sql_save), tr(Text::sql_save_hint)) || keep;
  if (keep && !name_.empty() && !text_.empty()) {
    store_index_as({name_, text_});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void SqlPage::draw_menus() {
  draw_named();
  ImGui::SameLine(0, 0);
  if (flat_button(tr(Text::sql_examples), nullptr)) ImGui::OpenPopup("examples");
  if (ImGui::BeginPopup("examples")) {
    if (popup_closed_by_escape()) return;
    for (const SqlExample& example : sql_examples()) {
      if (ImGui::MenuItem(tr(example.title))) replaced_ = std::string(example.sql);
    }
    ImGui::EndPopup();
  }
  ImGui::SameLine(0, 0);
  if (flat_button(tr(Text::sql_tables), nullptr)) ImGui::OpenPopup("names");
  if (ImGui::BeginPopup("names")) {
    if (popup_closed_by_escape()) return;
    if (const std::vector<SqlTableName>* const tables = names_.value()) {
      for (const SqlTableName& table : *tables) {
        if (ImGui::MenuItem(table.name.c_str())) replaced_ = "SELECT * FROM " + table.name + " LIMIT 1000";
        if (!ImGui::IsItemHovered()) continue;
        std::string columns;
        for (const std::string& column : table.columns) columns += (columns.empty() ? "" : ", ") + column;
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(ImGui::GetFontSize() * 30);
        ImGui::TextUnformatted(columns.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
      }
    }
    ImGui::EndPopup();
  }
  if (history_.empty()) return;
  ImGui::SameLine(0, 0);
  if (flat_button(tr(Text::sql_history), nullptr)) ImGui::OpenPopup("history");
  if (!ImGui::BeginPopup("history")) return;
  if (popup_closed_by_escape()) return;
  for (std::size_t i = history_.size(); i-- > 0;) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::MenuItem(escaped(one_line(history_[i])).c_str())) replaced_ = history_[i];
    ImGui::PopID();
  }
  ImGui::EndPopup();
}

void SqlPage::draw_tools(const DrawContext& look) {
  if (flat_button(tr(Text::sql_run), hint_with_key(Text::command_run_sql, CommandId::run_sql).c_str()))
    run(text_);
  draw_menus();
  if (!tab_.complete()) {
    ImGui::SameLine(0, 0);
    if (flat_button(tr(Text::sql_stop), hint_with_key(Text::sql_stop, CommandId::clear_selection).c_str()))
      begin_anew();
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string hint = tr(Text::sql_tab_hint);
  ImGui::SameLine();
  if (ImGui::GetCursorPosX() + text_width(hint) + 8 * look.scale < width) {
    ImGui::AlignTextToFramePadding();
    right_aligned_text(look.theme.text_dim, hint);
  } else {
    ImGui::NewLine();
  }
}

int SqlPage::edited(ImGuiInputTextCallbackData* data) {
  SqlPage& page = *static_cast<SqlPage*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    page.complete_word(data);
  } else if (const std::vector<SqlTableName>* const tables = page.names_.value()) {
    const std::string_view text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    page.completion_ = completion_at(text, static_cast<std::size_t>(data->CursorPos), *tables);
  }
  return 0;
}

/// Completes the word at the cursor with the common prefix of all candidates.
void SqlPage::complete_word(ImGuiInputTextCallbackData* data) {
  const std::vector<SqlTableName>* const tables = names_.value();
  if (tables == nullptr) return;
  const std::string_view text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  completion_ = completion_at(text, static_cast<std::size_t>(data->CursorPos), *tables);
  if (completion_.words.empty()) return;
  const auto begin = static_cast<int>(completion_.begin);
  data->DeleteChars(begin, data->CursorPos - begin);
  data->InsertChars(begin, completion_.common.c_str());
}

void SqlPage::draw_editor(ImVec2 size, const DrawContext& look) {
  if (replaced_) {
    text_ = *std::exchange(replaced_, std::nullopt);
    ++editor_;
    focus_ = true;
  }
  const float below = ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  editor_place_ = {at.x + size.x / 2, at.y + size.y / 2};
  if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_CallbackCompletion |
                                         ImGuiInputTextFlags_CallbackAlways |
                                         ImGuiInputTextFlags_EnterReturnsTrue;
  const std::string before = text_;
  ImGui::PushID(editor_);
  ImGui::PushFont(mono_font());
  ImGui::PushStyleColor(ImGuiCol_FrameBg, look.theme.track_area);
  // InputTextMultiline() returns true when Ctrl+Enter ends the editing.
  if (ImGui::InputTextMultiline("##sql", &text_, {size.x, std::max(below, size.y - below - 4 * look.scale)},
                                kFlags, &SqlPage::edited, this)) {
    run(text_);
    focus_ = true;
  }
  ImGui::PopStyleColor();
  ImGui::PopFont();
  // Esc leaves the editor. ImGui also reverts the text, which is undone here.
  if (std::exchange(active_, ImGui::IsItemActive()) && !active_ && text_ != before) text_ = before;
  if (active_) draw_completion(look);
  ImGui::PopID();
}

/// Draws the candidates in a line below the editor.
void SqlPage::draw_completion(const DrawContext& look) const {
  std::string words;
  const std::size_t count = std::min(kShownWords, completion_.words.size());
  for (std::size_t i = 0; i < count; ++i) words += (i == 0 ? "" : "   ") + completion_.words[i];
  if (completion_.words.size() > count)
    words += "   " + filled(Text::and_more, {grouped(completion_.words.size() - count)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), at, ImGui::GetContentRegionAvail().x, look.theme.text_dim, words);
}

void SqlPage::draw_track_buttons() {
  const TableResults::Rows* const rows = tab_.matching_rows();
  if (rows == nullptr || !rows->answer->problem.empty()) return;
  ImGui::SameLine();
  if (flat_button(tr(Text::sql_track), tr(Text::sql_track_hint))) {
    page_requests_.result_track = track_of_result(rows->answer->table, *state_.trace, one_line(asked_));
    if (page_requests_.result_track == nullptr) {
      show_toast(tr(Text::sql_no_track), true);
    } else {
      ++tracks_;
    }
  }
  track_place_ = item_center();
  if (tracks_ == 0) return;
  ImGui::SameLine();
  if (!flat_button(tr(Text::sql_tracks_off), nullptr)) return;
  page_requests_.remove_result_tracks = true;
  tracks_ = 0;
}

void SqlPage::draw_slow(const DrawContext& look) const {
  for (const Message& sentence : slow_->sentences()) wrapped_text(look.theme.warning, in_language(sentence));
}

/// Finds the place of the shown problem. The names of tables may be known later than the problem.
void SqlPage::find_mistake() {
  const TableResults::Rows* const rows = tab_.matching_rows();
  if (rows == nullptr || rows->answer->problem.empty()) {
    mistaken_.reset();
    mistake_.reset();
    return;
  }
  const std::vector<SqlTableName>* const tables = names_.value();
  if (mistaken_ == rows->answer && (mistake_ || tables == nullptr)) return;
  mistaken_ = rows->answer;
  mistake_.reset();
  if (tables != nullptr)
    mistake_ = sql_mistake(asked_, mistaken_->problem.str(), mistaken_->problem_offset, *tables);
}

/// Draws the line of the query that contains the mistake, and underlines the mistake.
void SqlPage::draw_mistake(const SqlMistake& mistake, const DrawContext& look) {
  colored_text(look.theme.text_dim,
               filled(Text::sql_error_at, {grouped(mistake.line), grouped(mistake.column)}));
  constexpr std::size_t kShownBefore = 60;  // bytes
  const std::string_view sql = asked_;
  std::size_t from = sql.substr(0, mistake.begin).rfind('\n');
  from = from == std::string_view::npos ? 0 : from + 1;
  if (mistake.begin - from > kShownBefore) from = mistake.begin - kShownBefore;
  while (from < mistake.begin && continues_character(sql[from])) ++from;
  const std::string_view line = sql.substr(from, sql.find('\n', from) - from);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(mono_font());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_elided(list, at, room, look.theme.text, line);
  const float begin = std::min(room, text_width(line.substr(0, mistake.begin - from)));
  const float width = text_width(sql.substr(mistake.begin, mistake.end - mistake.begin));
  const float end = std::min(room, begin + std::max(width, ImGui::GetFontSize() / 2));
  const float below = at.y + ImGui::GetTextLineHeight();
  list.AddLine({at.x + begin, below}, {at.x + end, below}, look.theme.error, std::max(1.0F, 2 * look.scale));
  ImGui::Dummy({room, ImGui::GetTextLineHeight() + 3 * look.scale});
  ImGui::PopFont();
}

void SqlPage::draw_problem(const DrawContext& look) {
  wrapped_text(look.theme.error, in_language(mistaken_->problem));
  if (!mistake_) return;
  draw_mistake(*mistake_, look);
  if (mistake_->nearest.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, look.theme.accent);
  const std::string label = filled(Text::sql_did_you_mean, {mistake_->nearest}) + "###nearest";
  if (flat_button(label.c_str(), nullptr)) {
    std::string mended = asked_;
    replaced_ = mended.replace(mistake_->begin, mistake_->end - mistake_->begin, mistake_->nearest);
  }
  ImGui::PopStyleColor();
  nearest_place_ = item_center();
  if (ImGui::IsItemHovered()) wrapped_tooltip(tr(Text::sql_use_name_hint));
}

void SqlPage::draw_result(ImVec2 size, const DrawContext& look) {
  nearest_place_.reset();
  find_mistake();
  tab_.begin_alone(size);
  if (asked_.empty()) {
    wrapped_text(look.theme.text_dim, tr(Text::sql_intro));
    TableTab::end();
    return;
  }
  tab_.draw_filter(look.scale);
  tab_.draw_columns();
  tab_.draw_export(look.keyboard);
  draw_track_buttons();
  tab_.draw_status(look.theme);
  draw_slow(look);
  if (mistaken_ != nullptr) {
    draw_problem(look);
    TableTab::end();
    return;
  }
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), SliceRowStyle(look_), look.theme, look.scale);
  TableTab::end();
  if (!done.go_to || tab_.matching_rows() == nullptr) return;
  const Table& table = tab_.matching_rows()->answer->table;
  if (table.links.empty()) return;
  for (const RowLink& link : table.links_of(*done.go_to)) {
    if (link.kind() == RowLink::Kind::slice) state_.choose({link.slice(), kNoInstant}, true);
    if (link.kind() == RowLink::Kind::range) state_.select_range(link.range(), kNoSlice);
  }
}

void SqlPage::write_test_state(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json = table_state(tab_);
  json["text"] = head_json(text_);
  json["asked"] = head_json(asked_);
  json["slow"] = english_texts(slow_->sentences());
  json["words"] = completion_.words;
  json["editor"] = place_json(editor_place_);
  json["nearest"] = mistake_ ? nlohmann::ordered_json(mistake_->nearest) : nlohmann::ordered_json();
  json["nearest_place"] = nearest_place_ ? place_json(*nearest_place_) : nlohmann::ordered_json();
  json["named"] = place_json(named_place_);
  json["track"] = place_json(track_place_);
  panel["sql"] = json;
}

}  // namespace kino
