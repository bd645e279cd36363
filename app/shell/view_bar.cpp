#include "app/shell/view_bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "app/shell/menus/menu_popup.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kBarPx = 36;  // at scale 1
constexpr const char* kMoreMenu = "more-views";

// Order of the views of a trace. Views of other documents are not listed and keep their order.
constexpr std::array<std::string_view, 11> kTraceOrder{"",
                                                       "summary",
                                                       drawer_page::kTables,
                                                       "layers",
                                                       "ledger",
                                                       "critical",
                                                       "serving",
                                                       drawer_page::kFlame,
                                                       "memory",
                                                       drawer_page::kCompare,
                                                       drawer_page::kSql};

// The pages of a trace besides its timeline.
struct OtherPage {
  std::string_view id;
  Text title{};
  CommandId command{};
  PageKind kind{};
};
constexpr std::array kOtherPages{
    OtherPage{"layers", Text::view_layers, CommandId::show_layers, PageKind::layers},
    OtherPage{"ledger", Text::view_ledger, CommandId::show_ledger, PageKind::ledger},
    OtherPage{"critical", Text::view_critical, CommandId::show_critical, PageKind::critical},
    OtherPage{"serving", Text::view_serving, CommandId::show_serving, PageKind::serving}};

std::string_view name_of_view(const PageView& view) { return view.id.empty() ? "main" : view.id; }

std::string missing_memory(const Document& document) {
  if (document.has_memory()) return {};
  return tr(document.state() == Document::State::ready ? Text::view_memory_missing
                                                       : Text::view_still_loading);
}

void add_other_pages(const Document& document, std::vector<PageView>& views) {
  for (const OtherPage& page : kOtherPages) {
    views.push_back({page.id, tr(page.title), page.command, document.shows_extra(page.kind),
                     document.has_extra(page.kind) ? std::string() : tr(Text::view_still_loading)});
  }
  views.push_back({"memory", tr(Text::view_memory), CommandId::show_memory, document.shows_memory(),
                   missing_memory(document)});
  const auto place = [](const PageView& view) { return std::ranges::find(kTraceOrder, view.id); };
  std::ranges::stable_sort(views, {}, place);
}

/// Draws the bar of one frame. The right end is drawn first.
class Bar {
 public:
  Bar(const Theme& theme, float scale)
      : theme_(theme),
        scale_(scale),
        list_(*ImGui::GetWindowDrawList()),
        origin_(ImGui::GetCursorScreenPos()),
        right_(origin_.x + ImGui::GetContentRegionAvail().x),
        left_(origin_.x + px(6)) {
    bottom_ = origin_.y + px(kBarPx);
    list_.AddRectFilled(origin_, {right_, bottom_}, theme.panel);
    list_.AddLine({origin_.x, bottom_ - 0.5F}, {right_, bottom_ - 0.5F}, theme.border);
    right_ -= px(6);
  }

  float bottom() const { return bottom_; }
  float right() const { return right_; }

  // Draws a button at the right end, with an arrow if it opens a menu. Returns whether it was clicked.
  bool button_at_end(const char* id, const std::string& label, const std::string& hint, bool menu,
                     std::uint32_t color) {
    const float arrow = menu ? px(16) : 0;
    const float width = std::ceil(text_width(label)) + arrow + px(20);
    if (right_ - width < left_ + px(160)) return false;
    right_ -= width + px(4);
    const ImVec2 at{right_ + px(4), origin_.y + px(5)};
    const ImVec2 end{at.x + width, bottom_ - px(5)};
    ImGui::SetCursorScreenPos(at);
    const bool clicked = ImGui::InvisibleButton(id, {width, end.y - at.y});
    const bool hovered = ImGui::IsItemHovered();
    list_.AddRectFilled(at, end, hovered ? theme_.border : theme_.group_header, px(4));
    list_.AddText({at.x + px(10), text_y()}, color, label.c_str());
    if (menu) {
      draw_fold_arrow(list_, {end.x - px(14), std::floor((at.y + end.y) / 2)}, px(7), true, theme_.text_dim);
    }
    if (hovered && !hint.empty() && !popup_open()) wrapped_tooltip_below(bottom_, hint);
    return clicked;
  }

  // Returns the number of leading views that fit.
  std::size_t fitting(std::span<const PageView> views) const {
    float width = 0;
    for (const PageView& view : views) width += width_of(view.title);
    if (left_ + width <= right_) return views.size();
    width = width_of(tr(Text::view_more)) + px(16);
    std::size_t count = 0;
    for (; count < views.size(); ++count) {
      width += width_of(views[count].title);
      if (left_ + width > right_) break;
    }
    return count;
  }

