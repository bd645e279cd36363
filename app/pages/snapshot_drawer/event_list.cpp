#include "app/pages/snapshot_drawer/event_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/name_pattern.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

constexpr double kRowsPerNotch = 3;

bool is_segment(SnapshotAction action) {
  return action == SnapshotAction::segment_alloc || action == SnapshotAction::segment_free ||
         action == SnapshotAction::segment_map || action == SnapshotAction::segment_unmap;
}

std::vector<bool> matching_stacks(const Snapshot& snapshot, const NamePattern& pattern,
                                  const std::stop_token& stop) {
  const SnapshotStacks& stacks = snapshot.stacks;
  std::vector<bool> frames(stacks.frame_count());
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    const SnapshotFrame& frame = stacks.frame(FrameId{i});
    frames[i] = pattern.found_in(snapshot.text(frame.name)) || pattern.found_in(snapshot.text(frame.file));
  }
  std::vector<bool> found(stacks.stack_count());
  for (std::uint32_t i = 0; i < found.size() && !stop.stop_requested(); ++i) {
    found[i] = std::ranges::any_of(stacks.frames(StackId{i}),
                                   [&](FrameId id) { return frames[static_cast<std::uint32_t>(id)]; });
  }
  return found;
}

std::uint32_t color_of(SnapshotAction action, const Theme& theme) {
  if (action == SnapshotAction::oom) return theme.error;
  if (is_segment(action)) return theme.accent;
  return action == SnapshotAction::alloc ? theme.text : theme.text_dim;
}

}  // namespace

EventMatches matching_events(const Snapshot& snapshot, std::size_t device, const std::string& pattern,
                             const std::stop_token& stop) {
  constexpr std::size_t kStopEvery = 65536;
  EventMatches matches;
  const Result<NamePattern> compiled = NamePattern::compile(pattern);
  if (!compiled.ok()) {
    matches.problem = compiled.error().what;
    return matches;
  }
  const NamePattern& wanted = compiled.value();
  const std::vector<bool> stacks = matching_stacks(snapshot, wanted, stop);
  std::array<bool, kSnapshotActionCount> actions{};
  for (std::size_t a = 0; a < actions.size(); ++a)
    actions[a] = wanted.found_in(text_of(static_cast<SnapshotAction>(a)));
  const SnapshotEntries& entries = snapshot.devices[device].entries;
  for (std::size_t i = 0; i < entries.entry_count(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) break;
    const StackId stack = entries.stack[i];
    if (actions[static_cast<std::size_t>(entries.action[i])] ||
        (stack != kNoStack && stacks[static_cast<std::size_t>(stack)]) ||
        wanted.found_in(address_text(entries.addr[i]))) {
      matches.events.push_back(static_cast<EventIndex>(i));
    }
  }
  return matches;
}

const std::vector<EventIndex>* EventList::filtered() const {
  const EventMatches* found = requested_.empty() ? nullptr : matches_.value();
  return found != nullptr ? &found->events : nullptr;
}

std::size_t EventList::listed(const SnapshotState& state) const {
  const std::vector<EventIndex>* some = filtered();
  return some != nullptr ? some->size() : state.device().entries.entry_count();
}

EventIndex EventList::event_of(std::size_t row) const {
  const std::vector<EventIndex>* some = filtered();
  return some != nullptr ? (*some)[row] : static_cast<EventIndex>(row);
}

std::size_t EventList::row_of(EventIndex event) const {
  const std::vector<EventIndex>* some = filtered();
  if (some == nullptr) return static_cast<std::size_t>(std::max<EventIndex>(0, event));
  return static_cast<std::size_t>(std::ranges::lower_bound(*some, event) - some->begin());
}

void EventList::update(const SnapshotState& state) {
  if (matches_.poll() != nullptr) followed_.reset();
  const std::string wanted = text_.data();
  if (wanted == requested_ && (requested_.empty() || requested_device_ == state.device_index())) return;
  requested_ = wanted;
  requested_device_ = state.device_index();
  followed_.reset();
  matches_.reset();
  if (requested_.empty()) return;
  matches_.start(
      pool_, wake_,
      [snapshot = snapshot_, device = requested_device_, pattern = requested_](const std::stop_token& stop) {
        return matching_events(*snapshot, device, pattern, stop);
      });
}

std::optional<EventIndex> EventList::neighbor(const SnapshotState& state, int step) const {
  const std::size_t count = listed(state);
  const std::size_t row = row_of(state.cursor);
  if (step > 0) {
    const bool on_it = row < count && event_of(row) == state.cursor;
    const std::size_t next = row + (on_it ? 1 : 0);
    return next < count ? std::optional(event_of(next)) : std::nullopt;
  }
  return row > 0 ? std::optional(event_of(std::min(row, count) - 1)) : std::nullopt;
}

