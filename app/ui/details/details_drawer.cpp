#include "app/ui/details/details_drawer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kParentsShown = 16;
constexpr std::size_t kMostParentsShown = 1000;
constexpr std::size_t kChildrenShown = 10;
constexpr std::size_t kCoverShown = 6;

constexpr std::array kFactKeys = {
    Text::drawer_kind,      Text::drawer_start,           Text::drawer_time,         Text::drawer_duration,
    Text::drawer_self_time, Text::drawer_share_of_parent, Text::drawer_launch_delay, Text::drawer_queue,
    Text::drawer_on_gpu,    Text::drawer_track,           Text::drawer_process,      Text::drawer_rank};

float widest_key() {
  float width = 0;
  for (const Text key : kFactKeys) width = std::max(width, text_width(tr(key)));
  return width;
}

}  // namespace

void DetailsDrawer::load(EventRef event) {
  event_ = event;
  loaded_ = true;
  other_form_ = false;
  all_parents_ = false;
  facts_.reset();
  arguments_.show(event, owned_, event_details_, pool_, wake_);
  if (!event.any()) return;
  const bool slice = event.slice != kNoSlice;
  const std::uint32_t i = slice ? index_of(event.slice) : event.instant;
  name_ = slice ? trace_.name_of(event.slice) : trace_.name_text(trace_.instants.name[i]);
  short_name_ = SliceStyle::short_text(name_);
  if (!slice) return;
  facts_.start(pool_, wake_, [trace = owned_, id = event.slice](const std::stop_token& stop) {
    return slice_facts(*trace, id, kChildrenShown, stop);
  });
  if (is_gpu_work(trace_.kind(event.slice))) start_slacks();
}

void DetailsDrawer::start_slacks() {
  if (slacks_started_) return;
  slacks_started_ = true;
  slacks_.start(pool_, wake_, [trace = owned_](const std::stop_token& stop) {
    return std::make_shared<const TraceSlacks>(trace_slacks(*trace, stop));
  });
}

const SliceFacts* DetailsDrawer::facts() const { return facts_.value(); }

EventRef DetailsDrawer::draw(EventRef event, ImVec2 size, const Theme& theme, float ui_scale) {
  // The name of another event is at the top, so the panel and its columns return there.
  const bool another = !loaded_ || event != event_;
  if (another) load(event);
  facts_.poll();
  slacks_.poll();
  EventRef clicked;
  begin_panel("details", size, theme, {12 * ui_scale, 10 * ui_scale});
  if (another) ImGui::SetScrollY(0);
  if (!event.any()) {
    wrapped_text(theme.text_dim, tr(Text::drawer_nothing_selected));
    ImGui::EndChild();
    return clicked;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetContentRegionAvail().y;
  const float gap = std::round(20 * ui_scale);
  const int columns = width < 560 * ui_scale ? 1 : width < 1080 * ui_scale ? 2 : 3;
  const float column_width =
      std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const auto next_column = [&](const char* id, int column) {
    if (column > 0) {
      ImGui::SameLine(0, gap);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float x = std::floor(at.x - gap / 2) + 0.5F;
      ImGui::GetWindowDrawList()->AddLine({x, at.y}, {x, at.y + height}, theme.border);
    }
    ImGui::BeginChild(id, {column + 1 == columns ? 0 : column_width, height});
    if (another) ImGui::SetScrollY(0);
  };
  if (columns > 1) next_column("facts", 0);
  draw_name(theme, ui_scale);
  draw_facts(theme, ui_scale);
  if (columns == 3) {
    ImGui::EndChild();
    next_column("around", 1);
  }
  draw_around(columns == 3, theme, ui_scale, clicked);
  if (columns > 1) {
    ImGui::EndChild();
    next_column("arguments", columns - 1);
  } else {
    ImGui::Dummy({0, 6 * ui_scale});
  }
  const SliceId frame = arguments_.draw(theme, ui_scale);
  if (frame != kNoSlice) clicked = {frame, kNoInstant};
  if (columns > 1) ImGui::EndChild();
  ImGui::EndChild();
  return clicked;
}

void DetailsDrawer::draw_name(const Theme& theme, float ui_scale) {
  const bool differ = short_name_ != name_;
  const bool full = look_.full_names() != other_form_;
  wrapped_text(theme.text, full || !differ ? name_ : short_name_);
  copy_button(Text::drawer_copy_name, name_);
  if (!differ) return;
  ImGui::SameLine(0, 6 * ui_scale);
  copy_button(Text::drawer_copy_short_name, short_name_);
  ImGui::SameLine(0, 10 * ui_scale);
  ImGui::PushID("form");
  const char* label = tr(full ? Text::drawer_show_short_name : Text::drawer_show_full_name);
  if (link_text(label, ImGui::GetContentRegionAvail().x, full ? "" : name_, theme))
    other_form_ = !other_form_;
  ImGui::PopID();
}

void DetailsDrawer::draw_facts(const Theme& theme, float ui_scale) {
  ImGui::Dummy({0, 2 * ui_scale});
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("facts", 2, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, widest_key() + 6 * ui_scale);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  draw_kind(theme, ui_scale);
  draw_times(theme, ui_scale);
  if (event_.slice != kNoSlice) {
    draw_queue(theme, ui_scale);
    draw_slack(theme);
  }
  draw_place(theme);
  ImGui::EndTable();
}

void DetailsDrawer::draw_kind(const Theme& theme, float ui_scale) {
  const bool slice = event_.slice != kNoSlice;
  const std::uint32_t i = slice ? index_of(event_.slice) : event_.instant;
  fact_key(tr(Text::drawer_kind), theme);
  if (slice) {
    const float square = std::round(9 * ui_scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + square, top + square},
                                              look_.color_of(event_.slice), 2 * ui_scale);
    ImGui::Dummy({square, 1});
    ImGui::SameLine(0, 6 * ui_scale);
    colored_text(theme.text, in_language(shown_name(trace_.slices.kind[i])));
  } else {
    colored_text(theme.text, tr(Text::drawer_instant));
  }
  const CategoryId category = slice ? trace_.slices.category[i] : trace_.instants.category[i];
  const std::string_view category_text = trace_.category_text(category);
  // Old traces of PyTorch name the category like the kind.
  const bool same = slice && lowered(category_text) == lowered(english(shown_name(trace_.slices.kind[i])));
  if (category_text.empty() || same) return;
  ImGui::SameLine(0, 12 * ui_scale);
  wrapped_text(theme.text_dim, category_text);
}

