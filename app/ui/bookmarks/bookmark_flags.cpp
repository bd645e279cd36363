#include "app/ui/bookmarks/bookmark_flags.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "app/ui/commands/commands.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/view/overview_map.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr const char* kEditor = "bookmark_editor";
constexpr float kFlagPx = 14;
constexpr float kPaddingPx = 4;
constexpr float kFieldPx = 320;

std::string title_of(const PlacedBookmark& placed) {
  return filled(Text::bookmark_number, {std::to_string(placed.mark.number)});
}

}  // namespace

void go_to_bookmark(TimelineState& state, const PlacedBookmark& placed) {
  if (placed.found.slice != kNoSlice) {
    state.choose({placed.found.slice, kNoInstant}, true);
  } else if (placed.range.length_ns() > 0) {
    state.navigation.fit(placed.range, 0.2);
  } else {
    state.navigation.reach(placed.range);
    const TimeView& target = state.navigation.target();
    state.navigation.pan_px(target.px_from_ns(static_cast<double>(placed.range.begin_ns)) -
                            target.width_px / 2);
  }
}

void BookmarkFlags::go_to(TimelineState& state, const PlacedBookmark& placed) {
  current_ = placed.mark.id;
  go_to_bookmark(state, placed);
}

void BookmarkFlags::edit(std::uint64_t id, const Bookmarks& bookmarks) {
  const PlacedBookmark* placed = bookmarks.find(id);
  if (placed == nullptr) return;
  current_ = edited_ = id;
  opens_editor_ = takes_focus_ = true;
  text_.fill('\0');
  std::memcpy(text_.data(), placed->mark.text.data(), std::min(placed->mark.text.size(), kMostNoteBytes));
}

void BookmarkFlags::set_at(TimelineState& state, Bookmarks& bookmarks, TimeRange range, SliceId slice) {
  const PlacedBookmark* there = bookmarks.at(range, slice);
  const std::uint64_t id = there != nullptr ? there->mark.id : bookmarks.add(range, slice);
  if (id != 0) {
    edit(id, bookmarks);
  } else {
    state.drawer.page = drawer_page::kBookmarks;  // this page shows the reason
  }
}

void BookmarkFlags::set(TimelineState& state, Bookmarks& bookmarks) {
  const SliceId slice = state.selection.slice;
  const std::optional<TimeRange>& marked = state.marked.range();
  const bool range_shown = state.drawer.shows(drawer_page::kRange);
  if (marked && (slice == kNoSlice || range_shown)) {
    set_at(state, bookmarks, *marked, kNoSlice);
  } else if (state.selection.any()) {
    set_at(state, bookmarks, range_of(*state.trace, state.selection), slice);
  } else {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Box& tracks = state.boxes.tracks;
    const Box timed{tracks.left, state.boxes.ruler.top, tracks.right, tracks.bottom};
    const double px = timed.contains(mouse.x, mouse.y) ? mouse.x - tracks.left : tracks.width() / 2;
    const auto time = static_cast<std::int64_t>(std::llround(state.navigation.view().ns_from_px(px)));
    set_at(state, bookmarks, {time, time}, kNoSlice);
  }
}

void BookmarkFlags::handle_keys(TimelineState& state, Bookmarks& bookmarks) {
  if (command_pressed(CommandId::set_bookmark)) set(state, bookmarks);
  const TimeView& target = state.navigation.target();
  const auto middle = static_cast<std::int64_t>(target.ns_from_px(target.width_px / 2));
  const auto step_to = [&](int step) {
    const PlacedBookmark* next = bookmarks.neighbor(current_, middle, step);
    if (next != nullptr) go_to(state, *next);
  };
  if (command_pressed(CommandId::next_bookmark)) step_to(1);
  if (command_pressed(CommandId::previous_bookmark)) step_to(-1);
  for (std::uint32_t i = 0; i < 9; ++i) {
    if (!command_pressed(static_cast<CommandId>(index_of(CommandId::bookmark_1) + i))) continue;
    const PlacedBookmark* placed = bookmarks.numbered(i + 1);
    if (placed != nullptr) go_to(state, *placed);
  }
  if (command_pressed(CommandId::delete_bookmark) && current_ != 0) bookmarks.remove(current_);
  if (command_pressed(CommandId::restore_bookmark)) {
    if (const std::uint64_t id = bookmarks.restore(); id != 0) current_ = id;
  }
}