void EventList::draw_field(const SnapshotState& state, const Theme& theme) {
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x * 0.6F, 240 * state.scale));
  if (std::exchange(take_focus_, false)) focus_next_field();
  ImGui::InputTextWithHint("##events", tr(Text::events_find), text_.data(), text_.size(),
                           ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    ImGui::SetTooltip("%s", hint_with_key(Text::events_find_hint, CommandId::find_event).c_str());
  if ((ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && key_pressed(NamedKey::escape))
    text_.fill('\0');
  ImGui::SameLine(0, 8 * state.scale);
  const EventMatches* found = requested_.empty() ? nullptr : matches_.value();
  const bool wrong = found != nullptr && !found->problem.empty();
  const std::string words = wrong                ? in_language(found->problem)
                            : matches_.running() ? tr(Text::snapshot_counting)
                            : matches_.failed()
                                ? tr(Text::not_enough_memory)
                                : counted(Text::snapshot_one_event, Text::snapshot_events, listed(state));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, wrong ? theme.error : theme.text_dim, words);
  ImGui::Dummy({1, ImGui::GetFrameHeight()});
}

void EventList::draw_row(ImDrawList& list, const SnapshotState& state, EventIndex event, ImVec2 corner,
                         ImVec2 size, const Theme& theme) const {
  const SnapshotEntries& entries = state.device().entries;
  const auto i = static_cast<std::size_t>(event);
  const float gap = std::round(8 * state.scale);
  const SnapshotAction action = entries.action[i];
  const AllocationId id = state.history().allocation_of_entry[i];
  if (event == state.cursor)
    list.AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, ImGui::GetColorU32(ImGuiCol_Header));
  if (id != kNoAllocation && id == state.selected)
    list.AddRectFilled(corner, {corner.x + std::round(3 * state.scale), corner.y + size.y}, theme.accent);
  const float y = corner.y + std::floor((size.y - ImGui::GetFontSize()) / 2);
  float x = corner.x + gap;
  const auto right_aligned = [&](float width, std::uint32_t color, const std::string& words) {
    list.AddText({x + std::max(0.0F, width - text_width(words)), y}, color, words.c_str());
    x += width + gap;
  };
  right_aligned(text_width(std::to_string(entries.entry_count())), theme.text_dim, std::to_string(event));
  const float action_width = text_width("segment_unmap");
  draw_elided(list, {x, y}, action_width, color_of(action, theme), text_of(action));
  x += action_width + gap;
  right_aligned(text_width("999.99 MiB"), theme.text, text_from_bytes(entries.size[i]));
  // If a free has no stack of its own, the row shows the place of the allocation.
  const bool is_free = action == SnapshotAction::free || action == SnapshotAction::free_requested ||
                       action == SnapshotAction::free_completed;
  const StackId stack = is_free && id != kNoAllocation ? stack_of_free(state.device(), id) : entries.stack[i];
  const std::string words =
      is_free && id != kNoAllocation && stack == kNoStack
          ? filled(Text::snapshot_of_allocation_in, {place_text(*snapshot_, state.history().allocations, id)})
          : place_text(*snapshot_, stack);
  draw_elided(list, {x, y}, corner.x + size.x - x, theme.text_dim, words, Elide::middle);
}

// Draws a tooltip with the details that do not fit into the row. For a free, the tooltip also describes the
// allocation.
void EventList::draw_card(const SnapshotState& state, EventIndex event, const Theme& theme) const {
  const SnapshotEntries& entries = state.device().entries;
  const auto i = static_cast<std::size_t>(event);
  const SnapshotAction action = entries.action[i];
  const AllocationId id = state.history().allocation_of_entry[i];
  const bool is_free = action == SnapshotAction::free || action == SnapshotAction::free_requested ||
                       action == SnapshotAction::free_completed;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 560 * state.scale);
  colored_text(theme.text, std::string(text_of(action)));
  ImGui::SameLine(0, 8 * state.scale);
  colored_text(theme.text_dim, grouped(entries.size[i]) + " B");
  if (action != SnapshotAction::oom && action != SnapshotAction::snapshot) {
    colored_text(theme.text_dim,
                 filled(Text::snapshot_card_place,
                        {address_text(entries.addr[i]), stream_text(*snapshot_, entries.stream[i]),
                         pool_text(*snapshot_, entries.pool[i])}));
  }
  const auto fact = [&](Text key, const std::string& words) {
    colored_text(theme.text_dim, tr(key));
    ImGui::SameLine(0, 8 * state.scale);
    wrapped_text(theme.text, words);
  };
  StackId stack = entries.stack[i];
  if (is_free && id != kNoAllocation) {
    stack = stack_of_free(state.device(), id);
    fact(Text::snapshot_freed_in,
         stack == kNoStack ? tr(Text::snapshot_free_unknown) : place_text(*snapshot_, stack));
    fact(Text::snapshot_place, place_text(*snapshot_, state.history().allocations, id));
  }
  draw_card_stack(stack, theme);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void EventList::draw_card_stack(StackId stack, const Theme& theme) const {
  constexpr std::size_t kMostLines = 16;
  if (stack == kNoStack || stack == kEmptyStack) return;
  ImGui::Separator();
  const auto frames = snapshot_->stacks.frames(stack);
  std::vector<StackPart> parts = stack_parts(*snapshot_, stack);
  // Skips the bookkeeping frames at the top of the stack if other frames follow.
  const auto tells = [&](const StackPart& part) {
    return part.count > 1 ||
           !is_memory_bookkeeping(snapshot_->text(snapshot_->frame(frames[part.first]).name));
  };
  const auto first = std::ranges::find_if(parts, tells);
  if (first != parts.end()) parts.erase(parts.begin(), first);
  for (std::size_t p = 0; p < std::min(parts.size(), kMostLines); ++p) {
    const StackPart& part = parts[p];
    const std::string words =
        part.count > 1 ? counted(Text::snapshot_one_library_frame, Text::snapshot_library_frames, part.count)
                       : frame_text(*snapshot_, frames[part.first]);
    wrapped_text(part.library ? theme.text_dim : theme.text, words);
  }
  if (parts.size() > kMostLines)
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(parts.size() - kMostLines)}));
}