void DetailsDrawer::draw_times(const Theme& theme, float ui_scale) {
  const bool slice = event_.slice != kNoSlice;
  const TimeRange range = range_of(trace_, event_);
  fact_key(tr(slice ? Text::drawer_start : Text::drawer_time), theme);
  const std::string clock = wall_clock_text(trace_, range.begin_ns);
  const std::string exact = exact_text_from_ns(trace_.origin_unix_ns + range.begin_ns);
  fact_value(exact_time_text(range.begin_ns), clock.empty() ? filled(Text::drawer_file_time, {exact}) : clock,
             theme, ui_scale);
  if (ImGui::IsItemHovered() && !clock.empty())
    ImGui::SetTooltip("%s", filled(Text::drawer_local_time, {exact}).c_str());
  if (!slice) return;
  const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(0, range.length_ns()));
  fact_key(tr(Text::drawer_duration), theme);
  fact_value(text_from_duration(range.length_ns()), length >= 10'000 ? grouped(length) + " ns" : "", theme,
             ui_scale);
  const SliceFacts* found = facts();
  fact_key(tr(Text::drawer_self_time), theme);
  if (found == nullptr) {
    colored_text(theme.text_dim, "...");
  } else {
    const double share = length > 0 ? static_cast<double>(found->self_ns) / static_cast<double>(length) : 1;
    fact_value(text_from_duration(found->self_ns),
               filled(Text::drawer_share_of_total, {text_from_share(share)}), theme, ui_scale);
    if (!found->parents.empty()) {
      fact_key(tr(Text::drawer_share_of_parent), theme);
      colored_text(theme.text, text_from_share(found->parent_share));
    }
  }
}

void DetailsDrawer::draw_queue(const Theme& theme, float ui_scale) {
  const SliceFacts* found = facts();
  if (found == nullptr) return;
  if (found->launch_delay_ns) {
    fact_key(tr(Text::drawer_launch_delay), theme);
    fact_value(text_from_duration(*found->launch_delay_ns), in_language(text_of(found->early_start)), theme,
               ui_scale);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", device_text(Text::drawer_launch_delay_hint, trace_).c_str());
  }
  if (found->queue) {
    fact_key(tr(Text::drawer_queue), theme);
    colored_text(theme.text, filled(Text::drawer_queue_ahead, {grouped(found->queue->ahead)}));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::drawer_queue_hint));
  }
  if (found->launched_count > 0) {
    fact_key(device_text(Text::drawer_on_gpu, trace_), theme);
    fact_value(text_from_duration(found->launched_ns),
               counted(Text::drawer_in_slice, Text::drawer_in_slices, found->launched_count), theme,
               ui_scale);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", device_text(Text::drawer_on_gpu_hint, trace_).c_str());
  }
}

void DetailsDrawer::draw_slack(const Theme& theme) const {
  const std::shared_ptr<const TraceSlacks>* const slacks = slacks_.value();
  if (slacks == nullptr) return;
  const std::optional<std::int64_t> slack_ns = (*slacks)->slack_of(event_.slice);
  if (!slack_ns) return;
  fact_key(tr(Text::drawer_slack), theme);
  colored_text(theme.text, *slack_ns == 0          ? std::string(tr(Text::drawer_slack_critical))
                           : *slack_ns == kNoSlack ? std::string(tr(Text::drawer_slack_free))
                                                   : text_from_duration(*slack_ns));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::drawer_slack_hint));
}

