#include "app/details_drawer.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/event_steps.hpp"
#include "app/fonts.hpp"
#include "app/ruler.hpp"
#include "app/text_drawing.hpp"
#include "core/name_text.hpp"
#include "core/time_text.hpp"
#include "loaders/args_reader.hpp"

namespace kino {
namespace {

constexpr std::size_t kParentsShown = 5;
constexpr std::size_t kMostParents = 1000;
constexpr double kCopiedSeconds = 1.2;

void text(std::string_view words) { ImGui::TextUnformatted(words.data(), words.data() + words.size()); }

void colored(std::string_view words, std::uint32_t color) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  text(words);
  ImGui::PopStyleColor();
}

void wrapped(std::string_view words) {
  ImGui::PushTextWrapPos(0);
  text(words);
  ImGui::PopTextWrapPos();
}

/// Begins a line of the table of facts.
void key_cell(const char* key, const Theme& theme) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  colored(key, theme.text_dim);
  ImGui::TableNextColumn();
}

/// A value and, dim beside it, the same with all digits.
void value_pair(const std::string& value, const std::string& exact, const Theme& theme, float ui_scale) {
  text(value);
  if (exact.empty()) return;
  const float needed = text_width(exact) + 12 * ui_scale;
  if (ImGui::GetItemRectSize().x + needed <= ImGui::GetContentRegionAvail().x)
    ImGui::SameLine(0, 12 * ui_scale);
  colored(exact, theme.text_dim);
}

/// Text that looks and works like a link.
bool link(std::string_view words, const Theme& theme) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::min(text_width(words), ImGui::GetContentRegionAvail().x);
  const float height = ImGui::GetTextLineHeight();
  const bool clicked = ImGui::InvisibleButton("link", {std::max(1.0F, width), height});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_elided(list, at, width + 1, theme.accent, words);
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    list.AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, theme.accent);
  }
  return clicked;
}

ImGuiTableFlags fact_table_flags() {
  return ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
}

}  // namespace

void DetailsDrawer::load(EventRef event) {
  event_ = event;
  loaded_ = true;
  rows_.clear();
  problem_.clear();
  parents_.clear();
  all_parents_ = false;
  if (!event.any()) return;
  const bool slice = event.slice != kNoSlice;
  const std::uint32_t i = slice ? index_of(event.slice) : event.instant;
  name_ = slice ? trace_.name_of(event.slice) : trace_.names[index_of(trace_.instants.name[i])];
  short_name_ = short_name(name_);
  if (slice) {
    for (SliceId parent = trace_.slices.parent[i]; parent != kNoSlice && parents_.size() < kMostParents;
         parent = trace_.slices.parent[index_of(parent)]) {
      parents_.push_back(parent);
    }
  }
  const std::uint64_t offset = slice ? trace_.slices.source_offset[i] : trace_.instants.source_offset[i];
  const Result<ArgNode> read = read_event(text_, offset);
  if (read.ok()) {
    rows_ = argument_rows(read.value());
  } else {
    problem_ = read.error().what;
  }
}

EventRef DetailsDrawer::draw(EventRef event, ImVec2 size, const Theme& theme, float ui_scale) {
  if (!loaded_ || event != event_) load(event);
  EventRef clicked;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale, 10 * ui_scale});
  ImGui::BeginChild("details", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (!event.any()) {
    colored("Click a slice to see what it is. [ and ] go along its row, Up and Down to parent and child.",
            theme.text_dim);
    ImGui::EndChild();
    return clicked;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = 20 * ui_scale;
  if (width < 640 * ui_scale) {
    draw_facts(theme, ui_scale, clicked);
    ImGui::Dummy({0, 6 * ui_scale});
    draw_arguments(theme, ui_scale);
  } else {
    const float facts = std::floor(std::clamp(width * 0.46F, 320 * ui_scale, 620 * ui_scale));
    const float height = ImGui::GetContentRegionAvail().y;
    ImGui::BeginChild("facts", {facts, height});
    draw_facts(theme, ui_scale, clicked);
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line_x = std::floor(at.x - gap / 2) + 0.5F;
    ImGui::GetWindowDrawList()->AddLine({line_x, at.y}, {line_x, at.y + height}, theme.border);
    ImGui::BeginChild("arguments", {0, height});
    draw_arguments(theme, ui_scale);
    ImGui::EndChild();
  }
  ImGui::EndChild();
  return clicked;
}

void DetailsDrawer::draw_facts(const Theme& theme, float ui_scale, EventRef& clicked) {
  const bool slice = event_.slice != kNoSlice;
  const std::uint32_t i = slice ? index_of(event_.slice) : event_.instant;
  ImGui::PushTextWrapPos(0);
  text(std::string_view(name_).substr(0, 4000));
  ImGui::PopTextWrapPos();
  const bool copied = ImGui::GetTime() - copied_at_ < kCopiedSeconds;
  if (ImGui::SmallButton(copied ? "Copied###copy" : "Copy name###copy")) {
    ImGui::SetClipboardText(name_.c_str());
    copied_at_ = ImGui::GetTime();
  }
  ImGui::Dummy({0, 2 * ui_scale});
  if (!ImGui::BeginTable("facts", 2, fact_table_flags())) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, text_width("Launch delay") + 4 * ui_scale);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);

  const CategoryId category = slice ? trace_.slices.category[i] : trace_.instants.category[i];
  const std::string_view category_text = trace_.categories[index_of(category)];
  key_cell("Kind", theme);
  if (slice) {
    const SliceKind kind = trace_.slices.kind[i];
    const float square = std::round(9 * ui_scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + square, top + square},
                                              kind_color(kind, theme), 2 * ui_scale);
    ImGui::Dummy({square, 1});
    ImGui::SameLine(0, 6 * ui_scale);
    text(text_of(kind));
  } else {
    text("instant");
  }
  if (!category_text.empty()) {
    ImGui::SameLine(0, 12 * ui_scale);
    colored(category_text, theme.text_dim);
  }

  const TimeRange range = range_of(trace_, event_);
  key_cell(slice ? "Start" : "Time", theme);
  value_pair(seconds_text(range.begin_ns),
             "file " + exact_text_from_ns(trace_.origin_unix_ns + range.begin_ns), theme, ui_scale);
  if (slice) {
    const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(0, range.length_ns()));
    key_cell("Duration", theme);
    value_pair(text_from_duration(range.length_ns()), length >= 10'000 ? grouped(length) + " ns" : "", theme,
               ui_scale);
    key_cell("End", theme);
    text(seconds_text(range.end_ns));
  }
  if (const TrackId track_id = track_of(trace_, event_); track_id != kNoTrack) {
    const Track& track = trace_.tracks[index_of(track_id)];
    key_cell("Track", theme);
    wrapped(track.name);
    if (!track.contents.empty()) {
      ImGui::SameLine(0, 12 * ui_scale);
      colored(track.contents, theme.text_dim);
    }
    key_cell("Process", theme);
    wrapped(trace_.processes[track.process].title);
  }
  if (slice) {
    draw_link(theme, clicked);
    draw_parents(theme, clicked);
  }
  ImGui::EndTable();
}

