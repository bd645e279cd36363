#include "app/ui/drawer/verdict_strip.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

// At scale 1.
constexpr float kRowsPx = 300;      // of findings, at least
constexpr float kMostRowsPx = 400;  // if their names are long
constexpr float kNumberPx = 18;     // columns of a finding: its number, name, amount and share
constexpr float kAmountPx = 76;
constexpr float kSharePx = 64;
constexpr float kLeftPx = 18;
constexpr float kGapPx = 18;
constexpr float kButtonGapPx = 8;

constexpr float kLeastHeading = 1.1F;  // minimum size of the headline, relative to other texts

class Strip {
 public:
  Strip(const Verdict& verdict, const Box& box, const Theme& theme, float scale, VerdictPlaces& places)
      : verdict_(verdict),
        box_(box),
        theme_(theme),
        scale_(scale),
        places_(places),
        list_(*ImGui::GetWindowDrawList()),
        right_(box.right - px(12)) {
    places_ = {};
    list_.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
    list_.AddRectFilled({box.left, box.top}, {box.left + px(4), box.bottom}, verdict.edge);
    list_.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  }

  VerdictActions draw(bool small) {
    if (small) {
      draw_links(small, box_.top + px(17));
      draw_buttons(box_.top + px(17));
      draw_line();
      return actions_;
    }
    draw_column();
    // The headline takes precedence over the rows.
    const float room = right_ - rows_width() - px(kGapPx) - box_.left - px(kLeftPx);
    if (!verdict_.rows.empty() && room > std::max(px(480), kLeastHeading * text_width(verdict_.headline)))
      draw_rows();
    draw_texts();
    return actions_;
  }

 private:
  float px(float units) const { return std::round(units * scale_); }

  // Shows a tooltip below the strip, since it would cover the links beside the item.
  void show_hint(std::string_view text) const { wrapped_tooltip_below(box_.bottom + px(4), text); }