void DetailsDrawer::draw_place(const Theme& theme) {
  const TrackId track_id = track_of(trace_, event_);
  if (track_id == kNoTrack) return;
  const Track& track = trace_.track(track_id);
  fact_key(tr(Text::drawer_track), theme);
  const std::string name = name_text(trace_, index_of(track_id));
  wrapped_text(theme.text, track.contents.empty() ? name : name + " · " + contents_text(track));
  fact_key(tr(Text::drawer_process), theme);
  wrapped_text(theme.text, title_text(trace_, track.process));
  if (trace_.job.rank < 0) return;
  fact_key(tr(Text::drawer_rank), theme);
  std::string rank = std::to_string(trace_.job.rank);
  if (trace_.job.world_size > 0)
    rank = filled(Text::drawer_rank_of, {rank, std::to_string(trace_.job.world_size)});
  colored_text(theme.text, rank);
}

void DetailsDrawer::draw_around(bool first, const Theme& theme, float ui_scale, EventRef& clicked) {
  const SliceFacts* found = facts();
  if (event_.slice == kNoSlice) return;
  if (found == nullptr) {
    colored_text(theme.text_dim, tr(Text::drawer_searching));
    return;
  }
  if (found->cover) {
    const bool hides = trace_.kind(event_.slice) != SliceKind::compute;
    if (hides || found->cover->covered_ns > 0) {
      section_title(tr(hides ? Text::drawer_hidden : Text::drawer_overlaps), first, theme, ui_scale);
      draw_cover(*found->cover, theme, ui_scale, clicked);
      first = false;
    }
  }
  const auto titled = [&](const std::string& title) {
    section_title(title, std::exchange(first, false), theme, ui_scale);
  };
  if (!found->launch_chain.empty()) {
    titled(tr(Text::drawer_launch_chain));
    draw_chain(found->launch_chain, "launch", theme, ui_scale, clicked);
  }
  if (!found->forward_chain.empty()) {
    titled(tr(Text::drawer_forward_chain));
    draw_chain(found->forward_chain, "forward", theme, ui_scale, clicked);
  }
  if (!found->linked.empty()) {
    titled(tr(Text::drawer_linked));
    draw_linked(theme, clicked);
  }
  if (!found->parents.empty()) {
    titled(tr(Text::drawer_parents));
    draw_chain(found->parents, "parents", theme, ui_scale, clicked);
  }
  if (found->child_count > 0) {
    titled(found->child_count > found->children.size()
               ? filled(Text::drawer_longest_children, {grouped(found->child_count)})
               : tr(Text::drawer_children));
    draw_children(theme, ui_scale, clicked);
  }
  if (first) colored_text(theme.text_dim, tr(Text::drawer_no_related_slices));
}

void DetailsDrawer::draw_linked(const Theme& theme, EventRef& clicked) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  const SliceFacts& found = *facts();
  if (!ImGui::BeginTable("linked", 3, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  std::optional<Text> role;
  for (std::size_t i = 0; i < found.linked.size(); ++i) {
    const LinkedSlice& linked = found.linked[i];
    fact_key(role == linked.role ? std::string() : device_text(linked.role, trace_), theme);
    role = linked.role;
    ImGui::PushID(static_cast<int>(i));
    const std::string_view name = trace_.name_of(linked.slice);
    if (link_text(look_.name_text(name), ImGui::GetContentRegionAvail().x, name, theme))
      clicked.slice = linked.slice;
    ImGui::PopID();
    ImGui::TableNextColumn();
    colored_text(theme.text_dim, text_from_duration(trace_.duration_ns(linked.slice)));
  }
  ImGui::EndTable();
  if (found.linked_omitted > 0)
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(found.linked_omitted)}));
}

