#include "app/ui/tables/range_table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/ascii.hpp"
#include "core/base/result.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/csv_text.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {
namespace {

constexpr std::size_t kStreamsNamed = 4;
constexpr std::size_t kStreamsListed = 30;

/// What a column is sorted by, besides the name.
double sort_value(const NameStats& row, RangeColumn column) {
  const DurationStats& stats = row.stats;
  switch (column) {
    case RangeColumn::name:
      return 0;
    case RangeColumn::count:
      return static_cast<double>(stats.count);
    case RangeColumn::calls:
      return static_cast<double>(stats.calls());
    case RangeColumn::total:
    case RangeColumn::range_share:
      return static_cast<double>(stats.total_ns);
    case RangeColumn::self:
      return static_cast<double>(stats.self_ns);
    case RangeColumn::mean:
      return stats.mean_ns();
    case RangeColumn::min:
      return static_cast<double>(stats.min_ns);
    case RangeColumn::max:
      return static_cast<double>(stats.max_ns);
    case RangeColumn::gpu_share:
      return is_gpu_work(row.kind) ? static_cast<double>(stats.total_ns) : -1;
  }
  return 0;
}

std::int64_t mean_ns(const DurationStats& stats) { return std::llround(stats.mean_ns()); }

std::string_view name_of(const Trace& trace, const NameStats& row) { return trace.name_text(row.name); }

struct ColumnTitle {
  Text title;
  const char* widest;  // what its numbers need
  Text hint;
};
constexpr std::array<ColumnTitle, kRangeColumns> kColumns{{
    {Text::range_name, "", Text::range_name_hint},
    {Text::range_count, "1 234 567", Text::range_count_hint},
    {Text::range_calls, "1 234 567", Text::range_calls_hint},
    {Text::range_total, "1 234.5 ms", Text::range_total_hint},
    {Text::range_self, "1 234.5 ms", Text::range_self_hint},
    {Text::range_mean, "1 234.5 ms", Text::range_mean_hint},
    {Text::range_min, "1 234.5 ms", Text::range_min_hint},
    {Text::range_max, "1 234.5 ms", Text::range_max_hint},
    {Text::range_share, "1 234.5 %", Text::range_share_hint},
    {Text::range_gpu_share, "1 234.5 %", Text::range_gpu_share_hint},
}};

float column_width(const ColumnTitle& column) {
  return std::max(text_width(column.widest), text_width(tr(column.title)));
}

/// Which columns are shown in this width: names have room first, and what says least goes first.
std::array<bool, kRangeColumns> fitting_columns(float width) {
  constexpr std::array kDispensable = {RangeColumn::min,   RangeColumn::mean,      RangeColumn::max,
                                       RangeColumn::self,  RangeColumn::gpu_share, RangeColumn::range_share,
                                       RangeColumn::calls, RangeColumn::count};
  const float padding = 2 * ImGui::GetStyle().CellPadding.x;
  float needed = 12 * ImGui::GetFontSize();  // a name that can be told from others
  for (const ColumnTitle& column : kColumns) needed += column_width(column) + padding;
  std::array<bool, kRangeColumns> fits{};
  fits.fill(true);
  for (const RangeColumn column : kDispensable) {
    if (needed <= width) break;
    const auto i = static_cast<std::size_t>(column);
    fits[i] = false;
    needed -= column_width(kColumns[i]) + padding;
  }
  return fits;
}

}  // namespace

std::vector<std::uint32_t> ordered_rows(const Trace& trace, const RangeSummary& summary,
                                        const RangeOrder& order) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < summary.names.size(); ++i) {
    if (contains_ignoring_case(name_of(trace, summary.names[i]), order.filter)) rows.push_back(i);
  }
  const auto by_name = [&](const NameStats& a, const NameStats& b) {
    const int compared = name_of(trace, a).compare(name_of(trace, b));
    return compared != 0 ? compared < 0 : a.kind < b.kind;
  };
  std::ranges::sort(rows, [&](std::uint32_t left, std::uint32_t right) {
    const NameStats& a = summary.names[left];
    const NameStats& b = summary.names[right];
    if (order.column == RangeColumn::name) return order.ascending ? by_name(a, b) : by_name(b, a);
    const double value_a = sort_value(a, order.column);
    const double value_b = sort_value(b, order.column);
    if (value_a != value_b) return order.ascending ? value_a < value_b : value_a > value_b;
    return by_name(a, b);
  });
  return rows;
}

