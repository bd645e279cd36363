#include "app/pages/snapshot/snapshot_finder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/search_examples.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr std::array kFinderExamples = {
    SearchExample{"softmax", Text::snapshot_find_words},
    SearchExample{"/attn.*forward/", Text::snapshot_find_regex},
    SearchExample{"file:model.py", Text::snapshot_find_file},
    SearchExample{">100MB", Text::snapshot_find_size},
    SearchExample{"age>10ms", Text::snapshot_find_age},
    SearchExample{"steps>2", Text::snapshot_find_steps},
    SearchExample{"lives:end", Text::snapshot_find_lives},
    SearchExample{"phase:backward", Text::snapshot_find_phase},
    SearchExample{"fate:temporary", Text::snapshot_find_fate},
    SearchExample{"sure:guess", Text::snapshot_find_confidence},
    SearchExample{"layer:3", Text::snapshot_find_layer},
    SearchExample{"stream:7", Text::snapshot_find_stream},
    SearchExample{"pool:private", Text::snapshot_find_pool},
    SearchExample{"0x7f12ab000000", Text::snapshot_find_address},
    SearchExample{"action:oom", Text::snapshot_find_action},
    SearchExample{"-backward", Text::snapshot_find_not},
};

std::shared_ptr<const SnapshotSearchResult> answer_to(const Snapshot& snapshot, std::size_t device,
                                                      const std::string& text, const std::stop_token& stop) {
  auto answer = std::make_shared<SnapshotSearchResult>();
  answer->query = text;
  answer->device = device;
  const Result<SnapshotQuery> query = SnapshotQuery::compile(text, snapshot, device, stop);
  if (!query.ok()) {
    answer->problem = query.error().what;
    return answer;
  }
  answer->of_events = query.value().requests_events();
  answer->hits = find_in_snapshot(query.value(), snapshot.devices[device], stop);
  return answer;
}

}  // namespace

void SnapshotFinder::show() {
  open_ = true;
  take_focus_ = true;
}

void SnapshotFinder::look_for(const std::string& query) {
  if (query.size() >= text_.size()) return;
  text_.fill('\0');
  std::ranges::copy(query, text_.begin());
  open_ = true;
}

void SnapshotFinder::close() {
  open_ = false;
  take_focus_ = false;
}

bool SnapshotFinder::update(std::size_t device) {
  const std::string wanted = open_ ? std::string(text_.data()) : std::string();
  if (wanted != requested_ || device != requested_device_) {
    requested_ = wanted;
    requested_device_ = device;
    if (wanted.find_first_not_of(' ') == wanted.npos) {
      answer_.cancel();
      answer_.reset();
      return true;
    }
    answer_.start(pool_, wake_, [snapshot = snapshot_, device, wanted](const std::stop_token& stop) {
      return answer_to(*snapshot, device, wanted, stop);
    });
  }
  return answer_.poll() != nullptr;
}

std::shared_ptr<const SnapshotSearchResult> SnapshotFinder::answer() const {
  const auto* found = answer_.value();
  return found == nullptr || !(*found)->problem.empty() || (*found)->device != requested_device_ ? nullptr
                                                                                                 : *found;
}

SnapshotFinder::Actions SnapshotFinder::handle_keys(bool keyboard) const {
  Actions actions;
  if (!open_ || !keyboard) return actions;
  if (command_pressed(CommandId::next_hit)) actions.step = 1;
  if (command_pressed(CommandId::previous_hit)) actions.step = -1;
  return actions;
}

void SnapshotFinder::draw_status(float left, float right, const Box& bar, const Theme& theme) const {
  const SnapshotSearchResult* found = newest();
  std::string words;
  std::uint32_t color = theme.text_dim;
  if (answer_.running()) {
    words = "…";
  } else if (answer_.failed()) {
    words = tr(Text::not_enough_memory);
    color = theme.error;
  } else if (found != nullptr && !found->problem.empty()) {
    words = in_language(found->problem);
    color = theme.error;
  } else if (found != nullptr && found->of_events) {
    words = counted(Text::snapshot_one_event, Text::snapshot_events, found->hits.events.size());
  } else if (found != nullptr) {
    words = filled(
        Text::snapshot_find_hits,
        {counted(Text::snapshot_one_allocation, Text::snapshot_allocations, found->hits.allocations.size()),
         text_from_bytes(found->hits.bytes)});
  }
  const float y = std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2);
  draw_elided(*ImGui::GetWindowDrawList(), {left, y}, right - left, color, words);
  if (ImGui::IsMouseHoveringRect({left, bar.top}, {right, bar.bottom}) && text_width(words) > right - left)
    ImGui::SetTooltip("%s", words.c_str());
}