  // Draws a view's name. Returns whether it was clicked.
  bool tab(const PageView& view) {
    const float width = width_of(view.title);
    const ImVec2 at{left_, origin_.y};
    ImGui::SetCursorScreenPos(at);
    const std::string_view id = name_of_view(view);
    ImGui::PushID(id.data(), id.data() + id.size());
    const bool clicked = ImGui::InvisibleButton("view", {width, bottom_ - at.y}) && view.missing.empty();
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) hint_of(view);
    const std::uint32_t faint = mixed(theme_.panel, theme_.text_dim, 0.55);
    const std::uint32_t color = !view.missing.empty()     ? faint
                                : view.current || hovered ? theme_.text
                                                          : theme_.text_dim;
    list_.AddText({at.x + px(12), text_y()}, color, view.title.c_str());
    if (view.current) {
      list_.AddRectFilled({at.x + px(8), bottom_ - px(3)}, {at.x + width - px(8), bottom_ - px(1)},
                          theme_.accent);
    }
    left_ += width;
    return clicked;
  }

  // Draws the menu with the views that do not fit. Returns the chosen view.
  const PageView* more(std::span<const PageView> views) {
    const bool current = std::ranges::any_of(views, &PageView::current);
    const PageView button{"more", tr(Text::view_more), std::nullopt, current};
    const ImVec2 corner{left_, bottom_};
    const bool clicked = tab(button);
    draw_fold_arrow(list_, {left_ + px(2), std::floor((origin_.y + bottom_) / 2)}, px(7), true,
                    theme_.text_dim);
    if (clicked) ImGui::OpenPopup(kMoreMenu);
    ImGui::SetNextWindowPos(corner);
    if (!ImGui::BeginPopup(kMoreMenu)) return nullptr;
    if (popup_closed_by_escape()) return nullptr;
    const PageView* chosen = nullptr;
    for (const PageView& view : views) {
      const std::string key = view.command ? key_text(*view.command) : std::string();
      if (ImGui::MenuItem(view.title.c_str(), key.c_str(), view.current, view.missing.empty()))
        chosen = &view;
      if (!view.missing.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        wrapped_tooltip(view.missing);
    }
    ImGui::EndPopup();
    return chosen;
  }

  void end() const { ImGui::SetCursorScreenPos({origin_.x, bottom_}); }

 private:
  float px(float units) const { return std::round(units * scale_); }
  float width_of(const std::string& title) const { return std::ceil(text_width(title)) + px(24); }
  float text_y() const { return std::floor((origin_.y + bottom_ - ImGui::GetFontSize()) / 2); }

  // Shows a tooltip below the bar, since it would cover the neighboring views.
  void hint_of(const PageView& view) const {
    if (!view.missing.empty()) return wrapped_tooltip_below(bottom_, view.missing);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const std::string key = view.command ? key_text(*view.command) : std::string();
    if (!key.empty()) wrapped_tooltip_below(bottom_, view.title + " (" + key + ")");
  }

  const Theme& theme_;
  float scale_;
  ImDrawList& list_;
  ImVec2 origin_;
  float right_;
  float left_;
  float bottom_;
};

void draw_page_menus(Bar& bar, Commands& commands, const std::string& device, const Theme& theme) {
  constexpr const char* kTracksMenu = "tracks-menu";
  constexpr const char* kColorsMenu = "colors-menu";
  const auto menu = [&](const char* id, Text label, Menu shown) {
    if (bar.button_at_end(id, tr(label), {}, true, theme.text)) ImGui::OpenPopup(id);
    ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, bar.bottom()}, ImGuiCond_Appearing, {1, 0});
    draw_menu_popup(id, shown, commands, device);
  };
  menu(kTracksMenu, Text::view_tracks, Menu::tracks);
  menu(kColorsMenu, Text::view_color_by, Menu::colors);
}

// Draws the chip with the part that tables cover, and its menu. Returns the chosen part.
std::optional<std::size_t> draw_scope(Bar& bar, const Page& page, const Theme& theme, ImVec2& place) {
  constexpr const char* kScopeMenu = "scope-menu";
  constexpr float kMostLines = 24;  // the other steps are reached by scrolling
  place = {};
  const std::string title = page.scope_title();
  if (title.empty()) return std::nullopt;
  const float before = bar.right();
  const std::string hint = hint_with_key(Text::table_scope_hint, CommandId::next_table_scope);
  if (bar.button_at_end("scope", title, hint, true, theme.text)) ImGui::OpenPopup(kScopeMenu);
  if (bar.right() != before) place = item_center();
  ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, bar.bottom()}, ImGuiCond_Appearing, {1, 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {1e6F, kMostLines * ImGui::GetTextLineHeightWithSpacing()});
  if (!ImGui::BeginPopup(kScopeMenu)) return std::nullopt;
  std::optional<std::size_t> chosen;
  if (!popup_closed_by_escape()) {
    const std::vector<PageScope> scopes = page.scopes();
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::MenuItem(scopes[i].title.c_str(), nullptr, scopes[i].current, scopes[i].missing.empty()))
        chosen = i;
      if (!scopes[i].missing.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        wrapped_tooltip(scopes[i].missing);
      ImGui::PopID();
    }
  }
  ImGui::EndPopup();
  return chosen;
}

}  // namespace