void EventList::scroll(double rows, double in_sight) {
  top_ = std::clamp(top_, 0.0, std::max(0.0, rows - in_sight));
}

void EventList::draw_scrollbar(ImDrawList& list, const SnapshotState& state, ImVec2 corner, ImVec2 size,
                               double rows, double in_sight, const Theme& theme) {
  if (rows <= in_sight) return;
  const float least = std::round(20 * state.scale);
  const float length = std::max(least, size.y * static_cast<float>(in_sight / rows));
  const double room = size.y - length;
  const float y = corner.y + static_cast<float>(room * top_ / (rows - in_sight));
  ImGui::SetCursorScreenPos(corner);
  ImGui::InvisibleButton("scroll", size);
  const bool held = ImGui::IsItemActive();
  if (held && room > 0) {
    top_ = (rows - in_sight) * (ImGui::GetIO().MousePos.y - corner.y - length / 2) / room;
    scroll(rows, in_sight);
  }
  const std::uint32_t color = ImGui::GetColorU32(held                     ? ImGuiCol_ScrollbarGrabActive
                                                 : ImGui::IsItemHovered() ? ImGuiCol_ScrollbarGrabHovered
                                                                          : ImGuiCol_ScrollbarGrab);
  list.AddRectFilled({corner.x + 2, y}, {corner.x + size.x - 2, y + length}, color, 4 * state.scale);
  list.AddLine({corner.x, corner.y}, {corner.x, corner.y + size.y}, theme.border);
}

std::optional<EventIndex> EventList::draw(const SnapshotState& state, const Theme& theme) {
  draw_field(state, theme);
  ImGui::BeginChild("events", {0, 0}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const float height = std::ceil(ImGui::GetTextLineHeight() + 4 * state.scale);
  const float bar = std::round(12 * state.scale);
  const double in_sight = std::max(1.0F, std::floor(size.y / height));
  const std::size_t count = listed(state);
  const auto rows = static_cast<double>(count);
  if (followed_ != state.cursor) {
    followed_ = state.cursor;
    const auto row = static_cast<double>(row_of(state.cursor));
    if (row < top_ || row >= top_ + in_sight) top_ = row - std::floor(in_sight / 2);
  }
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0)
    top_ -= ImGui::GetIO().MouseWheel * kRowsPerNotch;
  scroll(rows, in_sight);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<EventIndex> clicked;
  std::optional<EventIndex> under_mouse;
  ImGui::InvisibleButton("rows", {std::max(1.0F, size.x - bar), std::max(1.0F, size.y)});
  const bool over = ImGui::IsItemHovered();
  const float mouse_y = ImGui::GetIO().MousePos.y;
  const auto first = static_cast<std::size_t>(top_);
  for (std::size_t row = first; row < count && static_cast<double>(row - first) <= in_sight; ++row) {
    const ImVec2 at{corner.x, corner.y + static_cast<float>(row - first) * height};
    const ImVec2 row_size{size.x - bar, height};
    if (over && mouse_y >= at.y && mouse_y < at.y + height) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list.AddRectFilled(at, {at.x + row_size.x, at.y + height}, ImGui::GetColorU32(ImGuiCol_HeaderHovered));
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = followed_ = event_of(row);
      under_mouse = event_of(row);
    }
    draw_row(list, state, event_of(row), at, row_size, theme);
  }
  draw_scrollbar(list, state, {corner.x + size.x - bar, corner.y}, {bar, std::max(1.0F, size.y)}, rows,
                 in_sight, theme);
  ImGui::EndChild();
  if (under_mouse) draw_card(state, *under_mouse, theme);
  hovered_ = under_mouse;
  return clicked;
}

}  // namespace kino