SnapshotFinder::Actions SnapshotFinder::draw(const Box& bar, float left, float right,
                                             const SnapshotState& state, const Theme& theme) {
  Actions actions;
  const float gap = state.px(6);
  const float y = std::floor(bar.top + (bar.height() - ImGui::GetFrameHeight()) / 2);
  ImGui::PushID("find");
  ImGui::SetCursorScreenPos({left, y});
  ImGui::SetNextItemWidth(std::clamp((right - left) * 0.4F, state.px(140), state.px(420)));
  if (take_focus_) focus_next_field();
  const bool taking = take_focus_ || took_focus_;
  took_focus_ = std::exchange(take_focus_, false);
  const bool back = ImGui::GetIO().KeyShift;
  ImGui::InputTextWithHint("##text", tr(Text::snapshot_find_field), text_.data(), text_.size(),
                           ImGuiInputTextFlags_AutoSelectAll);
  const bool focused = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (ImGui::IsItemHovered() && (text_.front() == '\0' || !ImGui::IsItemActive())) {
    draw_search_examples({left, bar.bottom + std::round(4 * state.scale)}, Text::snapshot_find_about,
                         kFinderExamples, theme, state.scale);
  }
  if (focused && key_pressed(NamedKey::enter, true)) {
    actions.step = back ? -1 : 1;
    take_focus_ = true;
  }
  if ((focused || taking) && key_pressed(NamedKey::escape)) close();
  ImGui::SameLine(0, gap);
  if (flat_button("<", hint_with_key(Text::command_previous_hit, CommandId::previous_hit).c_str()))
    actions.step = -1;
  ImGui::SameLine(0, gap);
  if (flat_button(">", hint_with_key(Text::command_next_hit, CommandId::next_hit).c_str())) actions.step = 1;
  const float status = ImGui::GetItemRectMax().x + 2 * gap;
  const std::string list = with_id(Text::search_list, "list");
  const std::string shut = with_id(Text::close, "close");
  const float shut_left = right - flat_button_width(shut.c_str());
  const float list_left = shut_left - gap - flat_button_width(list.c_str());
  if (list_left > status) {
    ImGui::SetCursorScreenPos({list_left, y});
    actions.show_list =
        flat_button(list.c_str(), hint_with_key(Text::search_list_hint, CommandId::list_hits).c_str());
  }
  ImGui::SetCursorScreenPos({shut_left, y});
  if (flat_button(shut.c_str(), tr(Text::search_close_hint))) close();
  if (list_left - gap > status) draw_status(status, list_left - gap, bar, theme);
  ImGui::PopID();
  return actions;
}

std::optional<AllocationId> SnapshotFinder::neighbor(const SnapshotState& state, int step) const {
  const auto found = answer();
  if (found == nullptr || found->hits.allocations.empty()) return std::nullopt;
  const std::vector<AllocationId>& hits = found->hits.allocations;
  // If no allocation is selected, the next hit is the first one that was made at the cursor or later.
  const Allocations& all = state.history().allocations;
  const auto begins = [&](AllocationId id) { return all.begin[static_cast<std::size_t>(id)]; };
  if (state.selected == kNoAllocation) {
    const auto next = std::ranges::lower_bound(hits, state.cursor, {}, begins);
    if (step > 0) return next == hits.end() ? hits.front() : *next;
    return next == hits.begin() ? hits.back() : *std::prev(next);
  }
  if (step > 0) {
    const auto next = std::ranges::upper_bound(hits, state.selected);
    return next == hits.end() ? hits.front() : *next;
  }
  const auto next = std::ranges::lower_bound(hits, state.selected);
  return next == hits.begin() ? hits.back() : *std::prev(next);
}

}  // namespace kino