std::vector<PageView> views_of(const Document& document) {
  const Page* const main = document.main_page();
  if (main == nullptr) return {};
  std::vector<PageView> views = main->views();
  if (document.page() != main) {
    for (PageView& view : views) view.current = false;
  }
  if (document.timeline() != nullptr) add_other_pages(document, views);
  return views;
}

void show_view(Document& document, std::string_view id) {
  const std::vector<PageView> views = views_of(document);
  const auto view = std::ranges::find(views, id, &PageView::id);
  if (view == views.end() || !view->missing.empty()) return;
  const auto other = std::ranges::find(kOtherPages, id, &OtherPage::id);
  if (other != kOtherPages.end()) {
    if (!view->current) document.toggle_extra(other->kind);
  } else if (id == "memory" && document.timeline() != nullptr) {
    if (!view->current) document.toggle_memory();
  } else {
    document.show_main();
    document.main_page()->show_view(id);
  }
}

void ViewBar::bind(Commands& commands, Session& session) {
  const auto view = [&session](std::size_t index) -> std::optional<std::string_view> {
    const Document* const document = session.active_document();
    const std::vector<PageView> views = document != nullptr ? views_of(*document) : std::vector<PageView>();
    if (index >= views.size() || !views[index].missing.empty()) return std::nullopt;
    return views[index].id;
  };
  for (std::size_t i = 0; i < 9; ++i) {
    commands.bind(static_cast<CommandId>(index_of(CommandId::view_1) + i),
                  {[&session, view, i] { show_view(*session.active_document(), *view(i)); },
                   [view, i] { return view(i).has_value(); }});
  }
  const auto last = [this, &session]() -> std::optional<std::string_view> {
    const Document* const document = session.active_document();
    return document != nullptr ? previous(*document) : std::nullopt;
  };
  commands.bind(CommandId::previous_view,
                {[&session, last] { show_view(*session.active_document(), *last()); },
                 [last] { return last().has_value(); }});
}

ViewBar::Actions ViewBar::draw(const Document& document, Commands& commands, const Theme& theme,
                               float scale) {
  Actions actions;
  const std::vector<PageView> views = views_of(document);
  if (views.empty()) return actions;
  const auto shown = std::ranges::find(views, true, &PageView::current);
  if (shown != views.end()) {
    History& history =
        histories_.try_emplace(document.serial(), History{shown->id, std::nullopt}).first->second;
    if (history.now != shown->id) history = {shown->id, history.now};
  }
  ImGui::PushID("view-bar");
  ImGui::PushID(static_cast<int>(document.serial()));
  Bar bar(theme, scale);
  if (has_axis(document.kind())) {
    actions.fit_all = bar.button_at_end(
        "fit", tr(Text::bar_fit), hint_with_key(Text::bar_fit_hint, CommandId::fit_all), false, theme.text);
  }
  if (document.kind() == PageKind::timeline)
    draw_page_menus(bar, commands, document.page()->device_word(), theme);
  actions.scope = draw_scope(bar, *document.page(), theme, scope_place_);
  const bool counted = document.state() == Document::State::ready && document.of_one_file();
  if (const std::uint64_t damage = counted ? document.damage().total() : 0; damage > 0) {
    actions.show_damage = bar.button_at_end(
        "damage", "▲ " + grouped(damage), hint_with_key(Text::bar_damage_hint, CommandId::show_damage), false,
        document.damage().drops_events() ? theme.warning : theme.text_dim);
  }
  places_.clear();
  const std::size_t fits = bar.fitting(views);
  for (std::size_t i = 0; i < fits; ++i) {
    if (bar.tab(views[i])) actions.view = views[i].id;
    places_.emplace_back(name_of_view(views[i]), item_center());
  }
  if (fits < views.size()) {
    if (const PageView* const chosen = bar.more(std::span(views).subspan(fits))) actions.view = chosen->id;
  }
  bar.end();
  ImGui::PopID();
  ImGui::PopID();
  return actions;
}

std::optional<std::string_view> ViewBar::previous(const Document& document) const {
  const auto history = histories_.find(document.serial());
  return history != histories_.end() ? history->second.before : std::nullopt;
}

}  // namespace kino