std::vector<RulerGap> BookmarkFlags::place(const TimelineState& state, const Bookmarks& bookmarks) {
  flags_.clear();
  std::vector<RulerGap> gaps;
  const Box& ruler = state.boxes.ruler;
  float taken = -1e9F;
  for (const std::uint32_t i : bookmarks.by_time()) {
    const PlacedBookmark& placed = bookmarks.all()[i];
    const float left = std::floor(state.screen_x(placed.range.begin_ns));
    const float width = std::ceil(text_width(std::to_string(placed.mark.number))) + 2 * state.px(kPaddingPx);
    if (left + width < ruler.left || left > ruler.right) continue;
    const bool small = left < taken;
    flags_.push_back({i, left, left + (small ? state.px(5) : width), small});
    if (small) continue;
    taken = left + width;
    gaps.push_back({left, taken});
  }
  return gaps;
}

void BookmarkFlags::handle(TimelineState& state, Bookmarks& bookmarks, bool keyboard) {
  hovered_ = 0;
  if (current_ != 0 && bookmarks.find(current_) == nullptr) current_ = 0;
  if (keyboard) handle_keys(state, bookmarks);
  place(state, bookmarks);
  const Box& ruler = state.boxes.ruler;
  const bool right_click = ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  for (const Flag& flag : flags_) {
    const PlacedBookmark& placed = bookmarks.all()[flag.index];
    // A small flag is drawn below full ones, so only its uncovered part can be clicked.
    const float left = std::max(flag.left - 1, ruler.left);
    const float right = std::min(flag.right, ruler.right);
    if (right - left < 1) continue;
    ImGui::SetCursorScreenPos({left, ruler.top});
    ImGui::PushID(static_cast<int>(placed.mark.number));
    const bool clicked =
        ImGui::InvisibleButton("flag", {right - left, flag.small ? ruler.height() : state.px(kFlagPx)});
    ImGui::PopID();
    if (ImGui::IsItemHovered()) {
      hovered_ = placed.mark.id;
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (clicked) {
      go_to(state, placed);
      return;
    }
    if (hovered_ == placed.mark.id && right_click) {
      edit(placed.mark.id, bookmarks);
      return;
    }
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (right_click && ruler.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered()) {
    const double time = state.navigation.view().ns_from_px(mouse.x - ruler.left);
    const auto time_ns = static_cast<std::int64_t>(std::llround(time));
    set_at(state, bookmarks, {time_ns, time_ns}, kNoSlice);
  }
}

void BookmarkFlags::draw_in_tracks(ImDrawList& list, const TimelineState& state, const Bookmarks& bookmarks,
                                   const Theme& theme) const {
  const Box& tracks = state.boxes.tracks;
  const float top = state.boxes.ruler.bottom;
  const float line = std::max(1.0F, state.px(1));
  list.PushClipRect({tracks.left, top}, {tracks.right, tracks.bottom}, true);
  for (const PlacedBookmark& placed : bookmarks.all()) {
    const float left = std::floor(state.screen_x(placed.range.begin_ns));
    const float right = std::max(left, std::floor(state.screen_x(placed.range.end_ns)));
    if (right < tracks.left - 2 * line || left > tracks.right + 2 * line) continue;
    const std::uint32_t color = bookmark_color(placed.mark.color, theme);
    const bool band = placed.found.slice == kNoSlice && right > left;
    if (band) {
      list.AddRectFilled({left, top}, {right, tracks.bottom}, with_alpha(color, theme.dark ? 0x1c : 0x24));
      list.AddLine({right + 0.5F, top}, {right + 0.5F, tracks.bottom}, with_alpha(color, 0xb0), line);
    }
    list.AddLine({left + 0.5F, top}, {left + 0.5F, tracks.bottom}, with_alpha(color, 0xb0), line);
    if (placed.found.slice == kNoSlice) continue;
    const auto lane = state.lane_of(placed.found.slice);
    if (!lane) continue;
    const float y = tracks.top + static_cast<float>(lane->y_px);
    const float height = lane->height_px - state.layout.measures().gap_px;
    if (y + height < tracks.top || y > tracks.bottom) continue;
    const float thickness = std::max(2.0F, state.px(2));
    const float x0 = std::max(left, tracks.left - 2 * thickness);
    const float x1 = std::max(std::min(right, tracks.right + 2 * thickness), x0 + thickness);
    const TimelineState::Part room = state.part(lane->pinned);
    list.PushClipRect({tracks.left, tracks.top + static_cast<float>(room.top_px)},
                      {tracks.right, tracks.top + static_cast<float>(room.bottom_px)}, true);
    list.AddRect({x0, y}, {x1, y + height}, color, state.px(2), 0, thickness);
    list.AddRectFilled({x0, y + height - thickness}, {x1, y + height + thickness}, color);
    list.PopClipRect();
  }
  list.PopClipRect();
}

void BookmarkFlags::draw_flags(ImDrawList& list, const TimelineState& state, const Bookmarks& bookmarks,
                               const Theme& theme) const {
  const Box& ruler = state.boxes.ruler;
  const float height = state.px(kFlagPx);
  const float line = std::max(1.0F, state.px(1));
  list.PushClipRect({ruler.left, ruler.top}, {ruler.right, ruler.bottom}, true);
  for (const Flag& flag : flags_) {
    const PlacedBookmark& placed = bookmarks.all()[flag.index];
    const std::uint32_t color = bookmark_color(placed.mark.color, theme);
    const bool lit = placed.mark.id == hovered_ || placed.mark.id == current_;
    list.AddLine({flag.left + 0.5F, ruler.top}, {flag.left + 0.5F, ruler.bottom}, color, line);
    if (flag.small) {
      list.AddTriangleFilled({flag.left, ruler.bottom}, {flag.right, ruler.bottom},
                             {flag.left, ruler.bottom - state.px(6)}, color);
      continue;
    }
    list.AddRectFilled({flag.left, ruler.top}, {flag.right, ruler.top + height}, color, state.px(3),
                       ImDrawFlags_RoundCornersRight);
    if (lit) {
      list.AddRect({flag.left, ruler.top}, {flag.right, ruler.top + height}, theme.selection, state.px(3),
                   ImDrawFlags_RoundCornersRight, line);
    }
    const std::string number = std::to_string(placed.mark.number);
    const float y = std::floor(ruler.top + (height - ImGui::GetFontSize()) / 2);
    const float x = std::floor(flag.left + (flag.right - flag.left - text_width(number)) / 2);
    list.AddText({x, y}, theme.text_on_slice, number.data(), number.data() + number.size());
  }
  list.PopClipRect();

  const Box& overview = state.boxes.overview;
  const OverviewMap map{state.trace->content, std::max(1.0F, overview.width())};
  for (const PlacedBookmark& placed : bookmarks.all()) {
    const double px = map.px_from_ns(static_cast<double>(placed.range.begin_ns));
    if (overview.height() < 1 || px < 0 || px > map.width_px) continue;
    const float x = overview.left + std::floor(static_cast<float>(px)) + 0.5F;
    const std::uint32_t color = bookmark_color(placed.mark.color, theme);
    const float half = state.px(4);
    list.AddLine({x, overview.top}, {x, overview.bottom - 1}, with_alpha(color, 0xa0), line);
    list.AddTriangleFilled({x - half, overview.top}, {x + half, overview.top},
                           {x, overview.top + state.px(7)}, color);
  }
  const PlacedBookmark* hovered = hovered_ != 0 && !editing() ? bookmarks.find(hovered_) : nullptr;
  if (hovered != nullptr) draw_tooltip(state, *hovered, theme);
}

void BookmarkFlags::draw_tooltip(const TimelineState& state, const PlacedBookmark& placed,
                                 const Theme& theme) const {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 30);
  colored_text(bookmark_color(placed.mark.color, theme), title_of(placed));
  if (!placed.mark.text.empty()) colored_text(theme.text, placed.mark.text);
  if (placed.found.slice != kNoSlice) {
    colored_text(theme.text_dim, SliceStyle::short_text(state.trace->name_of(placed.found.slice)));
  } else if (placed.mark.slice) {
    colored_text(theme.text_dim, SliceStyle::short_text(placed.mark.slice->name));
  }
  colored_text(theme.text_dim, exact_time_text(placed.range.begin_ns));
  if (placed.range.length_ns() > 0)
    colored_text(theme.text_dim, text_from_duration(placed.range.length_ns()));
  if (placed.found.match == SliceMatch::lost) {
    colored_text(theme.warning, tr(Text::bookmark_slice_missing));
  } else if (placed.found.match == SliceMatch::nearest) {
    colored_text(theme.warning, tr(Text::bookmark_slice_nearest));
  }
  colored_text(theme.text_dim, tr(Text::bookmark_flag_hint));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void BookmarkFlags::end_editing(Bookmarks& bookmarks, bool keep_text) {
  if (keep_text) bookmarks.set_text(edited_, text_.data());
  edited_ = 0;
}

void BookmarkFlags::draw_colors(Bookmarks& bookmarks, const PlacedBookmark& placed, const Theme& theme,
                                float ui_scale) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float side = std::round(20 * ui_scale);
  for (std::uint8_t i = 0; i < kBookmarkColors; ++i) {
    if (i > 0) ImGui::SameLine(0, std::round(4 * ui_scale));
    ImGui::PushID(i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const char digit = static_cast<char>('1' + i);
    const bool clicked = ImGui::InvisibleButton("color", {side, side});
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::SetTooltip("Ctrl+%c", digit);
    }
    ImGui::PopID();
    if (clicked || (ImGui::GetIO().KeyCtrl && key_pressed(digit))) {
      bookmarks.set_color(placed.mark.id, i);
      takes_focus_ = true;
      return;  // `placed` is invalid now
    }
    list.AddRectFilled(at, {at.x + side, at.y + side}, bookmark_color(i, theme), side * 0.25F);
    if (i == placed.mark.color) {
      const float thick = std::max(2.0F, std::round(2 * ui_scale));
      list.AddRect(at, {at.x + side, at.y + side}, theme.selection, side * 0.25F, 0, thick);
    }
    list.AddText({std::floor(at.x + (side - text_width({&digit, 1})) / 2),
                  std::floor(at.y + (side - ImGui::GetFontSize()) / 2)},
                 theme.text_on_slice, &digit, &digit + 1);
  }
}

void BookmarkFlags::draw_editor(TimelineState& state, Bookmarks& bookmarks, const Theme& theme) {
  if (edited_ == 0) return;
  const PlacedBookmark* placed = bookmarks.find(edited_);
  if (placed == nullptr) edited_ = 0;  // deleted in the meantime
  if (opens_editor_) ImGui::OpenPopup(kEditor);
  const bool opened = std::exchange(opens_editor_, false);
  const Box& ruler = state.boxes.ruler;
  if (placed != nullptr && opened) {
    const float right = std::max(ruler.left, ruler.right - state.px(kFieldPx + 40));
    const float x = std::clamp(std::floor(state.screen_x(placed->range.begin_ns)), ruler.left, right);
    ImGui::SetNextWindowPos({x, ruler.bottom + state.px(4)});
  }
  if (!ImGui::BeginPopup(kEditor)) {
    if (edited_ != 0) end_editing(bookmarks, true);  // after a click outside
    return;
  }
  if (placed == nullptr) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  const bool escape = key_pressed(NamedKey::escape);
  colored_text(theme.text, title_of(*placed));
  ImGui::SetNextItemWidth(state.px(kFieldPx));
  if (std::exchange(takes_focus_, false)) focus_next_field();
  const bool entered = ImGui::InputTextWithHint("##text", tr(Text::bookmark_note_hint), text_.data(),
                                                text_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  bookmarks.add_glyphs(text_.data());
  draw_colors(bookmarks, *placed, theme, state.scale);
  ImGui::SameLine(0, state.px(16));
  const bool deleted =
      flat_button(with_id(Text::bookmark_delete, "delete").c_str(),
                  hint_with_key(Text::bookmark_delete_hint, CommandId::restore_bookmark).c_str());
  colored_text(theme.text_dim, tr(Text::bookmark_editor_keys));
  if (deleted) bookmarks.remove(edited_);
  if (entered || escape || deleted) {
    ImGui::CloseCurrentPopup();
    end_editing(bookmarks, entered);
  }
  ImGui::EndPopup();
}

}  // namespace kino
