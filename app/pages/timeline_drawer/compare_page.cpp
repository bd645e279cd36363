#include "app/pages/timeline_drawer/compare_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/ui/bookmarks/bookmark.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/view/range_tracks.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

/// The table of the comparison. It is not in a list of tables, because it depends on the user's saved ranges.
constexpr TableInfo kComparisonTable{.name = "comparison", .title = {}, .heading = {}, .about = {}};
constexpr std::array kComparison{&kComparisonTable};

std::uint32_t part_color(char letter, const Theme& theme) {
  return bookmark_color(static_cast<std::uint8_t>((letter - 'A') % kBookmarkColors), theme);
}

PartWords part_words(const Trace& trace) {
  PartWords words;
  words.title = tr(Text::tab_compare);
  words.definition = device_text(Text::compare_definition, trace);
  words.name = tr(Text::range_name);
  words.kind = tr(Text::compare_kind);
  words.count = tr(Text::range_count);
  words.calls = tr(Text::range_calls);
  words.total = tr(Text::range_total);
  words.change = tr(Text::compare_change);
  for (std::size_t kind = 0; kind < kSliceKindCount; ++kind)
    words.kinds.emplace_back(in_language(shown_name(static_cast<SliceKind>(kind))));
  return words;
}

TableResults::Compute comparison_of(std::shared_ptr<const Trace> trace, std::vector<SavedRange> parts,
                                    PartWords words) {
  return [trace = std::move(trace), parts = std::move(parts), words = std::move(words)](
             const TableResultQuery&, const std::stop_token& stop) -> Result<Table> {
    std::vector<ComparedPart> compared;
    compared.reserve(parts.size());
    for (const SavedRange& part : parts) {
      Result<std::vector<NameStats>> names = summarize_part(*trace, part.part, stop);
      if (!names.ok()) return names.error();
      compared.push_back({std::string(1, part.letter), std::move(names).value()});
    }
    return part_comparison(*trace, compared, words);
  };
}

/// Returns a text such as "12.3 ms · 4 tracks".
std::string facts_of(const Trace& trace, const TracePart& part) {
  std::string facts = text_from_duration(part.range.length_ns());
  if (part.tracks)
    facts += " · " + counted(Text::header_track, Text::header_tracks, part.tracks->tracks.size());
  if (part.slice != kNoSlice)
    facts += std::string(" · ") + tr(is_step(trace, part.slice) ? Text::compare_step : Text::compare_slice);
  return facts;
}

/// Returns the position of the letter on the ruler: at the start of the range, or of its visible part.
RulerGap letter_place(const TimelineState& state, const SavedRange& kept) {
  const Box& ruler = state.boxes.ruler;
  const float width = std::ceil(text_width({&kept.letter, 1})) + 2 * state.px(3);
  const float left = std::floor(state.screen_x(kept.part.range.begin_ns));
  const float right = std::max(left + state.px(4), std::floor(state.screen_x(kept.part.range.end_ns)));
  const float most = std::max(ruler.left, std::min(right, ruler.right) - width);
  const float x = std::max(left, std::clamp(left, ruler.left, most));
  return {x, x + width};
}

}  // namespace

std::optional<std::pair<TracePart, std::string>> range_to_save(const TimelineState& state) {
  const SliceId slice = state.selection.slice;
  const std::optional<TimeRange>& marked = state.marked.range();
  const bool range_shown = state.drawer.shows(drawer_page::kRange);
  if (marked && (slice == kNoSlice || range_shown)) {
    TracePart part{*marked, track_set(state), kNoSlice};
    return std::pair(std::move(part), filled(Text::compare_range_name, {exact_time_text(marked->begin_ns)}));
  }
  if (slice == kNoSlice) return std::nullopt;
  const TimeRange range = range_of(*state.trace, {slice, kNoInstant});
  std::string name =
      stored_text(SliceStyle::short_text(state.trace->name_of(slice)), SavedRanges::kMostNameBytes);
  return std::pair(TracePart{range, std::nullopt, slice}, std::move(name));
}

ComparePage::ComparePage(const TimelineHost& host)
    : state_(host.state), look_(host.look), tab_(kComparison, {}, host.file, host.pool, host.wake) {}

std::string ComparePage::note() const {
  return state_.kept.all().empty() ? std::string() : grouped(state_.kept.all().size());
}

void ComparePage::keep(TimelineState& state, char letter) {
  auto part = range_to_save(state);
  state.drawer.show(drawer_page::kCompare);  // if there is nothing to save, the page explains what to do
  if (!part) return;
  if (letter == 0) {
    state.kept.add(std::move(part->first), std::move(part->second));
  } else {
    state.kept.set(letter, std::move(part->first), std::move(part->second));
  }
}

void ComparePage::handle_keys(bool shown) {
  tab_.handle_keys(shown);
  if (command_pressed(CommandId::mark_a)) keep(state_, 'A');
  if (command_pressed(CommandId::mark_b)) keep(state_, 'B');
  if (command_pressed(CommandId::keep_part)) keep(state_, 0);
  if (command_pressed(CommandId::clear_parts)) state_.kept.clear();
  if (const char letter = std::exchange(requested_letter_, 0); letter != 0)
    keep(state_, letter == '*' ? 0 : letter);
}