SliceId longest_slice(const Trace& trace, TimeRange range, NameId name, SliceKind kind,
                      const std::stop_token& stop, const ChosenSlices* tracks) {
  constexpr std::uint32_t kStopStride = 1U << 20;
  SliceId longest = kNoSlice;
  std::int64_t longest_ns = -1;
  const SliceColumns& slices = trace.slices;
  for (const Row& row : trace.rows) {
    if (tracks != nullptr && !std::ranges::binary_search(tracks->tracks(), row.track)) continue;
    const std::uint32_t last = row.first_slice + row.slice_count;
    std::uint32_t i = row.first_slice;
    for (std::uint32_t below = last; i < below;) {  // the first one that ends in the range or later
      const std::uint32_t middle = i + (below - i) / 2;
      if (slices.start_ns[middle] + slices.duration_ns[middle] < range.begin_ns) {
        i = middle + 1;
      } else {
        below = middle;
      }
    }
    for (; i < last && slices.start_ns[i] < range.end_ns; ++i) {
      if (i % kStopStride == 0 && stop.stop_requested()) return kNoSlice;
      if (slices.name[i] != name || slices.kind[i] != kind) continue;
      if (tracks != nullptr && !tracks->holds(row.track, SliceId{i})) continue;
      const std::int64_t end = slices.start_ns[i] + slices.duration_ns[i];
      const std::int64_t part = std::min(end, range.end_ns) - std::max(slices.start_ns[i], range.begin_ns);
      if (part <= longest_ns) continue;
      longest = SliceId{i};
      longest_ns = part;
    }
  }
  return longest;
}

std::string csv_of(const Trace& trace, const RangeSummary& summary, std::span<const std::uint32_t> rows) {
  // Column names and kinds are English in every language: programs read them.
  std::string csv =
      "name,kind,count,total_ns,self_ns,mean_ns,min_ns,max_ns,share_of_range,share_of_gpu_time,calls\r\n";
  const auto share = [](double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6f", value);
    return std::string(text.data());
  };
  for (const std::uint32_t i : rows) {
    const NameStats& row = summary.names[i];
    const DurationStats& stats = row.stats;
    csv += csv_cell(name_of(trace, row)) + ',' + std::string(text_of(row.kind)) + ',' +
           std::to_string(stats.count) + ',';
    for (const std::int64_t ns :
         {stats.total_ns, stats.self_ns, mean_ns(stats), stats.min_ns, stats.max_ns}) {
      csv += std::to_string(ns) + ',';
    }
    csv += share(summary.share_of_range(stats.total_ns)) + ',';
    if (is_gpu_work(row.kind)) csv += share(summary.share_of_gpu(stats.total_ns));
    csv += ',' + std::to_string(stats.calls()) + "\r\n";
  }
  return csv;
}

RangeTable::RangeTable(std::shared_ptr<const Trace> trace, const SliceLook& look, WorkerPool& pool,
                       std::function<void()> wake)
    : trace_(std::move(trace)), look_(look), pool_(pool), wake_(std::move(wake)) {}

void RangeTable::take_order(const RangeTable& other) {
  order_ = other.order_;
  filter_ = other.filter_;
}

void RangeTable::update(std::optional<TimeRange> range, const std::optional<TrackSet>& tracks,
                        std::uint64_t generation) {
  if (generation != generation_) {
    generation_ = generation;
    range_ = range;
    tracks_ = tracks;
    longest_.reset();
    if (range) {
      if (work_lost_.value() == nullptr && !work_lost_.running()) {
        work_lost_.start(pool_, wake_, [trace = trace_](const std::stop_token& stop) {
          return count_launches(*trace, whole_range(*trace), stop).idle_unknown();
        });
      }
      summary_.start(
          pool_, wake_, [trace = trace_, wanted = *range, tracks](const std::stop_token& stop) -> Summary {
            Result<RangeSummary> summary = tracks ? summarize_range(*trace, wanted, *tracks, stop)
                                                  : summarize_range(*trace, wanted, std::nullopt, stop);
            if (!summary.ok()) return nullptr;
            return std::make_shared<const RangeSummary>(std::move(summary).value());
          });
    } else {
      summary_.reset();
      rows_.reset();
    }
  }
  if (summary_.poll() != nullptr) order_stale_ = true;
  if (order_stale_ && summary_.value() != nullptr && *summary_.value() != nullptr) {
    order_stale_ = false;
    rows_.start(pool_, wake_,
                [trace = trace_, summary = *summary_.value(), order = order_](const std::stop_token&) {
                  return Rows{summary, ordered_rows(*trace, *summary, order)};
                });
  }
  rows_.poll();
  work_lost_.poll();
}

