#include "app/shell/start_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/shell/menus/menu_popup.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

// At scale 1.
constexpr float kStartBarPx = 34;
constexpr float kWidestPx = 1150;
constexpr float kOneColumnPx = 620;   // width of the page without recent files
constexpr float kTwoColumnsPx = 820;  // minimum width for two columns
constexpr float kColumnGapPx = 40;

struct Beginning {
  std::string_view id;
  Text title{};
  Text about{};
  CommandId command{};
};
constexpr std::array kBeginnings{
    Beginning{"sample", Text::open_sample, Text::start_sample_about, CommandId::open_sample},
    Beginning{"tour", Text::command_tour, Text::start_tour_about, CommandId::tour},
    Beginning{"record", Text::command_record, Text::start_record_about, CommandId::record},
    Beginning{"compare", Text::command_compare_runs, Text::start_compare_about, CommandId::compare_files},
    Beginning{"watch", Text::start_watch, Text::start_watch_about, CommandId::watch_chosen}};

struct SupportedFiles {
  const char* names = nullptr;
  Text about{};
};
constexpr std::array kSupported{
    SupportedFiles{".pt.trace.json .json .gz .zst .xz", Text::start_format_traces},
    SupportedFiles{".pickle", Text::start_format_snapshot},
    SupportedFiles{".nsys-rep .sqlite .db .pftrace", Text::start_format_others},
    SupportedFiles{"nccl_trace_rank_*", Text::start_format_hang},
    SupportedFiles{".kino .zip .tar .7z", Text::start_format_archive}};

void draw_dashed_box(ImDrawList& list, ImVec2 from, ImVec2 to, std::uint32_t color, float dash) {
  const auto dashes = [&](float length) { return static_cast<int>(std::ceil(length / (2 * dash))); };
  for (int i = 0; i < dashes(to.x - from.x); ++i) {
    const float x = from.x + static_cast<float>(2 * i) * dash;
    const float end = std::min(to.x, x + dash);
    list.AddLine({x, from.y}, {end, from.y}, color);
    list.AddLine({x, to.y}, {end, to.y}, color);
  }
  for (int i = 0; i < dashes(to.y - from.y); ++i) {
    const float y = from.y + static_cast<float>(2 * i) * dash;
    const float end = std::min(to.y, y + dash);
    list.AddLine({from.x, y}, {from.x, end}, color);
    list.AddLine({to.x, y}, {to.x, end}, color);
  }
}

Text language_text() {
  switch (language()) {
    case Language::japanese:
      return Text::language_japanese;
    case Language::chinese:
      return Text::language_chinese;
    default:
      return Text::language_english;
  }
}

}  // namespace

/// Draws the page above the bar in one frame, from top to bottom.
class StartPage::Body {
 public:
  Body(StartPage& page, const RecentFiles& recent, Commands& commands, const Theme& theme, float scale)
      : page_(page),
        recent_(recent),
        commands_(commands),
        theme_(theme),
        scale_(scale),
        list_(*ImGui::GetWindowDrawList()),
        origin_(ImGui::GetCursorScreenPos()),
        line_(ImGui::GetTextLineHeight()) {}

  RecentActions draw(ImVec2 size) {
    const bool any = !recent_.files().empty();
    const float width = std::min(px(any ? kWidestPx : kOneColumnPx), size.x - px(56));
    const bool two = any && width >= px(kTwoColumnsPx);
    const float left = std::floor(origin_.x + (size.x - width) / 2);
    const float first = two ? std::floor((width - px(kColumnGapPx)) * 0.58F) : width;
    y_ = std::floor(origin_.y + std::clamp(size.y * 0.04F, px(14), px(40)));
    draw_heading(left, width);
    const float top = y_;
    if (any) draw_recent(left, first, two, size.y - (top - origin_.y));
    const float lower = y_;
    if (two) y_ = top;
    const float second = two ? left + first + px(kColumnGapPx) : left;
    const float second_width = two ? width - first - px(kColumnGapPx) : width;
    draw_drop_area(second, second_width);
    draw_beginnings(second, second_width);
    draw_supported(second, second_width);
    // The content region includes both columns, so that it can be scrolled.
    ImGui::SetCursorScreenPos({left, std::max(lower, y_)});
    ImGui::Dummy({1, px(8)});
    return actions_;
  }

 private:
  float px(float units) const { return std::round(units * scale_); }

  void place(std::string_view id) { page_.places_.emplace_back(id, item_center()); }