void ComparePage::update(bool shown) {
  const SavedRanges& parts = state_.kept;
  const std::pair<std::uint64_t, int> now{parts.generation(), static_cast<int>(language())};
  if (std::exchange(computed_for_, now) != now) {
    std::vector<SavedRange> compared;
    std::ranges::copy_if(parts.all(), std::back_inserter(compared), &SavedRange::compared);
    compared_ = compared.size();
    tab_.set_compute(comparison_of(state_.trace, std::move(compared), part_words(*state_.trace)),
                     OldRows::keep);
  }
  tab_.update(shown && compared_ > 0, TableResultQuery());
}

void ComparePage::draw_tools(SavedRanges& parts, const Theme& theme, float ui_scale) {
  const float gap = std::round(6 * ui_scale);
  const auto button = [&](Text label, Text hint, CommandId command, const char* id) {
    const bool clicked = flat_button(with_id(label, id).c_str(), hint_with_key(hint, command).c_str());
    record_position(id);
    ImGui::SameLine(0, gap);
    return clicked;
  };
  if (button(Text::compare_mark_a, Text::compare_mark_hint, CommandId::mark_a, "mark_a"))
    requested_letter_ = 'A';
  if (button(Text::compare_mark_b, Text::compare_mark_hint, CommandId::mark_b, "mark_b"))
    requested_letter_ = 'B';
  if (button(Text::compare_add, Text::compare_add_hint, CommandId::keep_part, "keep"))
    requested_letter_ = '*';
  if (!parts.all().empty() &&
      button(Text::compare_clear, Text::compare_clear_hint, CommandId::clear_parts, "clear")) {
    parts.clear();
  }
  ImGui::NewLine();
  if (parts.all().size() == SavedRanges::kMost) colored_text(theme.warning, tr(Text::compare_full));
}

bool ComparePage::draw_part(SavedRanges& parts, const SavedRange& part, const Theme& theme, float ui_scale) {
  const std::string letter(1, part.letter);
  const float gap = std::round(6 * ui_scale);
  ImGui::PushID(part.letter);
  bool compared = part.compared;
  const bool toggled = ImGui::Checkbox("##compared", &compared);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::compare_checkbox_hint));
  record_position(letter + "_tick");
  ImGui::SameLine(0, gap);
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool wanted = ImGui::InvisibleButton("letter", {side, side});
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", tr(Text::compare_show_hint));
  }
  record_position(letter + "_letter");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + side, at.y + side}, part_color(part.letter, theme), side * 0.2F);
  const float text_x = std::floor(at.x + (side - text_width(letter)) / 2);
  list.AddText({text_x, std::floor(at.y + (side - ImGui::GetFontSize()) / 2)}, theme.text_on_slice,
               letter.c_str());
  ImGui::SameLine(0, gap);
  const std::string facts = facts_of(*state_.trace, part.part);
  const float remove = flat_button_width("×");
  const float room = ImGui::GetContentRegionAvail().x - remove - gap;
  const float facts_width = std::min(text_width(facts), room * 0.5F);
  ImGui::SetNextItemWidth(std::max(40 * ui_scale, room - facts_width - 2 * gap));
  text_.fill('\0');
  std::memcpy(text_.data(), part.name.data(), std::min(part.name.size(), SavedRanges::kMostNameBytes));
  // ImGui keeps its own copy of a text that is being edited. The text is stored when the field loses focus.
  ImGui::InputText("##name", text_.data(), text_.size());
  const bool renamed = ImGui::IsItemDeactivatedAfterEdit();
  record_position(letter + "_name");
  ImGui::SameLine(0, gap);
  const ImVec2 facts_at = ImGui::GetCursorScreenPos();
  draw_elided(list, {facts_at.x, facts_at.y + ImGui::GetStyle().FramePadding.y}, facts_width + 1,
              theme.text_dim, facts);
  ImGui::Dummy({facts_width, side});
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", facts.c_str());
  ImGui::SameLine(0, gap);
  const bool removed = flat_button("×", tr(Text::compare_remove_hint));
  record_position(letter + "_remove");
  ImGui::PopID();
  const char which = part.letter;  // a change invalidates `part`
  if (toggled) parts.compare(which, compared);
  if (renamed) parts.rename(which, stored_text(text_.data(), SavedRanges::kMostNameBytes));
  if (removed) parts.remove(which);
  return wanted;
}

char ComparePage::draw_list(SavedRanges& parts, ImVec2 size, const Theme& theme, float ui_scale) {
  char wanted = 0;
  ImGui::BeginChild("parts", size);
  draw_tools(parts, theme, ui_scale);
  std::string letters;
  for (const SavedRange& part : parts.all()) letters += part.letter;
  for (const char letter : letters) {
    const SavedRange* part = parts.find(letter);
    if (part != nullptr && draw_part(parts, *part, theme, ui_scale)) wanted = letter;
  }
  if (parts.all().empty()) wrapped_text(theme.text_dim, tr(Text::compare_none));
  ImGui::EndChild();
  return wanted;
}

