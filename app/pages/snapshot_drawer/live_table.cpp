#include "app/pages/snapshot_drawer/live_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {
namespace {

std::uint32_t number(AllocationId id) { return static_cast<std::uint32_t>(id); }

/// What the allocations of a row have in common.
std::uint64_t row_group(const Allocations& of, AllocationId id, bool by_size) {
  if (by_size) return static_cast<std::uint64_t>(std::bit_width(size_class_of(of.size[number(id)]).low));
  return stack_row(of, id);
}

std::vector<LiveRow> grouped_rows(const Allocations& of, const std::vector<AllocationId>& live,
                                  bool by_size) {
  std::vector<LiveRow> rows;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of;
  for (const AllocationId id : live) {
    const auto [at, fresh] =
        row_of.try_emplace(row_group(of, id, by_size), static_cast<std::uint32_t>(rows.size()));
    const std::uint64_t size = of.size[number(id)];
    if (fresh) {
      rows.push_back({id, id, 1, size, 0});
      continue;
    }
    LiveRow& row = rows[at->second];
    ++row.count;
    row.bytes += size;
    if (size > of.size[number(row.largest)]) row.largest = id;
  }
  return rows;
}

/// Adds what was live at the baseline, also of stacks that have nothing now.
void compare(std::vector<LiveRow>& rows, const Allocations& of, const std::vector<AllocationId>& before,
             bool by_size) {
  std::unordered_map<std::uint64_t, std::uint32_t> row_of;
  for (std::uint32_t i = 0; i < rows.size(); ++i) row_of.emplace(row_group(of, rows[i].largest, by_size), i);
  for (const AllocationId id : before) {
    const auto [at, fresh] =
        row_of.try_emplace(row_group(of, id, by_size), static_cast<std::uint32_t>(rows.size()));
    if (fresh) rows.push_back({id, id, 0, 0, 0});
    rows[at->second].bytes_before += of.size[number(id)];
  }
}

/// Ties keep the order of allocation.
template <class Key>
void sort_by(std::vector<LiveRow>& rows, bool ascending, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const LiveRow& a, const LiveRow& b) {
    return ascending ? key(a) < key(b) : key(b) < key(a);
  });
}

void sort_by_place(std::vector<LiveRow>& rows, const Snapshot& snapshot, const Allocations& of,
                   bool ascending) {
  std::unordered_map<std::uint64_t, std::string> places;
  for (const LiveRow& row : rows) {
    const std::uint64_t stack = stack_row(of, row.largest);
    if (!places.contains(stack)) places.emplace(stack, place_text(snapshot, of, row.largest));
  }
  sort_by(rows, ascending,
          [&](const LiveRow& row) -> const std::string& { return places.at(stack_row(of, row.largest)); });
}

std::string moment_text(EventIndex event) {
  if (event == kBeforeRecording) return tr(Text::snapshot_before_recording);
  return filled(Text::snapshot_event, {std::to_string(event)});
}

std::string growth_text(std::int64_t bytes) {
  const char* sign = bytes > 0 ? "+" : bytes < 0 ? "−" : "";
  return sign + text_from_bytes(std::abs(static_cast<double>(bytes)));
}

std::string size_class_text(std::uint64_t bytes) {
  const SizeClass found = size_class_of(bytes);
  return filled(Text::from_to, {text_from_bytes(static_cast<double>(found.low)),
                                text_from_bytes(static_cast<double>(found.high))});
}

void elided(std::string_view text, std::uint32_t color) {
  draw_cell_text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x,
                 color, text, Elide::middle);
}

}  // namespace