void RangeTable::find_longest(const NameStats& row) {
  longest_.start(pool_, wake_,
                 [trace = trace_, range = *range_, tracks = tracks_, name = row.name,
                  kind = row.kind](const std::stop_token& stop) {
                   if (!tracks) return longest_slice(*trace, range, name, kind, stop);
                   const ChosenSlices chosen(*trace, *tracks);
                   return longest_slice(*trace, range, name, kind, stop, &chosen);
                 });
}

void RangeTable::copy_csv() {
  const Rows* rows = rows_.value();
  if (rows == nullptr) return;
  ImGui::SetClipboardText(csv_of(*trace_, *rows->summary, rows->order).c_str());
  copied_at_ = ImGui::GetTime();
}

SliceId RangeTable::draw(ImVec2 size, const Theme& theme, float ui_scale, bool keyboard,
                         const std::function<void()>& draw_tracks) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("range", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (!range_) {
    wrapped_text(theme.text_dim, tr(Text::range_none));
  } else if (rows_.value() == nullptr) {
    const bool failed = summary_.failed() || rows_.failed();
    colored_text(theme.text_dim,
                 failed ? tr(Text::not_enough_memory)
                        : filled(Text::range_summing, {text_from_duration(range_->length_ns())}));
  } else {
    draw_totals(theme, ui_scale);
    draw_tracks();
    draw_tools(theme, ui_scale, keyboard);
    draw_table(theme, ui_scale);
  }
  ImGui::EndChild();
  const SliceId* longest = longest_.poll();
  return longest != nullptr ? *longest : kNoSlice;
}

void RangeTable::draw_totals(const Theme& theme, float ui_scale) const {
  const RangeSummary& summary = *rows_.value()->summary;
  colored_text(theme.text, text_from_duration(summary.range.length_ns()));
  const float gap = std::round(14 * ui_scale);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  std::size_t shown = 0;
  const float more_width = text_width(filled(Text::range_more_streams, {"000"})) + gap;
  std::vector<StreamBusy> streams = summary.streams;  // the busiest first: not all may fit
  std::ranges::stable_sort(streams, std::ranges::greater(), &StreamBusy::busy_ns);
  for (const StreamBusy& stream : streams) {
    const bool lost = work_lost_.value() != nullptr && *work_lost_.value();
    const std::string busy =
        filled(lost ? Text::range_stream_bounds : Text::range_stream_busy_idle,
               {text_from_duration(stream.busy_ns), text_from_share(summary.share_of_range(stream.busy_ns)),
                text_from_duration(stream.idle_ns)});
    const std::string name = name_text(*trace_, index_of(stream.track));
    const float width = text_width(name) + std::round(5 * ui_scale) + text_width(busy);
    const float room = right - ImGui::GetItemRectMax().x - gap;
    if (width > room - (shown + 1 < summary.streams.size() ? more_width : 0)) break;
    ImGui::SameLine(0, gap);
    colored_text(theme.text_dim, name);
    ImGui::SameLine(0, std::round(5 * ui_scale));
    colored_text(theme.text, busy);
    ++shown;
  }
  if (shown == summary.streams.size()) return;
  const std::string more = filled(shown == 0 ? Text::range_streams : Text::range_more_streams,
                                  {grouped(summary.streams.size() - shown)});
  ImGui::SameLine(0, gap);
  colored_text(theme.accent, more);
  if (ImGui::IsItemHovered()) draw_streams(theme);
}

void RangeTable::draw_streams(const Theme& theme) const {
  const RangeSummary& summary = *rows_.value()->summary;
  ImGui::BeginTooltip();
  if (ImGui::BeginTable("streams", 4, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < std::min(kStreamsListed, summary.streams.size()); ++i) {
      const StreamBusy& stream = summary.streams[i];
      const Track& track = trace_->track(stream.track);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(theme.text_dim, title_text(*trace_, track.process));
      ImGui::TableNextColumn();
      colored_text(theme.text, name_text(*trace_, index_of(stream.track)));
      ImGui::TableNextColumn();
      colored_text(theme.text, filled(Text::range_stream_busy, {text_from_duration(stream.busy_ns)}));
      ImGui::TableNextColumn();
      colored_text(theme.text, text_from_share(summary.share_of_range(stream.busy_ns)));
    }
    ImGui::EndTable();
  }
  if (summary.streams.size() > kStreamsListed) {
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(summary.streams.size() - kStreamsListed)}));
  }
  ImGui::EndTooltip();
}