void ComparePage::draw_table(float height, const DrawContext& look) {
  ImGui::SameLine(0, std::round(12 * look.scale));
  tab_.begin_alone({0, height});
  tab_.draw_tools(look.theme, look.scale, look.keyboard);
  const TableGrid::Actions done =
      tab_.draw_rows(ImGui::GetContentRegionAvail(), look_, look.theme, look.scale);
  if (done.go_to && tab_.matching_rows() != nullptr) {
    const SliceId slice = tab_.matching_rows()->answer->table.slice_of(*done.go_to);
    if (slice != kNoSlice) state_.choose({slice, kNoInstant}, true);
  }
  TableTab::end();
}

void ComparePage::show(const SavedRange& kept) {
  if (kept.part.slice != kNoSlice) {
    state_.choose({kept.part.slice, kNoInstant}, true);
  } else {
    state_.navigation.reveal(kept.part.range);
    state_.marked.set(kept.part.range,
                      kept.part.tracks ? std::optional(kept.part.tracks->tracks) : std::nullopt);
  }
}

void ComparePage::draw(ImVec2 size, const DrawContext& look) {
  places_.clear();
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * look.scale, 8 * look.scale});
  ImGui::BeginChild("compare", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetContentRegionAvail().y;
  const float list =
      compared_ == 0 ? width : std::round(std::clamp(width * 0.32F, 260 * look.scale, 460 * look.scale));
  const char wanted = draw_list(state_.kept, {list, height}, look.theme, look.scale);
  if (compared_ > 0) draw_table(height, look);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  const SavedRange* shown = wanted != 0 ? state_.kept.find(wanted) : nullptr;
  if (shown != nullptr) show(*shown);
}

// Writes the state for tests, including all cells of the first rows.
void ComparePage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json json = table_state(tab_);
  Json parts = Json::array();
  for (const SavedRange& kept : state_.kept.all()) {
    parts.push_back({{"letter", std::string(1, kept.letter)},
                     {"name", kept.name},
                     {"range", {kept.part.range.begin_ns, kept.part.range.end_ns}},
                     {"slice", kept.part.slice != kNoSlice ? Json(index_of(kept.part.slice)) : Json()},
                     {"tracks", kept.part.tracks ? Json(kept.part.tracks->tracks) : Json()},
                     {"compared", kept.compared}});
  }
  json["parts"] = parts;
  json["places"] = places_json(places_);
  Json rows = Json::array();
  if (const TableResults::Rows* shown = tab_.rows()) {
    constexpr std::size_t kMostRows = 20;
    const Table& table = shown->answer->table;
    for (std::size_t i = 0; i < std::min(kMostRows, shown->order.size()); ++i) {
      Json row = Json::object();
      for (const TableColumn& column : table.columns)
        row[column.key] = head_json(cell_text(column, shown->order[i]));
      rows.push_back(std::move(row));
    }
  }
  json["cells"] = rows;
  panel["compare"] = json;
}

std::vector<RulerGap> saved_range_gaps(const TimelineState& state) {
  std::vector<RulerGap> gaps;
  for (const SavedRange& kept : state.kept.all()) {
    if (state.screen_x(kept.part.range.end_ns) >= state.boxes.ruler.left)
      gaps.push_back(letter_place(state, kept));
  }
  return gaps;
}

void draw_saved_ranges(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  const Box& ruler = state.boxes.ruler;
  const Box& tracks = state.boxes.tracks;
  const float line = std::max(1.0F, state.px(1));
  const float bar = state.px(4);
  list.PushClipRect({ruler.left, ruler.top}, {tracks.right, tracks.bottom}, true);
  for (const SavedRange& kept : state.kept.all()) {
    const float left = std::floor(state.screen_x(kept.part.range.begin_ns));
    const float right = std::max(left + bar, std::floor(state.screen_x(kept.part.range.end_ns)));
    if (right < ruler.left || left > ruler.right) continue;
    const std::uint32_t color = part_color(kept.letter, theme);
    for (const float x : {left, right})
      list.AddLine({x + 0.5F, ruler.bottom}, {x + 0.5F, tracks.bottom}, with_alpha(color, 0x70), line);
    list.AddRectFilled({left, ruler.bottom - bar}, {right, ruler.bottom}, color);
    const std::string letter(1, kept.letter);
    const auto [x, end] = letter_place(state, kept);
    const float height = std::min(ruler.height(), std::ceil(ImGui::GetFontSize()) + state.px(2));
    list.AddRectFilled({x, ruler.bottom - height}, {end, ruler.bottom}, color, state.px(2));
    list.AddText({x + state.px(3), std::floor(ruler.bottom - height + (height - ImGui::GetFontSize()) / 2)},
                 theme.text_on_slice, letter.c_str());
  }
  list.PopClipRect();
}

}  // namespace kino