LiveRows live_rows(const Snapshot& snapshot, const LiveQuestion& question, const std::stop_token& stop) {
  const SnapshotDevice& device = snapshot.devices[question.device];
  const Allocations& of = device.history.allocations;
  LiveRows found;
  found.question = question;
  const std::vector<AllocationId> live = live_at(device.history, question.event);
  if (stop.stop_requested()) return found;
  for (const AllocationId id : live) found.bytes += of.size[number(id)];
  found.count = live.size();
  if (question.grouped || question.by_size || question.baseline != kNoMoment) {
    found.rows = grouped_rows(of, live, question.by_size);
  } else {
    found.rows.reserve(live.size());
    for (const AllocationId id : live) found.rows.push_back({id, id, 1, of.size[number(id)], 0});
  }
  if (question.baseline != kNoMoment) {
    const std::vector<AllocationId> before = live_at(device.history, question.baseline);
    for (const AllocationId id : before) found.bytes_before += of.size[number(id)];
    compare(found.rows, of, before, question.by_size);
    std::erase_if(found.rows, [](const LiveRow& row) { return row.growth() == 0; });
  }
  if (stop.stop_requested()) return found;
  const bool up = question.ascending;
  switch (question.order) {
    case LiveColumn::size:
      sort_by(found.rows, up, [](const LiveRow& row) { return row.bytes; });
      break;
    case LiveColumn::growth:
      sort_by(found.rows, up, [](const LiveRow& row) { return row.growth(); });
      break;
    case LiveColumn::count:
      sort_by(found.rows, up, [](const LiveRow& row) { return row.count; });
      break;
    case LiveColumn::age:  // the older, the smaller its number
      sort_by(found.rows, !up, [](const LiveRow& row) { return number(row.oldest); });
      break;
    case LiveColumn::place:
      if (question.by_size) {
        sort_by(found.rows, up, [&](const LiveRow& row) { return row_group(of, row.largest, true); });
        break;
      }
      sort_by_place(found.rows, snapshot, of, up);
      break;
    case LiveColumn::stream:
      sort_by(found.rows, up,
              [&](const LiveRow& row) { return snapshot.streams[of.stream[number(row.largest)]]; });
      break;
    case LiveColumn::pool:
      sort_by(found.rows, up, [&](const LiveRow& row) { return of.pool[number(row.largest)]; });
      break;
  }
  return found;
}

void LiveTable::update(std::size_t device, EventIndex event, EventIndex baseline) {
  if ((baseline != kNoMoment) != (question_.baseline != kNoMoment)) {
    question_.order = baseline != kNoMoment ? LiveColumn::growth : LiveColumn::size;
    question_.ascending = false;
  }
  question_.device = device;
  question_.event = event;
  question_.baseline = baseline;
  if (!ever_asked_ || question_ != asked_) {
    ever_asked_ = true;
    asked_ = question_;
    rows_.start(pool_, wake_, [snapshot = snapshot_, question = question_](const std::stop_token& stop) {
      return live_rows(*snapshot, question, stop);
    });
  }
  rows_.poll();
}

AllocationId LiveTable::draw(AllocationId selected, const std::function<std::uint32_t(std::uint32_t)>& colors,
                             const Theme& theme, float ui_scale) {
  const LiveRows* live = rows_.value();
  if (live == nullptr || live->question.device != question_.device) {
    colored_text(theme.text_dim, tr(rows_.failed() ? Text::not_enough_memory : Text::snapshot_counting));
    return kNoAllocation;
  }
  const bool compared = live->question.baseline != kNoMoment;
  if (!compared && !question_.by_size) {
    ImGui::Checkbox(with_id(Text::snapshot_group_by_stack, "group").c_str(), &question_.grouped);
    ImGui::SameLine(0, 16 * ui_scale);
  }
  ImGui::Checkbox(with_id(Text::snapshot_group_by_size, "sizes").c_str(), &question_.by_size);
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", hint_with_key(Text::command_live_by_size, CommandId::live_by_size).c_str());
  }
  ImGui::SameLine(0, 16 * ui_scale);
  ImGui::AlignTextToFramePadding();
  const std::string bytes = text_from_bytes(static_cast<double>(live->bytes));
  const std::string at = moment_text(live->question.event);
  const std::string count = counted(Text::snapshot_one_allocation, Text::snapshot_allocations, live->count);
  const bool recorded = snapshot_->devices[live->question.device].entries.size_entries() > 0;
  const std::string sum =
      compared                                   ? filled(Text::snapshot_compared_sum,
                                                          {at, moment_text(live->question.baseline),
                                                           growth_text(static_cast<std::int64_t>(live->bytes - live->bytes_before)), bytes})
      : !recorded                                ? filled(Text::snapshot_live_sum_taken, {count, bytes})
      : live->question.event == kBeforeRecording ? filled(Text::snapshot_live_sum_before, {count, bytes})
                                                 : filled(Text::snapshot_live_sum, {at, count, bytes});
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {corner.x, corner.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, theme.text_dim, sum);
  ImGui::Dummy({1, ImGui::GetFrameHeight()});
  return draw_rows(*live, selected, colors, theme, ui_scale);
}