  void draw_heading(float left, float width) {
    ImGui::PushFont(heading_font());
    list_.AddText({left, y_}, theme_.text, "Kinetoscope");
    y_ += ImGui::GetTextLineHeight() + px(4);
    ImGui::PopFont();
    draw_elided(list_, {left, y_}, width, theme_.text_dim, tr(Text::start_about));
    y_ += line_ + px(18);
  }

  void draw_title(float left, Text text) {
    list_.AddText({left, y_}, theme_.text, tr(text));
    y_ += line_ + px(8);
  }

  void draw_recent(float left, float width, bool two, float room) {
    draw_title(left, Text::start_recent);
    const float card = recent_card_height(scale_);
    const float rows = std::floor((room - 2 * line_ - px(30)) / card);
    const std::size_t most = two ? static_cast<std::size_t>(std::max(3.0F, rows)) : 4;
    const std::size_t shown = std::min(most, recent_.files().size());
    ImGui::SetCursorScreenPos({left, y_});
    actions_ = draw_recent_cards(recent_, most, width, theme_, scale_, page_.recent_places_);
    y_ += card * static_cast<float>(shown) + px(6);
    if (const std::size_t more = recent_.files().size() - shown; more > 0) {
      ImGui::SetCursorScreenPos({left, y_});
      ImGui::PushStyleColor(ImGuiCol_Text, theme_.accent);
      const std::string label = filled(Text::and_more, {grouped(more)}) + "###more";
      const std::string hint = hint_with_key(Text::bar_recent_hint, CommandId::recent_files);
      if (flat_button(label.c_str(), hint.c_str())) commands_.run(CommandId::recent_files);
      place("more");
      ImGui::PopStyleColor();
      y_ += ImGui::GetFrameHeight();
    }
    y_ += px(12);
  }

  void draw_centered(float left, float width, std::uint32_t color, const char* text) {
    const float room = width - px(24);
    const float used = std::min(room, text_width(text));
    draw_elided(list_, {std::floor(left + (width - used) / 2), y_}, room, color, text);
    y_ += line_;
  }

  void draw_drop_area(float left, float width) {
    const std::string key = key_text(CommandId::open_files);
    const std::string files =
        std::string(tr(Text::command_open_files)) + (key.empty() ? "" : "  " + key) + "###files";
    const char* const folder = tr(Text::start_open_folder);
    const float files_width = flat_button_width(files.c_str());
    const float gap = px(10);
    const float both = files_width + gap + flat_button_width(folder);
    const bool one_row = both <= width - px(24);
    const float button = ImGui::GetFrameHeight();
    const float top = y_;
    const float bottom =
        top + px(18) + 2 * line_ + px(4) + px(14) + (one_row ? 1.0F : 2.2F) * button + px(18);
    list_.AddRectFilled({left, top}, {left + width, bottom}, theme_.panel);
    draw_dashed_box(list_, {left, top}, {left + width, bottom}, theme_.text_dim, px(5));
    y_ = top + px(18);
    draw_centered(left, width, theme_.text, tr(Text::start_drop));
    y_ += px(4);
    draw_centered(left, width, theme_.text_dim, tr(Text::start_drop_hint));
    y_ += px(14);
    const float row = one_row ? both : files_width;
    ImGui::SetCursorScreenPos({std::floor(left + (width - row) / 2), y_});
    if (accent_button(files.c_str(), theme_)) commands_.run(CommandId::open_files);
    place("open");
    if (one_row) {
      ImGui::SetCursorScreenPos({std::floor(left + (width + row) / 2 - flat_button_width(folder)), y_});
    } else {
      ImGui::SetCursorScreenPos(
          {std::floor(left + (width - flat_button_width(folder)) / 2), y_ + 1.2F * button});
    }
    if (ImGui::Button(with_id(Text::start_open_folder, "folder").c_str()))
      commands_.run(CommandId::open_folder);
    place("folder");
    y_ = bottom + px(18);
  }

  void draw_beginnings(float left, float width) {
    draw_title(left, Text::start_begin);
    for (const Beginning& beginning : kBeginnings) {
      if (!commands_.available(beginning.command)) continue;
      draw_beginning(beginning, left, width);
    }
    y_ += px(16);
  }

