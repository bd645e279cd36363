#include "app/pages/snapshot_drawer/allocation_details.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

std::string exact_bytes(std::uint64_t bytes) { return grouped(bytes) + " B"; }

std::string event_text(const SnapshotState& state, EventIndex event) {
  if (event == kBeforeRecording) return tr(Text::snapshot_before_recording);
  if (event == kNever) return tr(Text::snapshot_not_recorded);
  const std::string since = time_between(state.device(), 0, event);
  const std::string name = filled(Text::snapshot_event, {std::to_string(event)});
  return since.empty() ? name : name + " · " + since;
}

/// Returns the entry that allocated the memory, else the entry that freed it; nullopt if neither was
/// recorded.
std::optional<std::size_t> entry_of(const Allocations& allocations, std::size_t i) {
  if (allocations.begin[i] != kBeforeRecording) return static_cast<std::size_t>(allocations.begin[i]);
  if (allocations.end[i] != kNever) return static_cast<std::size_t>(allocations.end[i]);
  return std::nullopt;
}

void note_facts(const SnapshotState& state, std::size_t i, const Theme& theme) {
  const auto entry = entry_of(state.history().allocations, i);
  if (!entry) return;
  const Snapshot& snapshot = *state.snapshot;
  const EntryNote& note = snapshot.notes[state.device().entries.note[*entry]];
  const auto line = [&](Text key, std::uint32_t id) {
    if (snapshot.text(id).empty() || snapshot.text(id) == "N/A") return;
    fact_key(tr(key), theme);
    wrapped_text(theme.text, snapshot.text(id));
  };
  line(Text::category_in_file, note.category);
  line(Text::snapshot_metadata, note.user_metadata);
  line(Text::snapshot_compile_context, note.compile_context);
}

}  // namespace

