#include "app/ui/details/details_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <imgui.h>

#include "app/ui/view/slice_style.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/slice_relations.hpp"

namespace kino {
namespace {

constexpr std::size_t kFramesShown = 24;
constexpr float kNarrowEm = 20;  // width of a list of inputs, in heights of the font

/// Adds inputs and stack of the CPU work that launched the slice. If that work has no stack, adds the stack
/// of the forward pass.
void add_origin(const Trace& trace, const EventDetails& details, SliceId slice, EventArguments& out) {
  const auto read = [&](SliceId from) { return details.read({from, kNoInstant}); };
  const auto stack_at = [&](SliceId from, const ArgNode* event) {
    if (from == kNoSlice || !out.stack.empty()) return;
    out.stack = call_stack(trace, from, event);
    if (!out.stack.empty()) out.stack_of = from;
  };
  const SliceId called = operator_of(trace, slice);
  if (called != kNoSlice) {
    const Result<ArgNode> event = read(called);
    if (event.ok()) out.inputs = tensor_inputs(event.value());
    if (!out.inputs.empty()) out.inputs_of = called;
    stack_at(called, event.ok() ? &event.value() : nullptr);
  }
  stack_at(cpu_side_of(trace, slice), nullptr);
  const std::vector<SliceId> forward = forward_of(trace, slice);
  if (forward.empty() || !out.stack.empty()) return;
  const Result<ArgNode> event = read(forward.front());
  stack_at(forward.front(), event.ok() ? &event.value() : nullptr);
}

/// Whether the slice ends at the same time as the innermost slice of the same kind around it.
bool ends_with_caller(const Trace& trace, SliceId slice) {
  SliceId caller = trace.parent(slice);
  while (caller != kNoSlice && trace.kind(caller) != trace.kind(slice)) caller = trace.parent(caller);
  return caller != kNoSlice && trace.end_ns(caller) == trace.end_ns(slice);
}

/// Returns the recorded duration if the slice of a Python function or operator was truncated at the end of
/// its caller.
std::optional<std::int64_t> recorded_ns(const Trace& trace, SliceId slice, const ArgNode& event) {
  const SliceKind kind = trace.kind(slice);
  if ((kind != SliceKind::python && kind != SliceKind::cpu_op) || !ends_with_caller(trace, slice))
    return std::nullopt;
  const ArgNode* const duration = event.find("dur");
  const ArgNode* const start = event.find("ts");
  if (duration == nullptr || start == nullptr) return std::nullopt;
  const std::optional<std::int64_t> ns = duration_ns_from_decimal_us(duration->text, start->text);
  return ns && *ns > trace.duration_ns(slice) ? ns : std::nullopt;
}

}  // namespace

EventArguments arguments_of(const Trace& trace, const EventDetails& details, EventRef event) {
  EventArguments out;
  const bool slice = event.slice != kNoSlice;
  const Result<ArgNode> read = details.read(event);
  if (!read.ok()) out.problem = read.error().what;
  const ArgNode* const found = read.ok() ? &read.value() : nullptr;
  if (found != nullptr) out.inputs = tensor_inputs(*found);
  if (slice) out.stack = call_stack(trace, event.slice, found);
  if (slice && found != nullptr) out.recorded_ns = recorded_ns(trace, event.slice, *found);
  if (slice && is_on_gpu(trace, event.slice)) add_origin(trace, details, event.slice, out);
  out.stack_text = text_of(out.stack);
  if (found != nullptr) out.rows = argument_rows(*found);
  return out;
}

void DetailsArguments::show(EventRef event, std::shared_ptr<const Trace> trace,
                            std::shared_ptr<const EventDetails> details, WorkerPool& pool,
                            const std::function<void()>& wake) {
  read_.reset();
  shown_.reset();
  all_frames_ = false;
  frame_heights_.reset();
  row_heights_.reset();
  trace_ = trace;
  if (!event.any()) return;
  read_.start(pool, wake,
              [trace = std::move(trace), details = std::move(details), event](const std::stop_token&) {
                return std::make_shared<EventArguments>(arguments_of(*trace, *details, event));
              });
}

SliceId DetailsArguments::draw(const Theme& theme, float ui_scale) {
  if (const auto* read = read_.poll()) shown_ = *read;
  SliceId clicked = kNoSlice;
  if (read_.failed()) colored_text(theme.text_dim, tr(Text::not_enough_memory));
  if (!shown_) return clicked;  // for a frame or two
  if (!shown_->problem.empty()) wrapped_text(theme.error, in_language(shown_->problem));
  if (shown_->recorded_ns) {
    wrapped_text(theme.text_dim,
                 filled(Text::arguments_outlast_caller, {text_from_duration(*shown_->recorded_ns)}));
  }
  bool first = shown_->problem.empty() && !shown_->recorded_ns;
  if (!shown_->inputs.empty()) {
    section_title(title_of(Text::arguments_inputs, Text::arguments_inputs_of, shown_->inputs_of),
                  std::exchange(first, false), theme, ui_scale);
    draw_inputs(theme);
  }
  if (!shown_->stack.empty()) {
    section_title(title_of(Text::arguments_stack, Text::arguments_stack_of, shown_->stack_of),
                  std::exchange(first, false), theme, ui_scale);
    clicked = draw_stack(theme, ui_scale);
  }
  if (!shown_->rows.empty()) {
    section_title(tr(Text::arguments_title), std::exchange(first, false), theme, ui_scale);
    draw_rows(theme, ui_scale);
  } else if (shown_->problem.empty()) {
    if (!first) ImGui::Dummy({0, 4 * ui_scale});
    colored_text(theme.text_dim, tr(Text::arguments_none));
  }
  return clicked;
}

std::string DetailsArguments::title_of(Text own, Text others, SliceId owner) const {
  return owner == kNoSlice ? tr(own) : filled(others, {SliceStyle::short_text(trace_->name_of(owner))});
}

void DetailsArguments::draw_inputs(const Theme& theme) const {
  const std::vector<TensorInput>& inputs = shown_->inputs;
  const auto any = [&](auto member) {
    return std::ranges::any_of(inputs,
                               [member](const TensorInput& input) { return !(input.*member).empty(); });
  };
  struct Column {
    Text title;
    std::string TensorInput::*member;
  };
  const bool narrow = ImGui::GetContentRegionAvail().x < kNarrowEm * ImGui::GetFontSize();
  std::vector<Column> columns;
  for (const Column column :
       {Column{Text::arguments_shape, &TensorInput::dims}, Column{Text::arguments_type, &TensorInput::type},
        Column{Text::arguments_strides, &TensorInput::strides},
        Column{Text::arguments_value, &TensorInput::value}}) {
    // A narrow panel has no room for strides.
    if (column.title == Text::arguments_strides && narrow) continue;
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
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    colored_text(theme.text_dim, std::to_string(i));
    ImGui::PushFont(mono_font());
    for (const Column& column : columns) {
      ImGui::TableNextColumn();
      wrapped_text(theme.text, inputs[i].*column.member);
    }
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

SliceId DetailsArguments::draw_stack(const Theme& theme, float ui_scale) {
  const std::vector<StackFrame>& stack = shown_->stack;
  ImGui::SameLine(0, 10 * ui_scale);
  copy_button(Text::arguments_copy_all, shown_->stack_text);
  SliceId clicked = kNoSlice;
  in_list_.resize(all_frames_ ? stack.size() : std::min(stack.size(), kFramesShown));
  std::iota(in_list_.begin(), in_list_.end(), 0U);
  ImGui::PushFont(mono_font());
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto skip = [&](std::size_t, float height) { ImGui::Dummy({0, height - gap}); };
  frame_heights_.draw(in_list_, width, ImGui::GetTextLineHeight() + gap, skip, [&](std::uint32_t i) {
    const StackFrame& frame = stack[i];
    ImGui::PushID(static_cast<int>(i));
    if (frame.slice == kNoSlice) {
      wrapped_text(theme.text, frame.text);
    } else if (link_text(frame.text, width, frame.text, theme)) {
      clicked = frame.slice;
    }
    ImGui::PopID();
    return ImGui::GetItemRectSize().y + gap;
  });
  ImGui::PopFont();
  if (in_list_.size() == stack.size()) return clicked;
  ImGui::PushID("more");
  const std::string more = filled(Text::and_more, {grouped(stack.size() - in_list_.size())});
  if (link_text(more, width, "", theme)) all_frames_ = true;
  ImGui::PopID();
  return clicked;
}

void DetailsArguments::draw_rows(const Theme& theme, float ui_scale) {
  const std::vector<ArgumentRow>& rows = shown_->rows;
  constexpr std::size_t kMeasured = 200;
  const float indent = 14 * ui_scale;
  const float width = ImGui::GetContentRegionAvail().x;
  float key_width = 0;
  for (std::size_t i = 0; i < std::min(rows.size(), kMeasured); ++i)
    key_width = std::max(key_width, text_width(rows[i].key) + indent * static_cast<float>(rows[i].depth + 1));
  key_width = std::min(key_width, width * 0.5F);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("arguments", 2, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, key_width);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  in_list_.clear();
  for (std::uint32_t i = 0; i < rows.size(); i = rows[i].next(i)) in_list_.push_back(i);
  row_heights_.draw(in_list_, width, table_row_height(), skip_table_rows,
                    [&](std::uint32_t i) { return draw_row(i, key_width, theme, ui_scale); });
  ImGui::EndTable();
}

float DetailsArguments::draw_row(std::uint32_t index, float key_width, const Theme& theme, float ui_scale) {
  ArgumentRow& row = shown_->rows[index];
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
  const float height = std::max(line, ImGui::GetItemRectSize().y) + 2 * ImGui::GetStyle().CellPadding.y;
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
  return height;
}

}  // namespace kino