// Draws the covered share of the slice as a bar, and the kernels that cover it.
void DetailsDrawer::draw_cover(const GpuCover& cover, const Theme& theme, float ui_scale, EventRef& clicked) {
  const double length = static_cast<double>(std::max<std::int64_t>(1, cover.length_ns));
  const double share = static_cast<double>(cover.covered_ns) / length;
  const std::string rest = text_from_duration(cover.length_ns - cover.covered_ns);
  const bool hides = trace_.kind(event_.slice) != SliceKind::compute;
  fact_value(
      filled(Text::drawer_time_and_share, {text_from_share(share), text_from_duration(cover.covered_ns)}),
      filled(hides ? Text::drawer_exposed : Text::drawer_not_overlapped, {rest}), theme, ui_scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float height = std::round(4 * ui_scale);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + room, at.y + height}, theme.grid, 2 * ui_scale);
  if (cover.covered_ns > 0) {
    list.AddRectFilled(at, {at.x + std::max(1.0F, room * static_cast<float>(share)), at.y + height},
                       theme.accent, 2 * ui_scale);
  }
  ImGui::Dummy({room, height + std::round(2 * ui_scale)});
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (cover.by_name.empty() || !ImGui::BeginTable("cover", 3, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, text_width("99.9 %"));
  for (std::size_t i = 0; i < std::min(kCoverShown, cover.by_name.size()); ++i) {
    const CoveringKernel& kernel = cover.by_name[i];
    const std::string_view name = trace_.name_text(kernel.name);
    std::string words = look_.name_text(name);
    if (kernel.count > 1) words = filled(Text::drawer_times, {words, grouped(kernel.count)});
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    if (link_text(words, ImGui::GetContentRegionAvail().x, name, theme)) clicked.slice = kernel.longest;
    ImGui::PopID();
    ImGui::TableNextColumn();
    colored_text(theme.text, text_from_duration(kernel.overlap_ns));
    ImGui::TableNextColumn();
    right_aligned_text(theme.text_dim, text_from_share(static_cast<double>(kernel.overlap_ns) / length));
  }
  ImGui::EndTable();
  if (cover.by_name.size() > kCoverShown)
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(cover.by_name.size() - kCoverShown)}));
}

// Draws a breadcrumb of links, outermost first, which wraps.
void DetailsDrawer::draw_chain(const std::vector<SliceId>& parents, const char* list_id, const Theme& theme,
                               float ui_scale, EventRef& clicked) {
  const std::size_t most = all_parents_ ? kMostParentsShown : kParentsShown;
  const std::size_t left_out = parents.size() > most ? parents.size() - most : 0;
  const float room = ImGui::GetContentRegionAvail().x;
  const float gap = std::round(5 * ui_scale);
  constexpr std::string_view kArrow = "›";
  const float arrow = text_width(kArrow);
  float used = 0;
  ImGui::PushID(list_id);
  const auto step = [&](std::string_view words, int id, std::string_view hint) {
    const float width = std::min(text_width(words), room);
    if (used > 0) {
      if (used + 2 * gap + arrow + width <= room) {
        ImGui::SameLine(0, gap);
        colored_text(theme.text_dim, kArrow);
        ImGui::SameLine(0, gap);
        used += 2 * gap + arrow;
      } else {
        used = 0;
      }
    }
    used += width;
    ImGui::PushID(id);
    const bool pressed = link_text(words, room, hint, theme);
    ImGui::PopID();
    return pressed;
  };
  for (std::size_t i = 0; i < parents.size(); ++i) {
    // Omit parents after the outermost one, since the nearest ones are the most informative.
    if (left_out > 0 && i == 1) {
      if (step(filled(Text::drawer_more_parents, {grouped(left_out)}), -1, "")) all_parents_ = true;
      i += left_out;
      if (i >= parents.size()) break;
    }
    const std::string_view name = trace_.name_of(parents[i]);
    if (step(look_.name_text(name), static_cast<int>(i), name)) clicked.slice = parents[i];
  }
  ImGui::PopID();
}

void DetailsDrawer::draw_children(const Theme& theme, float ui_scale, EventRef& clicked) {
  const std::int64_t whole = std::max<std::int64_t>(1, trace_.duration_ns(event_.slice));
  const float bar = std::round(72 * ui_scale);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("children", 4, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, bar);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, text_width("99.9 %"));
  const std::vector<SliceId>& children = facts()->children;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const SliceId child = children[i];
    const std::int64_t length = trace_.duration_ns(child);
    const double share = std::min(1.0, static_cast<double>(length) / static_cast<double>(whole));
    const std::string_view name = trace_.name_of(child);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    if (link_text(look_.name_text(name), ImGui::GetContentRegionAvail().x, name, theme))
      clicked.slice = child;
    ImGui::PopID();
    ImGui::TableNextColumn();
    colored_text(theme.text, text_from_duration(length));
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    const float top = std::floor(at.y + line * 0.25F);
    const float bottom = std::floor(at.y + line * 0.75F);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({at.x, top}, {at.x + bar, bottom}, theme.grid, 2 * ui_scale);
    list.AddRectFilled({at.x, top}, {at.x + std::max(1.0F, bar * static_cast<float>(share)), bottom},
                       look_.color_of(child), 2 * ui_scale);
    ImGui::Dummy({bar, line});
    ImGui::TableNextColumn();
    const std::string text = text_from_share(share);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                         std::max(0.0F, ImGui::GetContentRegionAvail().x - text_width(text)));
    colored_text(theme.text_dim, text);
  }
  ImGui::EndTable();
}

}  // namespace kino