void AllocationDetails::draw(const SnapshotState& state, const AllocationCategories* categories,
                             std::uint32_t color, const Theme& theme) {
  if (state.selected == kNoAllocation) {
    wrapped_text(theme.text_dim, tr(Text::snapshot_nothing_selected));
    return;
  }
  if (shown_ != state.selected || device_ != state.device_index()) {
    shown_ = state.selected;
    device_ = state.device_index();
    const auto i = static_cast<std::uint32_t>(shown_);
    const Allocations& allocations = state.history().allocations;
    const bool of_free = allocations.origin[i] == AllocationOrigin::freed_only;
    stack_ = shown_stack(*state.snapshot, allocations.stack[i]);
    free_stack_ =
        shown_stack(*state.snapshot, of_free ? kNoStack : stack_of_free(state.device(), state.selected));
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const bool beside = width >= 720 * state.scale;
  if (beside) ImGui::BeginChild("facts", {std::floor(width * 0.4F), 0});
  draw_facts(state, categories, color, theme);
  if (beside) {
    ImGui::EndChild();
    ImGui::SameLine(0, 20 * state.scale);
    ImGui::BeginChild("stack", {0, 0});
  }
  draw_stacks(state, theme);
  if (beside) ImGui::EndChild();
}

void AllocationDetails::draw_facts(const SnapshotState& state, const AllocationCategories* categories,
                                   std::uint32_t color, const Theme& theme) const {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("facts", 2, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  const Allocations& allocations = state.history().allocations;
  const auto i = static_cast<std::size_t>(shown_);
  fact_key(tr(Text::snapshot_size), theme);
  const float square = std::round(9 * state.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + square, top + square}, color,
                                            2 * state.scale);
  ImGui::Dummy({square, 1});
  ImGui::SameLine(0, 6 * state.scale);
  fact_value(text_from_bytes(allocations.size[i]), exact_bytes(allocations.size[i]), theme, state.scale);
  if (categories != nullptr && i < categories->of_allocation.size()) {
    fact_key(tr(Text::snapshot_category), theme);
    fact_value(in_language(categories->name_of(i)), in_language(text_of(categories->sure[i])), theme,
               state.scale);
    fact_key(tr(Text::category_reason), theme);
    wrapped_text(theme.text_dim, in_language(categories->why_of(i)));
  }
  fact_key(tr(Text::snapshot_address), theme);
  colored_text(theme.text, address_text(allocations.addr[i]));
  ImGui::SameLine(0, 8 * state.scale);
  copy_button(Text::snapshot_copy_address, address_text(allocations.addr[i]));
  fact_key(tr(Text::snapshot_stream), theme);
  colored_text(theme.text, stream_text(*state.snapshot, allocations.stream[i]));
  fact_key(tr(Text::snapshot_pool), theme);
  colored_text(theme.text, pool_text(*state.snapshot, allocations.pool[i]));
  fact_key(tr(Text::snapshot_allocated_at), theme);
  wrapped_text(theme.text, event_text(state, allocations.begin[i]));
  if (allocations.free_requested[i] != kNever) {
    fact_key(tr(Text::snapshot_free_requested), theme);
    wrapped_text(theme.text, event_text(state, allocations.free_requested[i]));
  }
  fact_key(tr(Text::snapshot_freed_at), theme);
  wrapped_text(theme.text, event_text(state, allocations.end[i]));
  if (allocations.end[i] != kNever || allocations.free_requested[i] != kNever) {
    const StackId free_stack = stack_of_free(state.device(), shown_);
    fact_key(tr(Text::snapshot_freed_in), theme);
    wrapped_text(
        free_stack == kNoStack ? theme.text_dim : theme.text,
        free_stack == kNoStack ? tr(Text::snapshot_free_unknown) : place_text(*state.snapshot, free_stack));
  }
  if (allocations.end[i] != kNever && allocations.begin[i] != kBeforeRecording) {
    fact_key(tr(Text::snapshot_lifetime), theme);
    wrapped_text(theme.text, age_text(state.device(), shown_, allocations.end[i]));
  }
  note_facts(state, i, theme);
  ImGui::EndTable();
}

void AllocationDetails::open_source(const SnapshotState& state) {
  if (state.selected == kNoAllocation) return;
  const StackId stack = state.history().allocations.stack[static_cast<std::size_t>(state.selected)];
  FrameId id = user_frame(*state.snapshot, stack);
  if (id == kNoFrame) id = python_frame(*state.snapshot, stack);
  if (id == kNoFrame) return;
  const SnapshotFrame& frame = state.snapshot->frame(id);
  editor_.open(std::string(state.snapshot->text(frame.file)), frame.line);
}

// Draws one frame of a stack. A click opens its source line, if its file is a source file.
void AllocationDetails::draw_frame(const SnapshotState& state, FrameId id, std::uint32_t color,
                                   const Theme& theme) {
  const SnapshotFrame& frame = state.snapshot->frame(id);
  const std::string file(state.snapshot->text(frame.file));
  wrapped_text(color, full_frame_text(*state.snapshot, id));
  if (!is_source_path(file) || !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::SetTooltip("%s", tr(Text::snapshot_open_source));
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddLine({from.x, to.y}, {to.x, to.y}, theme.accent);
  if (ImGui::IsItemClicked()) editor_.open(file, frame.line);
}

void AllocationDetails::draw_stacks(const SnapshotState& state, const Theme& theme) {
  const auto i = static_cast<std::size_t>(shown_);
  const bool of_free = state.history().allocations.origin[i] == AllocationOrigin::freed_only;
  ImGui::PushID("allocation");
  draw_stack(state, stack_, tr(of_free ? Text::snapshot_stack_of_free : Text::snapshot_stack), true, theme);
  ImGui::PopID();
  if (!free_stack_.parts.empty()) {
    ImGui::PushID("free");
    draw_stack(state, free_stack_, tr(Text::snapshot_free_stack), false, theme);
    ImGui::PopID();
  }
  if (editor_.failed()) wrapped_text(theme.warning, tr(Text::snapshot_source_missing));
}

void AllocationDetails::draw_stack(const SnapshotState& state, ShownStack& shown, const char* title,
                                   bool first, const Theme& theme) {
  const Snapshot& snapshot = *state.snapshot;
  section_title(title, first, theme, state.scale);
  if (shown.parts.empty()) {
    wrapped_text(theme.text_dim, tr(Text::snapshot_no_stack));
    return;
  }
  ImGui::SameLine(0, 12 * state.scale);
  copy_button(Text::snapshot_copy_stack, stack_text(snapshot, shown.stack));
  const auto frames = snapshot.stacks.frames(shown.stack);
  const auto line = [&](std::uint32_t at, std::uint32_t color) {
    ImGui::PushID(static_cast<int>(at));
    draw_frame(state, frames[at], color, theme);
    ImGui::PopID();
  };
  // A stack of library frames alone is not folded.
  const bool folded = std::ranges::any_of(shown.parts, [](const StackPart& part) { return !part.library; });
  for (std::uint32_t p = 0; p < shown.parts.size(); ++p) {
    const StackPart& part = shown.parts[p];
    if (!part.library) {
      line(part.first, theme.text);
    } else if (!folded || shown.unfolded.contains(p)) {
      for (std::uint32_t f = part.first; f < part.first + part.count; ++f) line(f, theme.text_dim);
    } else {
      ImGui::PushID(static_cast<int>(p));
      const std::string words =
          counted(Text::snapshot_one_library_frame, Text::snapshot_library_frames, part.count);
      if (link_text(words, ImGui::GetContentRegionAvail().x, frame_text(snapshot, frames[part.first]),
                    theme)) {
        shown.unfolded.insert(p);
      }
      ImGui::PopID();
    }
  }
}

}  // namespace kino