  void draw_beginning(const Beginning& beginning, float left, float width) {
    const float height = 2 * line_ + px(10);
    list_.AddLine({left, y_}, {left + width, y_}, theme_.border);
    ImGui::SetCursorScreenPos({left, y_});
    ImGui::PushID(beginning.id.data(), beginning.id.data() + beginning.id.size());
    const bool clicked = ImGui::InvisibleButton("begin", {width, height});
    ImGui::PopID();
    place(beginning.id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list_.AddRectFilled({left, y_ + 1}, {left + width, y_ + height}, theme_.group_header);
    }
    const std::string key = key_text(beginning.command);
    const float key_width = key.empty() ? 0 : text_width(key) + px(10);
    if (!key.empty())
      list_.AddText({std::floor(left + width - key_width), y_ + px(4)}, theme_.text_dim, key.c_str());
    draw_elided(list_, {left + px(4), y_ + px(4)}, width - key_width - px(14), theme_.accent,
                tr(beginning.title));
    draw_elided(list_, {left + px(4), y_ + px(4) + line_}, width - px(8), theme_.text_dim,
                tr(beginning.about));
    y_ += height;
    if (clicked) commands_.run(beginning.command);
  }

  void draw_supported(float left, float width) {
    draw_title(left, Text::start_formats);
    const float column = std::min(std::round(width * 0.52F), px(260));
    for (const SupportedFiles& files : kSupported) {
      draw_elided(list_, {left, y_}, column - px(10), theme_.text, files.names);
      draw_elided(list_, {left + column, y_}, width - column, theme_.text_dim, tr(files.about));
      y_ += line_ + px(2);
    }
  }

  StartPage& page_;
  const RecentFiles& recent_;
  Commands& commands_;
  const Theme& theme_;
  float scale_;
  ImDrawList& list_;
  ImVec2 origin_;
  float line_;
  float y_ = 0;
  RecentActions actions_;
};

void StartPage::draw_bar(Commands& commands, float height, const Theme& theme) {
  constexpr const char* kLanguages = "start languages";
  constexpr const char* kUnits = "start units";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, theme.panel);
  list.AddLine(at, {at.x + width, at.y}, theme.border);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetCursorScreenPos({at.x + gap, at.y + std::floor((height - ImGui::GetFrameHeight()) / 2)});
  const Text hint = theme.dark ? Text::bar_light_hint : Text::bar_dark_hint;
  if (flat_button(with_id(theme.dark ? Text::bar_dark_hint : Text::bar_light_hint, "theme").c_str(),
                  hint_with_key(hint, CommandId::toggle_theme).c_str())) {
    commands.run(CommandId::toggle_theme);
  }
  places_.emplace_back("theme", item_center());
  const auto menu = [&](const char* id, Text label, Menu shown, std::string_view name) {
    ImGui::SameLine(0, gap);
    if (flat_button((std::string(tr(label)) + "###" + id).c_str(), nullptr)) ImGui::OpenPopup(id);
    places_.emplace_back(name, item_center());
    const float left = ImGui::GetItemRectMin().x;
    const float right = ImGui::GetItemRectMax().x;
    ImGui::SetNextWindowPos({left, at.y}, ImGuiCond_Always, {0, 1});
    draw_menu_popup(id, shown, commands);
    return right;
  };
  menu(kLanguages, language_text(), Menu::languages, "language");
  const Text units = byte_units() == ByteUnits::decimal ? Text::units_decimal : Text::units_binary;
  const float right = menu(kUnits, units, Menu::units, "units");
  const std::string palette = key_text(CommandId::command_palette);
  const std::string help = key_text(CommandId::toggle_help);
  if (palette.empty() || help.empty()) return;
  const std::string keys = filled(Text::start_keys, {palette, help});
  const float left = at.x + width - text_width(keys) - 2 * gap;
  if (left > right + gap) {
    list.AddText({std::floor(left), std::floor(at.y + (height - ImGui::GetFontSize()) / 2)}, theme.text_dim,
                 keys.c_str());
  }
}

RecentActions StartPage::draw(const RecentFiles& recent, Commands& commands, const Theme& theme,
                              float scale) {
  places_.clear();
  recent_places_.clear();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const float bar = std::max(std::round(kStartBarPx * scale), ImGui::GetFrameHeight());
  const ImVec2 page{size.x, std::max(1.0F, size.y - bar)};
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("start", page);
  RecentActions actions = Body(*this, recent, commands, theme, scale).draw(page);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::SetCursorScreenPos({at.x, at.y + page.y});
  draw_bar(commands, bar, theme);
  return actions;
}

}  // namespace kino
