#include "app/shell/trace_chooser.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/shell/dialogs/directory_listing.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

float row_height() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

}  // namespace

void TraceChooser::ask(Session::Choice choice) {
  std::ranges::sort(choice.contained.traces, [](const ContainedTrace& a, const ContainedTrace& b) {
    return natural_less(a.name, b.name);
  });
  choices_.push_back(std::move(choice));
  if (choices_.size() == 1) start();
}

void TraceChooser::start() {
  marked_.assign(choices_.empty() ? 0 : traces().size(), 0);
  marked_count_ = 0;
  cursor_ = 0;
  scroll_to_cursor_ = true;
}

std::vector<std::filesystem::path> TraceChooser::draw(const Theme& theme) {
  if (!visible()) return {};
  const std::string title = with_id(Text::choose_title, "choose");
  if (!ImGui::IsPopupOpen(title.c_str())) ImGui::OpenPopup(title.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const float lines = std::clamp(static_cast<float>(traces().size()), 4.0F, 20.0F);
  const float height = ImGui::GetFrameHeight() + ImGui::GetTextLineHeightWithSpacing() +
                       lines * row_height() + height_below() + 2 * em;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(
      ImVec2(std::min(48 * em, display.x - 2 * em), std::min(height, display.y - 2 * em)));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar;
  bool stays = true;
  std::vector<std::filesystem::path> paths;
  if (ImGui::BeginPopupModal(title.c_str(), &stays, kFlags)) {
    Answer answer = handle_keys();
    std::string name = container().filename().string();
    if (name.empty()) name = container().string();
    wrapped_text(theme.text, filled(Text::choose_several, {grouped(traces().size()), escaped(name)}));
    draw_traces(theme);
    const std::string& left_out = choices_.front().contained.left_out;
    if (!left_out.empty()) wrapped_text(theme.warning, escaped(left_out));
    if (const Answer pressed = draw_buttons(theme); pressed != Answer::none) answer = pressed;
    if (!stays) answer = Answer::cancel;
    if (answer != Answer::none) {
      if (answer == Answer::open_job) {
        job_ = chosen_job();
      } else {
        paths = chosen(answer);
      }
      choices_.pop_front();
      start();
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  return paths;
}

TraceChooser::Answer TraceChooser::handle_keys() {
  if (ImGui::IsWindowAppearing()) return Answer::none;  // ignore the Enter that opened the archive
  if (key_pressed(NamedKey::escape)) return Answer::cancel;
  if (key_pressed(NamedKey::enter)) return Answer::open_marked;
  const std::size_t before = cursor_;
  if (key_pressed(NamedKey::down, true)) cursor_ = std::min(cursor_ + 1, traces().size() - 1);
  if (key_pressed(NamedKey::up, true) && cursor_ > 0) --cursor_;
  if (key_pressed(NamedKey::home)) cursor_ = 0;
  if (key_pressed(NamedKey::end)) cursor_ = traces().size() - 1;
  scroll_to_cursor_ = scroll_to_cursor_ || cursor_ != before;
  if (key_pressed(NamedKey::space)) marked_[cursor_] = marked_[cursor_] != 0 ? 0 : 1;
  if (ImGui::GetIO().KeyCtrl && key_pressed('A')) {
    const bool all = std::ranges::find(marked_, 0) == marked_.end();
    std::ranges::fill(marked_, all ? 0 : 1);
  }
  return Answer::none;
}

// Returns the height of the parts below the list: two lines for the note on omitted traces, if there is one,
// and a line each for the buttons and the hint.
float TraceChooser::height_below() const {
  const float note =
      choices_.front().contained.left_out.empty() ? 0 : 2 * ImGui::GetTextLineHeightWithSpacing();
  return note + ImGui::GetStyle().ItemSpacing.y * 2 + ImGui::GetFrameHeightWithSpacing() +
         ImGui::GetTextLineHeightWithSpacing();
}

void TraceChooser::draw_traces(const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const float height = std::max(3 * em, ImGui::GetContentRegionAvail().y - height_below());
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float drawn = std::min(height, row_height() * static_cast<float>(traces().size()));
  places_ = {.left = corner.x, .top = corner.y, .width = ImGui::GetContentRegionAvail().x, .height = drawn};
  if (!ImGui::BeginTable("traces", 2, kFlags, ImVec2(0, height))) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, 6 * em);
  if (std::exchange(scroll_to_cursor_, false)) {
    const float top = static_cast<float>(cursor_) * row_height();
    if (top < ImGui::GetScrollY() || top + row_height() > ImGui::GetScrollY() + height) {
      ImGui::SetScrollY(std::max(0.0F, top - height / 2));
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(traces().size()), row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_trace(static_cast<std::size_t>(i), theme);
  }
  ImGui::EndTable();
  marked_count_ = static_cast<std::size_t>(std::ranges::count(marked_, 1));
}

// Draws the line of a trace; a click anywhere on the line marks or unmarks the trace.
void TraceChooser::draw_trace(std::size_t index, const Theme& theme) {
  const ContainedTrace& trace = traces()[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const float left = ImGui::GetCursorPosX();
  const bool clicked = ImGui::Selectable(
      "##line", index == cursor_, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap,
      ImVec2(0, ImGui::GetFrameHeight()));
  ImGui::SameLine();
  ImGui::SetCursorPosX(left);
  bool mark = marked(index);
  const bool ticked = ImGui::Checkbox("##mark", &mark);
  if (clicked || ticked) {
    cursor_ = index;
    marked_[index] = marked_[index] != 0 ? 0 : 1;
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  colored_text(theme.text, fitted_in_middle(escaped(trace.name), ImGui::GetContentRegionAvail().x));
  ImGui::TableNextColumn();
  if (trace.size_bytes) {
    ImGui::AlignTextToFramePadding();
    right_aligned_text(theme.text_dim, text_from_bytes(static_cast<double>(*trace.size_bytes)));
  }
  ImGui::PopID();
}

TraceChooser::Answer TraceChooser::draw_buttons(const Theme& theme) {
  Answer answer = Answer::none;
  ImGui::Spacing();
  const std::string open =
      (marked_count_ > 0 ? filled(Text::choose_open_count, {grouped(marked_count_)}) : tr(Text::open)) +
      std::string("###open");
  if (ImGui::Button(open.c_str())) answer = Answer::open_marked;
  ImGui::SameLine();
  const bool too_many = traces().size() > kMostAtOnce;
  const std::string all =
      (too_many ? filled(Text::choose_open_first, {grouped(kMostAtOnce)}) : tr(Text::choose_open_all)) +
      std::string("###all");
  if (ImGui::Button(all.c_str())) answer = Answer::open_all;
  places_.open_all = item_center();
  ImGui::SameLine();
  if (ImGui::Button(tr(Text::choose_open_job))) answer = Answer::open_job;
  places_.open_job = item_center();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::choose_open_job_hint));
  ImGui::SameLine();
  if (ImGui::Button(tr(Text::cancel))) answer = Answer::cancel;
  const std::string note = marked_count_ > kMostAtOnce ? filled(Text::choose_limit, {grouped(kMostAtOnce)})
                                                       : std::string(tr(Text::choose_hint));
  colored_text(marked_count_ > kMostAtOnce ? theme.warning : theme.text_dim,
               fitted_in_middle(note, ImGui::GetContentRegionAvail().x));
  return answer;
}

Session::Choice TraceChooser::chosen_job() const {
  Session::Choice job = choices_.front();
  if (std::ranges::find(marked_, 1) == marked_.end()) return job;
  std::vector<ContainedTrace> wanted;
  for (std::size_t i = 0; i < marked_.size(); ++i) {
    if (marked(i)) wanted.push_back(job.contained.traces[i]);
  }
  job.contained.traces = std::move(wanted);
  return job;
}

std::vector<std::filesystem::path> TraceChooser::chosen(Answer answer) const {
  std::vector<std::filesystem::path> paths;
  if (answer == Answer::cancel) return paths;
  const bool any_marked = std::ranges::find(marked_, 1) != marked_.end();
  for (std::size_t i = 0; i < traces().size() && paths.size() < kMostAtOnce; ++i) {
    const bool wanted = answer == Answer::open_all || (any_marked ? marked(i) : i == cursor_);
    if (wanted) paths.push_back(traces()[i].path);
  }
  return paths;
}

}  // namespace kino