void DetailsDrawer::draw_link(const Theme& theme, EventRef& clicked) {
  const SliceId other = trace_.slices.link[index_of(event_.slice)];
  if (other == kNoSlice) return;
  const CategoryId category = trace_.slices.category[index_of(event_.slice)];
  const bool on_gpu = is_gpu_category(trace_.categories[index_of(category)]);
  key_cell(on_gpu ? "Launched by" : "Launches", theme);
  ImGui::PushID(1);
  if (link(short_name(trace_.name_of(other)), theme)) clicked.slice = other;
  ImGui::PopID();
  const SliceId launch = on_gpu ? other : event_.slice;
  const SliceId work = on_gpu ? event_.slice : other;
  const std::int64_t delay = trace_.slices.start_ns[index_of(work)] - trace_.end_ns(launch);
  key_cell("Launch delay", theme);
  text(text_from_duration(delay));
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip(
        "From the end of the launching call to the start of the work on the GPU.\n"
        "Negative when the work starts before the call returns.");
  }
}

void DetailsDrawer::draw_parents(const Theme& theme, EventRef& clicked) {
  if (parents_.empty()) return;
  key_cell(parents_.size() == 1 ? "Parent" : "Parents", theme);
  const std::size_t shown = all_parents_ ? parents_.size() : std::min(parents_.size(), kParentsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    ImGui::PushID(static_cast<int>(i) + 10);
    if (link(short_name(trace_.name_of(parents_[i])), theme)) clicked.slice = parents_[i];
    ImGui::PopID();
  }
  if (shown == parents_.size()) return;
  const std::string more = "and " + grouped(parents_.size() - shown) + " more";
  ImGui::PushID(2);
  if (link(more, theme)) all_parents_ = true;
  ImGui::PopID();
}

void DetailsDrawer::draw_arguments(const Theme& theme, float ui_scale) {
  if (!problem_.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.error);
    wrapped(problem_);
    ImGui::PopStyleColor();
    return;
  }
  if (rows_.empty()) {
    colored("This event has no arguments.", theme.text_dim);
    return;
  }
  const float indent = 14 * ui_scale;
  float key_width = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows_.size(), 200); ++i) {
    key_width =
        std::max(key_width, text_width(rows_[i].key) + indent * static_cast<float>(rows_[i].depth + 1));
  }
  key_width = std::min(key_width, ImGui::GetContentRegionAvail().x * 0.5F);
  const ImGuiTableFlags flags = fact_table_flags() | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("arguments", 2, flags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, key_width);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  for (std::uint32_t i = 0; i < rows_.size();) {
    ArgumentRow& row = rows_[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    const float x = at.x + indent * static_cast<float>(row.depth + 1);
    const bool folds = row.has_children(i);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::InvisibleButton("key", {key_width, line}) && folds) row.open = !row.open;
    if (folds) {
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      draw_fold_arrow(list, {x - indent * 0.55F, std::floor(at.y + line / 2)}, 8 * ui_scale, row.open,
                      theme.text_dim);
    } else if (ImGui::IsItemHovered() && text_width(row.key) > at.x + key_width - x) {
      ImGui::BeginTooltip();
      text(row.key);
      ImGui::EndTooltip();
    }
    draw_elided(list, {x, at.y}, at.x + key_width - x, theme.text_dim, row.key);
    ImGui::TableNextColumn();
    ImGui::PushFont(mono_font());
    ImGui::PushStyleColor(ImGuiCol_Text, folds ? theme.text_dim : theme.text);
    wrapped(row.shown);
    ImGui::PopStyleColor();
    ImGui::PopFont();
    if (!row.copy.empty() && ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      const bool copied = ImGui::GetTime() - copied_at_ < kCopiedSeconds;
      ImGui::SetTooltip("%s", copied ? "Copied" : "Click to copy the value as the file has it");
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        ImGui::SetClipboardText(row.copy.c_str());
        copied_at_ = ImGui::GetTime();
      }
    }
    ImGui::PopID();
    i = folds && !row.open ? row.end : i + 1;
  }
  ImGui::EndTable();
}

}  // namespace kino
