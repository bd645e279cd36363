#include "app/details_arguments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/details_widgets.hpp"
#include "app/fonts.hpp"
#include "app/text_drawing.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kFramesShown = 8;

}  // namespace

void DetailsArguments::set(const Trace& trace, SliceId slice, const ArgNode* event, std::string problem) {
  problem_ = std::move(problem);
  inputs_ = event != nullptr ? tensor_inputs(*event) : std::vector<TensorInput>{};
  stack_ = slice != kNoSlice ? call_stack(trace, slice, event) : std::vector<StackFrame>{};
  stack_text_ = text_of(stack_);
  all_frames_ = false;
  rows_ = event != nullptr ? argument_rows(*event) : std::vector<ArgumentRow>{};
}

SliceId DetailsArguments::draw(const Theme& theme, float ui_scale) {
  if (!problem_.empty()) wrapped_text(theme.error, problem_);
  bool first = problem_.empty();
  SliceId clicked = kNoSlice;
  if (!inputs_.empty()) {
    section_title(tr(Text::arguments_inputs), std::exchange(first, false), theme, ui_scale);
    draw_inputs(theme, ui_scale);
  }
  if (!stack_.empty()) {
    section_title(tr(Text::arguments_stack), std::exchange(first, false), theme, ui_scale);
    clicked = draw_stack(theme, ui_scale);
  }
  if (!rows_.empty()) {
    section_title(tr(Text::arguments_title), std::exchange(first, false), theme, ui_scale);
    draw_rows(theme, ui_scale);
  } else if (problem_.empty()) {
    if (!first) ImGui::Dummy({0, 4 * ui_scale});
    colored_text(theme.text_dim, tr(Text::arguments_none));
  }
  return clicked;
}

void DetailsArguments::draw_inputs(const Theme& theme, float) const {
  const auto any = [&](auto member) {
    return std::ranges::any_of(inputs_,
                               [member](const TensorInput& input) { return !(input.*member).empty(); });
  };
  struct Column {
    Text title;
    std::string TensorInput::*member;
  };
  std::vector<Column> columns;
  for (const Column column :
       {Column{Text::arguments_dims, &TensorInput::dims}, Column{Text::arguments_type, &TensorInput::type},
        Column{Text::arguments_strides, &TensorInput::strides},
        Column{Text::arguments_value, &TensorInput::value}}) {
    if (any(column.member)) columns.push_back(column);
  }
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("inputs", static_cast<int>(columns.size()) + 1, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  for (const Column& column : columns) ImGui::TableSetupColumn(name_of(column.title));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  for (const Column& column : columns) {
    ImGui::TableNextColumn();
    colored_text(theme.text_dim, tr(column.title));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    colored_text(theme.text_dim, std::to_string(i));
    ImGui::PushFont(mono_font());
    for (const Column& column : columns) {
      ImGui::TableNextColumn();
      wrapped_text(theme.text, inputs_[i].*column.member);
    }
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

SliceId DetailsArguments::draw_stack(const Theme& theme, float ui_scale) {
  ImGui::SameLine(0, 10 * ui_scale);
  copy_button(Text::arguments_copy_all, stack_text_);
  SliceId clicked = kNoSlice;
  const std::size_t shown = all_frames_ ? stack_.size() : std::min(stack_.size(), kFramesShown);
  ImGui::PushFont(mono_font());
  for (std::size_t i = 0; i < shown; ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (stack_[i].slice == kNoSlice) {
      wrapped_text(theme.text, stack_[i].text);
    } else if (link_text(stack_[i].text, ImGui::GetContentRegionAvail().x, stack_[i].text, theme)) {
      clicked = stack_[i].slice;
    }
    ImGui::PopID();
  }
  ImGui::PopFont();
  if (shown == stack_.size()) return clicked;
  ImGui::PushID("more");
  const std::string more = filled(Text::and_more, {grouped(stack_.size() - shown)});
  if (link_text(more, ImGui::GetContentRegionAvail().x, "", theme)) all_frames_ = true;
  ImGui::PopID();
  return clicked;
}

void DetailsArguments::draw_rows(const Theme& theme, float ui_scale) {
  constexpr std::size_t kMeasured = 200;
  const float indent = 14 * ui_scale;
  float key_width = 0;
  for (std::size_t i = 0; i < std::min(rows_.size(), kMeasured); ++i) {
    key_width =
        std::max(key_width, text_width(rows_[i].key) + indent * static_cast<float>(rows_[i].depth + 1));
  }
  key_width = std::min(key_width, ImGui::GetContentRegionAvail().x * 0.5F);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("arguments", 2, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, key_width);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  for (std::uint32_t i = 0; i < rows_.size();) {
    draw_row(i, key_width, theme, ui_scale);
    i = rows_[i].has_children(i) && !rows_[i].open ? rows_[i].end : i + 1;
  }
  ImGui::EndTable();
}

void DetailsArguments::draw_row(std::uint32_t index, float key_width, const Theme& theme, float ui_scale) {
  ArgumentRow& row = rows_[index];
  const float indent = 14 * ui_scale;
  ImGui::PushID(static_cast<int>(index));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  const float x = at.x + indent * static_cast<float>(row.depth + 1);
  const bool folds = row.has_children(index);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::InvisibleButton("key", {std::max(1.0F, key_width), line}) && folds) row.open = !row.open;
  if (folds) {
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_fold_arrow(list, {x - indent * 0.55F, std::floor(at.y + line / 2)}, 8 * ui_scale, row.open,
                    theme.text_dim);
  } else if (ImGui::IsItemHovered() && text_width(row.key) > at.x + key_width - x) {
    ImGui::BeginTooltip();
    colored_text(theme.text, row.key);
    ImGui::EndTooltip();
  }
  draw_elided(list, {x, at.y}, at.x + key_width - x, theme.text_dim, row.key);
  ImGui::TableNextColumn();
  ImGui::PushFont(mono_font());
  wrapped_text(folds ? theme.text_dim : theme.text, row.shown);
  ImGui::PopFont();
  if (!row.copy.empty() && ImGui::IsItemHovered()) {
    const ImGuiID id = ImGui::GetID("value");
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", tr(copied_lately(id) ? Text::copied : Text::arguments_copy_hint));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      ImGui::SetClipboardText(row.copy.c_str());
      note_copied(id);
    }
  }
  ImGui::PopID();
}

}  // namespace kino
