#include "app/ui/tables/stack_flame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/shell/settings/library_list.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {

void StackFlame::update(bool shown, std::optional<TimeRange> marked) {
  view_.update();
  if (const Answer* fresh = graph_.poll()) {
    shown_ = fresh->first;
    view_.show(fresh->second);
  }
  if (marked_ != marked) whole_ = false;
  marked_ = marked;
  const TimeRange range = marked && !whole_ ? *marked : whole_range(*trace_);
  const TraceFlameParams wanted{range, time_, view_.direction()};
  if (!shown || requested_ == wanted) return;
  requested_ = wanted;
  graph_.start(pool_, wake_,
               [trace = trace_, wanted,
                no_launch = std::string(tr(Text::flame_no_launch))](const std::stop_token& stop) {
                 return Answer(wanted, std::make_shared<const FlameGraph>(
                                           trace_flame(*trace, wanted, *libraries(), no_launch, stop)));
               });
}

void StackFlame::next_time() {
  const auto at = std::ranges::find(times_, time_);
  time_ = at == times_.end() || at + 1 == times_.end() ? times_.front() : at[1];
}

void StackFlame::draw_scope(const Theme& theme) {
  const std::string length = text_from_duration(marked_->length_ns());
  ImGui::AlignTextToFramePadding();
  colored_text(theme.text_dim,
               whole_ ? std::string(tr(Text::flame_whole)) : filled(Text::flame_marked, {length}));
  ImGui::SameLine();
  const Text other = whole_ ? Text::flame_show_marked : Text::flame_show_whole;
  if (flat_button(with_id(other, "flame_scope").c_str(), nullptr)) whole_ = !whole_;
}

void StackFlame::draw(ImVec2 size, const Theme& theme, float ui_scale) {
  begin_panel("flame", size, theme, {8 * ui_scale, 8 * ui_scale});
  const std::array<std::string, 3> titles = {
      tr(Text::flame_cpu_time), device_text(Text::flame_device_time, *trace_), in_language(msg::cpu_samples)};
  const auto title = [&](FlameTime time) { return titles.at(static_cast<std::size_t>(time)).c_str(); };
  ImGui::SetNextItemWidth(std::round(140 * ui_scale));
  if (ImGui::BeginCombo("##time", title(time_))) {
    for (const FlameTime time : times_) {
      if (ImGui::Selectable(title(time), time == time_)) time_ = time;
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered() && !popup_open()) {
    ImGui::SetTooltip(
        "%s", hint_with_key(device_text(Text::flame_time_hint, *trace_), CommandId::flame_time).c_str());
  }
  ImGui::SameLine();
  const FlameView::Look look{&theme, ui_scale, [](std::int64_t ns) { return text_from_duration(ns); }};
  view_.draw_tools(look, hint_with_key(Text::command_flame_flip, CommandId::flame_bottom_up),
                   tr(Text::flame_find_hint));
  if (marked_) draw_scope(theme);
  if (view_.graph() == nullptr) {
    colored_text(theme.text_dim, tr(graph_.failed() ? Text::not_enough_memory : Text::table_computing));
  } else if (view_.graph()->tree.empty()) {
    colored_text(theme.text_dim, tr(marked_ && !whole_ ? Text::flame_range_empty : Text::flame_trace_empty));
  } else {
    view_.draw(look);
  }
  ImGui::EndChild();
}

}  // namespace kino
