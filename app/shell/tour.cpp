#include "app/shell/tour.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

struct Card {
  Text title;
  std::string text;
};

Card card_of(Tour::Step step) {
  switch (step) {
    case Tour::Step::none:
    case Tour::Step::zoom:
      return {Text::tour_zoom,
              filled(Text::tour_zoom_what, {key_text(CommandId::zoom_in), key_text(CommandId::zoom_out),
                                            key_text(CommandId::pan_left), key_text(CommandId::pan_right),
                                            key_text(CommandId::fit_all)})};
    case Tour::Step::click:
      return {Text::tour_click, filled(Text::tour_click_what, {key_text(CommandId::follow_flow)})};
    case Tour::Step::ask:
      return {Text::tour_analyze, filled(Text::tour_analyse_what, {key_text(CommandId::search)})};
    case Tour::Step::done:
      break;
  }
  return {Text::tour_done,
          filled(Text::tour_done_what, {key_text(CommandId::show_tables), key_text(CommandId::toggle_help),
                                        key_text(CommandId::command_palette)})};
}

}  // namespace

void Tour::begin() {
  step_ = Step::zoom;
  first_span_ns_ = 0;
}

void Tour::see(const Seen& seen) {
  if (first_span_ns_ == 0) first_span_ns_ = seen.span_ns;
  if (step_ == Step::zoom && seen.span_ns <= first_span_ns_ / 2) {
    step_ = Step::click;
  } else if (step_ == Step::click && seen.selected) {
    step_ = Step::ask;
  } else if (step_ == Step::ask && seen.asked) {
    step_ = Step::done;
  }
}

void Tour::draw(float right, float bottom, const Theme& theme) {
  constexpr float kWidthEm = 25;
  if (step_ == Step::none) return;
  const float em = ImGui::GetFontSize();
  const float width = std::min(kWidthEm * em, ImGui::GetIO().DisplaySize.x - 2 * em);
  ImGui::SetNextWindowPos(ImVec2(right - em, bottom - em), ImGuiCond_Always, ImVec2(1, 1));
  ImGui::SetNextWindowSize(ImVec2(width, 0), ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                      ImGuiWindowFlags_NoNav;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.group_header);
  ImGui::PushStyleColor(ImGuiCol_Border, theme.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em, em * 0.8F));
  if (ImGui::Begin("tour", nullptr, kFlags)) {
    const Card card = card_of(step_);
    const auto number = static_cast<std::size_t>(step_);
    if (step_ != Step::done)
      colored_text(theme.accent, filled(Text::tour_step, {std::to_string(number), "3"}));
    ImGui::PushFont(heading_font());
    wrapped_text(theme.text, tr(card.title));
    ImGui::PopFont();
    wrapped_text(theme.text_dim, card.text);
    ImGui::Dummy(ImVec2(0, em * 0.2F));
    const Text label = step_ == Step::done ? Text::close : Text::tour_end;
    if (ImGui::Button(with_id(label, "end").c_str())) end();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace kino