  // Draws text as a link that ends at `right`. Returns whether it was clicked.
  bool link(const char* id, const char* label, const char* hint, float right, float center) {
    const float width = std::ceil(text_width(label));
    const float line = ImGui::GetFontSize();
    const ImVec2 at{std::floor(right - width), std::floor(center - line / 2)};
    ImGui::SetCursorScreenPos(at);
    const bool clicked = ImGui::InvisibleButton(id, {std::max(1.0F, width), line});
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_hint(hint);
      list_.AddLine({at.x, at.y + line}, {at.x + width, at.y + line}, theme_.accent);
    }
    list_.AddText(at, theme_.accent, label);
    return clicked;
  }

  // Draws the links to the summary and to the other size. If `small`, moves right_ to their left.
  float draw_links(bool small, float center) {
    const char* const size = tr(small ? Text::verdict_enlarge : Text::verdict_shrink);
    const float summary = verdict_.has_summary ? text_width(tr(Text::verdict_summary)) + px(kGapPx) : 0;
    const float width = summary + text_width(size);
    actions_.resize = link("size", size, tr(small ? Text::verdict_enlarge_hint : Text::verdict_shrink_hint),
                           right_, center);
    places_.resize = item_center();
    if (verdict_.has_summary) {
      actions_.summary = link("summary", tr(Text::verdict_summary), tr(Text::verdict_summary_hint),
                              right_ - text_width(size) - px(kGapPx), center);
      places_.summary = item_center();
    }
    if (small) right_ -= width + px(kGapPx);
    return width;
  }

  bool has_key() const { return !verdict_.rows.empty(); }
  float worst_width() const {
    return verdict_.worst.empty()
               ? 0
               : std::ceil(text_width(verdict_.worst) + px(24) + (has_key() ? text_width("  ]") : 0));
  }
  float job_width() const { return verdict_.job.empty() ? 0 : std::ceil(text_width(verdict_.job) + px(24)); }
  /// Returns the width of both buttons and the gap between them.
  float buttons_width() const {
    const bool both = !verdict_.job.empty() && shows_worst();
    return job_width() + (shows_worst() ? worst_width() : 0) + (both ? px(kButtonGapPx) : 0);
  }
  /// Without enough room for the sentence, the button for the job takes precedence.
  bool shows_worst() const {
    if (verdict_.worst.empty()) return false;
    return verdict_.job.empty() || box_.width() - job_width() - worst_width() > px(520);
  }

  // Draws a button with its right end at right_, and moves right_ to the left of the button. A primary button
  // has the accent color. `mark` follows the label, dimmed.
  bool draw_button(const char* id, const std::string& label, const char* mark, const char* hint, bool primary,
                   float width, float center) {
    const float height = px(28);
    const ImVec2 at{right_ - width, std::floor(center - height / 2)};
    const ImVec2 end{right_, at.y + height};
    ImGui::SetCursorScreenPos(at);
    const bool clicked = ImGui::InvisibleButton(id, {end.x - at.x, height});
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (hint != nullptr) show_hint(hint);
    }
    const std::uint32_t fill = primary ? theme_.accent : theme_.group_header;
    list_.AddRectFilled(at, end, hovered ? mixed(fill, theme_.text, 0.2) : fill, px(5));
    if (!primary) list_.AddRect(at, end, theme_.border, px(5));
    const std::uint32_t color = primary ? text_on(fill, theme_) : theme_.text;
    const float y = std::floor(center - ImGui::GetFontSize() / 2);
    list_.AddText({at.x + px(12), y}, color, label.c_str());
    if (mark != nullptr) list_.AddText({end.x - px(12) - text_width(mark), y}, with_alpha(color, 170), mark);
    right_ = at.x;
    return clicked;
  }

  // Draws the buttons with their right end at right_: the job's button, then that of the worst example.
  void draw_buttons(float center) {
    if (shows_worst()) {
      actions_.worst = draw_button("worst", verdict_.worst, has_key() ? "]" : nullptr,
                                   has_key() ? tr(Text::verdict_worst_hint) : nullptr, verdict_.job.empty(),
                                   worst_width(), center);
      places_.worst = item_center();
      if (!verdict_.job.empty()) right_ -= px(kButtonGapPx);
    }
    if (!verdict_.job.empty()) {
      actions_.job = draw_button("job", verdict_.job, nullptr, tr(Text::verdict_open_job_hint), true,
                                 job_width(), center);
      places_.job = item_center();
    }
    if (buttons_width() > 0) right_ -= px(kGapPx);
  }

  // Draws the buttons above the links.
  void draw_column() {
    const float right = right_;
    const bool button = buttons_width() > 0;
    const float middle = (box_.top + box_.bottom) / 2;
    const bool low = box_.height() < px(62);
    const float links = draw_links(false, button ? box_.bottom - px(low ? 12 : 15) : middle);
    draw_buttons(box_.top + px(low ? 18 : 22));
    right_ = right - std::max(links, buttons_width()) - px(kGapPx);
  }

  /// Returns the width at which the names of the findings fit, within limits.
  float rows_width() const {
    float name = 0;
    for (const VerdictRow& row : verdict_.rows) name = std::max(name, std::ceil(text_width(row.name)));
    return std::clamp(name + px(kNumberPx + kSharePx + kAmountPx + kGapPx), px(kRowsPx), px(kMostRowsPx));
  }

  void draw_rows() {
    const std::size_t count = std::min(verdict_.rows.size(), kVerdictRows);
    const float line = std::min(px(19), std::floor((box_.height() - px(4)) / static_cast<float>(count)));
    const float left = right_ - rows_width();
    float top = std::floor(box_.top + (box_.height() - line * static_cast<float>(count)) / 2);
    for (std::size_t i = 0; i < count; ++i, top += line) draw_row(i, left, top, line);
    right_ = left - px(kGapPx);
  }

  void draw_row(std::size_t index, float left, float top, float line) {
    const VerdictRow& row = verdict_.rows[index];
    ImGui::SetCursorScreenPos({left, top});
    ImGui::PushID(static_cast<int>(index));
    if (ImGui::InvisibleButton("finding", {right_ - left, line})) actions_.row = index;
    ImGui::PopID();
    places_.rows.push_back(item_center());
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_hint(tr(Text::verdict_finding_hint));
    }
    const float y = std::floor(top + (line - ImGui::GetFontSize()) / 2);
    list_.AddText({left, y}, row.color, std::to_string(index + 1).c_str());
    const float right = right_;
    list_.AddText({std::floor(right - text_width(row.share)), y}, theme_.text_dim, row.share.c_str());
    list_.AddText({std::floor(right - px(kSharePx) - text_width(row.amount)), y}, theme_.text,
                  row.amount.c_str());
    draw_elided(list_, {left + px(kNumberPx), y}, right - left - px(kNumberPx + kSharePx + kAmountPx),
                hovered ? theme_.accent : theme_.text, row.name);
  }

  void draw_line() {
    const float left = box_.left + px(kLeftPx);
    const float y = std::floor((box_.top + box_.bottom - ImGui::GetFontSize()) / 2);
    draw_elided(list_, {left, y}, right_ - left, theme_.text, verdict_.headline);
    whole_text_hint(text_width(verdict_.headline) > right_ - left);
  }

  void draw_texts() {
    const float left = box_.left + px(kLeftPx);
    const float room = std::max(1.0F, right_ - left);
    ImGui::PushFont(heading_font());
    const float shrunk = std::min(1.0F, room / std::max(1.0F, text_width(verdict_.headline)));
    const float heading = std::floor(ImGui::GetFontSize() * shrunk);
    ImGui::PopFont();
    const bool fits = heading >= kLeastHeading * ImGui::GetFontSize();
    if (fits) {
      const float below = verdict_.evidence.empty() ? 0 : ImGui::GetTextLineHeight() * 0.6F;
      const float top = std::floor((box_.top + box_.bottom - heading) / 2 - below);
      list_.AddText(heading_font(), heading, {left, top}, theme_.text, verdict_.headline.c_str());
    }
    const float line = ImGui::GetTextLineHeight();
    if (fits) {
      const float top = std::floor((box_.top + box_.bottom + heading) / 2 - line * 0.5F);
      if (!verdict_.evidence.empty())
        draw_elided(list_, {left, top}, room, theme_.text_dim, verdict_.evidence);
      whole_text_hint(text_width(verdict_.evidence) > room);
      return;
    }
    const std::string& text = verdict_.headline;
    const float height = std::min(2 * line, wrapped_height(text, room));
    const float top = std::floor((box_.top + box_.bottom - height) / 2);
    const ImVec4 clip{left, top, left + room, top + 2 * line};
    draw_wrapped(list_, {left, top}, room, theme_.text, text, &clip);
    whole_text_hint(true);
  }

  // Shows the whole text while the mouse is over the sentences, unless everything fits.
  void whole_text_hint(bool elided) const {
    if (!elided || !ImGui::IsWindowHovered()) return;
    if (!ImGui::IsMouseHoveringRect({box_.left, box_.top}, {right_, box_.bottom})) return;
    show_hint(verdict_.evidence.empty() ? verdict_.headline : verdict_.headline + "\n" + verdict_.evidence);
  }

  const Verdict& verdict_;
  const Box& box_;
  const Theme& theme_;
  float scale_;
  VerdictPlaces& places_;
  ImDrawList& list_;
  float right_;
  VerdictActions actions_;
};

}  // namespace

std::string text_of(const Verdict& verdict) {
  std::string text = verdict.headline;
  if (!verdict.evidence.empty()) text += "\n" + verdict.evidence;
  for (const VerdictRow& row : verdict.rows) {
    text += "\n- " + row.name;
    if (!row.amount.empty()) text += ": " + row.amount;
    if (!row.share.empty()) text += " (" + row.share + ")";
  }
  return text;
}

float verdict_height(bool small, float page, float unit) {
  constexpr float kLeastPagePx = 500;  // a lower page has no room for more than one line
  if (small || page < kLeastPagePx * unit) return std::round(34 * unit);
  return std::round((page < 700 * unit ? 56 : 66) * unit);
}

VerdictActions draw_verdict(const Verdict& verdict, bool small, const Box& box, const Theme& theme,
                            float scale, VerdictPlaces& places) {
  ImGui::PushID("verdict");
  const VerdictActions actions =
      Strip(verdict, box, theme, scale, places).draw(small || box.height() < 50 * scale);
  ImGui::PopID();
  return actions;
}

}  // namespace kino