void LiveTable::take_order() {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty || specs->SpecsCount == 0) return;
  question_.order = static_cast<LiveColumn>(specs->Specs[0].ColumnUserID);
  question_.ascending = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
  specs->SpecsDirty = false;
}

AllocationId LiveTable::draw_rows(const LiveRows& live, AllocationId selected,
                                  const std::function<std::uint32_t(std::uint32_t)>& colors,
                                  const Theme& theme, float ui_scale) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  AllocationId clicked = kNoAllocation;
  const bool compared = live.question.baseline != kNoMoment;
  // Two tables, because their columns and orders differ.
  if (!ImGui::BeginTable(compared ? "compared" : "live", compared ? 7 : 6, kFlags)) return clicked;
  ImGui::TableSetupScrollFreeze(0, 1);
  const float arrow = std::round(18 * ui_scale);
  const auto column = [&](LiveColumn which, Text title, ImGuiTableColumnFlags flags, const char* widest) {
    const float width = std::max(text_width(widest), text_width(tr(title))) + arrow;
    const bool stretches = (flags & ImGuiTableColumnFlags_WidthStretch) != 0;
    ImGui::TableSetupColumn(with_id(title, name_of(title)).c_str(), flags, stretches ? 1 : width,
                            static_cast<ImGuiID>(which));
  };
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  constexpr ImGuiTableColumnFlags kDown = kFixed | ImGuiTableColumnFlags_PreferSortDescending;
  constexpr ImGuiTableColumnFlags kFirst = kDown | ImGuiTableColumnFlags_DefaultSort;
  column(LiveColumn::size, Text::snapshot_size, compared ? kDown : kFirst, "999.99 MiB");
  if (compared) column(LiveColumn::growth, Text::snapshot_growth, kFirst, "+999.99 MiB");
  column(LiveColumn::count, Text::snapshot_count, kDown, "100 000");
  column(LiveColumn::age, Text::snapshot_age, kDown, "1 000 000 events, 10.00 ms");
  column(LiveColumn::place, live.question.by_size ? Text::snapshot_size_class : Text::snapshot_place,
         ImGuiTableColumnFlags_WidthStretch, "");
  column(LiveColumn::stream, Text::snapshot_stream, kFixed, "0x7f0000000000");
  column(LiveColumn::pool, Text::snapshot_pool, kFixed, "(0, 0) default");
  ImGui::TableHeadersRow();
  take_order();
  const SnapshotDevice& device = snapshot_->devices[live.question.device];
  const Allocations& of = device.history.allocations;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool sizes = live.question.by_size;
  constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  const std::uint64_t chosen = selected == kNoAllocation ? kNoRow : row_group(of, selected, sizes);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(live.rows.size()), table_row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LiveRow& row = live.rows[static_cast<std::size_t>(i)];
      const std::uint32_t at = number(row.largest);
      const std::uint64_t group = row_group(of, row.largest, sizes);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(i);
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      const bool marked =
          live.question.grouped || sizes || compared ? group == chosen : row.largest == selected;
      if (ImGui::Selectable("##row", marked, ImGuiSelectableFlags_SpanAllColumns)) clicked = row.largest;
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::PopID();
      const float square = std::round(9 * ui_scale);
      const float top = corner.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
      if (!sizes) {
        list.AddRectFilled({corner.x, top}, {corner.x + square, top + square},
                           colors(band_group(of, row.largest)), 2 * ui_scale);
      }
      ImGui::SameLine(0, 0);
      right_aligned_text(theme.text, text_from_bytes(static_cast<double>(row.bytes)));
      if (compared) {
        ImGui::TableNextColumn();
        right_aligned_text(row.growth() > 0 ? theme.warning : theme.text_dim, growth_text(row.growth()));
      }
      ImGui::TableNextColumn();
      right_aligned_text(theme.text_dim, grouped(row.count));
      ImGui::TableNextColumn();
      if (row.count > 0) elided(age_text(device, row.oldest, live.question.event), theme.text_dim);
      ImGui::TableNextColumn();
      elided(sizes ? size_class_text(of.size[at]) : place_text(*snapshot_, of, row.largest), theme.text);
      ImGui::TableNextColumn();
      if (!sizes) elided(stream_text(*snapshot_, of.stream[at]), theme.text_dim);
      ImGui::TableNextColumn();
      if (!sizes) elided(pool_text(*snapshot_, of.pool[at]), theme.text_dim);
    }
  }
  clipper.End();
  ImGui::EndTable();
  return clicked;
}

}  // namespace kino