void RangeTable::draw_tools(const Theme& theme, float ui_scale, bool keyboard) {
  ImGui::SetNextItemWidth(std::min(220 * ui_scale, ImGui::GetContentRegionAvail().x * 0.5F));
  if (ImGui::InputTextWithHint("##filter", tr(Text::range_filter), filter_.data(), filter_.size())) {
    order_.filter = filter_.data();
    order_stale_ = true;
    wake_();  // it is sorted at the begin of the next frame
  }
  ImGui::SameLine();
  const bool copied = ImGui::GetTime() - copied_at_ < kCopiedSeconds;
  if (flat_button(with_id(copied ? Text::copied : Text::range_copy_csv, "copy").c_str(),
                  tr(Text::range_copy_csv_hint))) {
    copy_csv();
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (keyboard && !io.WantTextInput && io.KeyCtrl && !io.KeyShift && key_pressed('C')) copy_csv();
  ImGui::SameLine();
  const std::string names = counted(Text::range_one_name, Text::range_names, rows_.value()->order.size());
  const bool summing = summary_.running() || rows_.running();
  colored_text(theme.text_dim, summing ? filled(Text::range_summing_too, {names}) : names);
}

void RangeTable::draw_table(const Theme& theme, float ui_scale) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("names", kRangeColumns, kFlags)) return;
  const std::array<bool, kRangeColumns> fits = fitting_columns(ImGui::GetContentRegionAvail().x);
  for (int i = 0; i < kRangeColumns; ++i) {
    const ColumnTitle& column = kColumns[static_cast<std::size_t>(i)];
    const bool name = i == static_cast<int>(RangeColumn::name);
    ImGuiTableColumnFlags flags =
        name ? ImGuiTableColumnFlags_WidthStretch
             : ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending;
    if (i == static_cast<int>(RangeColumn::total)) flags |= ImGuiTableColumnFlags_DefaultSort;
    if (!fits[static_cast<std::size_t>(i)]) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(name_of(column.title), flags, name ? 0 : column_width(column));
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  draw_titles();
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs != nullptr && specs->SpecsDirty && specs->SpecsCount > 0) {
    const RangeOrder before = order_;
    order_.column = static_cast<RangeColumn>(specs->Specs[0].ColumnIndex);
    order_.ascending = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
    specs->SpecsDirty = false;
    if (order_ != before) {
      order_stale_ = true;
      wake_();
    }
  }
  const std::vector<std::uint32_t>& rows = rows_.value()->order;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      draw_row(rows[static_cast<std::size_t>(i)], theme, ui_scale);
      ImGui::PopID();
    }
  }
  clipper.End();
  ImGui::EndTable();
}

void RangeTable::draw_titles() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kRangeColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const ColumnTitle& column = kColumns[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    ImGui::TableHeader(with_id(column.title, "title").c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(column.hint));
    ImGui::PopID();
  }
}

void RangeTable::draw_row(std::uint32_t index, const Theme& theme, float ui_scale) {
  const NameStats& row = rows_.value()->summary->names[index];
  const std::string_view name = name_of(*trace_, row);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  constexpr ImGuiSelectableFlags kFlags =
      ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap;
  if (ImGui::Selectable("##row", false, kFlags)) find_longest(row);
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::GetIO().MousePos.x < at.x + width) {
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * ui_scale);
      colored_text(theme.text, name.substr(0, 2000));
      colored_text(theme.text_dim, filled(Text::range_row_hint, {tr(text_for(row.kind))}));
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const float radius = std::round(4 * ui_scale);
  list.AddCircleFilled({at.x + radius, std::floor(at.y + line / 2)}, radius,
                       look_.color_of(row.name, row.kind, theme));
  const float indent = 2 * radius + std::round(6 * ui_scale);
  draw_cell_text(list, {at.x + indent, at.y}, width - indent, theme.text, look_.name_text(name),
                 Elide::middle);
  draw_numbers(row, theme);
}

void RangeTable::draw_numbers(const NameStats& row, const Theme& theme) const {
  const RangeSummary& summary = *rows_.value()->summary;
  const DurationStats& stats = row.stats;
  const auto cell = [&](const std::string& text) {
    if (ImGui::TableNextColumn()) right_aligned_text(theme.text, text);
  };
  cell(grouped(stats.count));
  cell(grouped(stats.calls()));
  cell(text_from_duration(stats.total_ns));
  cell(text_from_duration(stats.self_ns));
  cell(text_from_duration(mean_ns(stats)));
  cell(text_from_duration(stats.min_ns));
  cell(text_from_duration(stats.max_ns));
  cell(text_from_share(summary.share_of_range(stats.total_ns)));
  cell(is_gpu_work(row.kind) ? text_from_share(summary.share_of_gpu(stats.total_ns)) : std::string());
}

}  // namespace kino
