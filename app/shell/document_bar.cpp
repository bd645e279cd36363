#include "app/shell/document_bar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/load_estimate.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Notice = Document::Notice;

// Returns the share as a percentage, at most 99 %, because the file is not loaded completely.
std::string loaded_percent(double share) {
  std::array<char, 16> text{};
  const double percent = std::min(100 * share, 99.0);
  std::snprintf(text.data(), text.size(), percent >= 9.95 ? "%.0f %%" : "%.1f %%", percent);
  return text.data();
}

struct Button {
  Text label{};
  Text explained{};
  CommandId command{};
  bool has_key = true;
  bool DocumentBarActions::*pressed = nullptr;
};

constexpr Button kCancel{Text::cancel, Text::document_stop_hint, CommandId::stop_loading, true,
                         &DocumentBarActions::cancel};
constexpr Button kReload{Text::document_reload, Text::document_reload_hint, CommandId::reload, true,
                         &DocumentBarActions::reload};
constexpr Button kReadOn{Text::document_read_all, Text::document_read_all_hint, CommandId::reload, true,
                         &DocumentBarActions::reload};
constexpr Button kDismiss{
    Text::document_dismiss, Text::document_dismiss_hint, {}, false, &DocumentBarActions::dismiss};

constexpr Button kHide{
    Text::document_dismiss, Text::document_hide_hint, {}, false, &DocumentBarActions::dismiss};

std::vector<Button> buttons_of(Notice notice) {
  switch (notice) {
    case Notice::none:
      return {};
    case Notice::part_loading:
    case Notice::reloading:
      return {kCancel};
    case Notice::part_only:
      return {kReload};
    case Notice::reload_failed:
    case Notice::changed:
    case Notice::new_files:
      return {kReload, kDismiss};
    case Notice::limited:
      return {kReadOn, kDismiss};
    case Notice::vanished:
      return {kDismiss};
    case Notice::no_counters:
    case Notice::no_packing:
      return {kHide};
  }
  return {};
}

std::uint32_t color_of(Notice notice, const Theme& theme) {
  return notice == Notice::reload_failed                              ? theme.error
         : notice == Notice::reloading || notice == Notice::new_files ? theme.accent
                                                                      : theme.warning;
}

// Draws the buttons in one line that ends at `right`. Returns the left edge of the first button.
float draw_buttons(std::span<const Button> buttons, float right, float top, const Theme& theme,
                   DocumentBarActions& actions) {
  const float gap = ImGui::GetStyle().ItemSpacing.x * 0.5F;
  float width = gap;
  for (const Button& button : buttons) width += flat_button_width(tr(button.label)) + gap;
  float x = right - width;
  ImGui::PushStyleColor(ImGuiCol_Text, theme.accent);
  for (const Button& button : buttons) {
    ImGui::SetCursorScreenPos({x, top});
    const std::string hint =
        button.has_key ? hint_with_key(button.explained, button.command) : tr(button.explained);
    if (flat_button(tr(button.label), hint.c_str())) actions.*button.pressed = true;
    x += flat_button_width(tr(button.label)) + gap;
  }
  ImGui::PopStyleColor();
  return right - width;
}

// Draws a progress meter that ends at `right` and, if there is room between `left` and the meter, the loading
// stage. Returns the right end of the room that remains. If there is no room for the meter, draws nothing.
float draw_progress(const Document& document, float left, float right, float top, float height,
                    const Theme& theme, float scale) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float meter = std::round(std::min(9 * em, (right - left) * 0.3F));
  if (meter < 3 * em) return right;
  const float thick = std::max(2.0F, std::round(5 * scale));
  const float y = std::round(top + (height - thick) / 2);
  const float x = right - meter - em;
  list.AddRectFilled({x, y}, {x + meter, y + thick}, theme.border, thick / 2);
  const float share = share_done(document.progress());
  list.AddRectFilled({x, y}, {x + std::max(thick, meter * share), y + thick}, theme.accent, thick / 2);
  const std::string stage = stage_text(document.progress(), document.loading_seconds());
  const float room = x - em - left;
  const float wide = text_width(stage);
  if (wide > room) return x - em;
  list.AddText({x - em * 0.6F - wide, std::floor(top + (height - em) / 2)}, theme.text_dim, stage.data(),
               stage.data() + stage.size());
  return x - em * 0.6F - wide - em;
}

}  // namespace

std::string sentence_of(const Error& error) {
  std::string sentence = escaped(in_language(error.what));
  if (!sentence.empty())
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

std::string notice_text(const Document& document) {
  const std::string share = loaded_percent(document.shown_share());
  switch (document.notice()) {
    case Notice::none:
      return {};
    case Notice::part_loading:
      return filled(Text::document_part_loading, {share, grouped(document.opened().trace->counts.total())});
    case Notice::part_only:
      return document.error().kind == Error::Kind::cancelled
                 ? filled(Text::document_part_cancelled, {share})
                 : filled(Text::document_part_failed, {share, sentence_of(document.error())});
    case Notice::reloading:
      return tr(Text::document_reloading);
    case Notice::reload_failed:
      return filled(Text::document_reload_failed, {sentence_of(document.error())});
    case Notice::limited:
      return filled(Text::document_limited,
                    {text_from_bytes(static_cast<double>(document.stats().text_bytes))});
    case Notice::changed:
      return tr(Text::document_changed);
    case Notice::vanished:
      return tr(Text::document_deleted);
    case Notice::no_counters:
      return tr(Text::document_no_counters);
    case Notice::no_packing:
      return tr(Text::document_no_packing);
    case Notice::new_files:
      return filled(Text::document_new_files, {grouped(document.new_files())});
  }
  return {};
}

DocumentBarActions draw_document_bar(const Document& document, const Theme& theme, float scale) {
  DocumentBarActions actions;
  const Notice notice = document.notice();
  if (notice == Notice::none) return actions;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float right = origin.x + ImGui::GetContentRegionAvail().x;
  const float height = std::round(ImGui::GetFrameHeight() + 6 * scale);
  const float bottom = origin.y + height;
  const std::uint32_t color = color_of(notice, theme);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(origin, {right, bottom}, theme.group_header);
  list.AddRectFilled(origin, {origin.x + std::round(4 * scale), bottom}, color);
  list.AddLine({origin.x, bottom - 0.5F}, {right, bottom - 0.5F}, theme.border);

  ImGui::PushID("document bar");
  const std::vector<Button> buttons = buttons_of(notice);
  const float button_top = std::floor(origin.y + (height - ImGui::GetFrameHeight()) / 2);
  float room_end = draw_buttons(buttons, right, button_top, theme, actions);
  const std::string text = notice_text(document);
  const float left = origin.x + std::round(14 * scale);
  const float text_end = left + text_width(text) + ImGui::GetFontSize();
  if (document.loading()) {
    room_end =
        draw_progress(document, std::min(text_end, room_end), room_end, origin.y, height, theme, scale);
  }
  const ImVec2 at{left, std::floor(origin.y + (height - ImGui::GetFontSize()) / 2)};
  const float room = std::max(0.0F, room_end - left - ImGui::GetFontSize() * 0.5F);
  draw_elided(list, at, room, notice == Notice::reload_failed ? theme.error : theme.text, text);
  if (text_width(text) > room && ImGui::IsMouseHoveringRect({left, origin.y}, {left + room, bottom}))
    wrapped_tooltip(text);
  ImGui::PopID();
  ImGui::SetCursorScreenPos({origin.x, bottom});
  return actions;
}

}  // namespace kino
