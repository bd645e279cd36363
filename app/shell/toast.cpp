#include "app/shell/toast.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <imgui.h>

#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr std::chrono::seconds kShownFor{8};
constexpr std::chrono::seconds kShownAfterHover{2};

}  // namespace

bool begin_line_below(const char* id) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y - ImGui::GetFontSize()), ImGuiCond_Always,
                          ImVec2(0.5F, 1));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  return ImGui::Begin(id, nullptr, kFlags);
}

double Toast::seconds_left() const {
  if (sentence_.empty() || problem_) return std::numeric_limits<double>::infinity();
  return std::max(0.02, std::chrono::duration<double>(until_ - Clock::now()).count());
}

void Toast::draw(const Theme& theme) {
  if (auto told = take_toast()) {
    sentence_ = std::move(told->sentence);
    problem_ = told->problem;
    until_ = Clock::now() + kShownFor;
  }
  if (!sentence_.empty() && !problem_ && Clock::now() >= until_) sentence_.clear();
  if (sentence_.empty()) return;
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.group_header);
  if (begin_line_below("toast")) {
    if (ImGui::IsWindowHovered()) until_ = std::max(until_, Clock::now() + kShownAfterHover);
    ImGui::AlignTextToFramePadding();
    colored_text(problem_ ? theme.warning : theme.text,
                 fitted_in_middle(sentence_, std::max(8 * em, ImGui::GetIO().DisplaySize.x - 12 * em)));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", sentence_.c_str());
    ImGui::SameLine(0, em);
    if (flat_button(with_id(Text::close, "close").c_str(), tr(Text::close))) sentence_.clear();
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace kino
