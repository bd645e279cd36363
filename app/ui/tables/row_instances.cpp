#include "app/ui/tables/row_instances.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/kernel_table.hpp"

namespace kino {
namespace {

/// Returns the index of the first instance that does not start before `slice`.
std::size_t first_from(const Trace& trace, const std::vector<SliceId>& slices, SliceId slice) {
  const std::int64_t start = trace.start_ns(slice);
  const auto at = std::partition_point(slices.begin(), slices.end(),
                                       [&](SliceId instance) { return trace.start_ns(instance) < start; });
  return static_cast<std::size_t>(at - slices.begin());
}

struct HistogramArea {
  ImVec2 at;
  float room = 0;   // of the labels
  float width = 0;  // of the bars
  float top = 0;
  float bottom = 0;
};

std::string edge_text(const DurationHistogram& histogram, std::size_t i) {
  return text_from_duration(std::llround(histogram.edge_ns(i)));
}

/// Marks the median and, unless it is nullopt, `far_ns`. Labels the histogram's first and last edge.
void draw_histogram_labels(ImDrawList& list, const DurationHistogram& histogram, const HistogramArea& area,
                           std::optional<double> far_ns, const Theme& theme, float ui_scale) {
  const std::size_t count = histogram.counts.size();
  const float line = ImGui::GetTextLineHeight();
  const float pitch = area.width / static_cast<float>(count);
  const auto label_at = [&](float x, float y, std::uint32_t color, const std::string& label) {
    const float left = std::max(area.at.x, std::min(x, area.at.x + area.room - text_width(label)));
    list.AddText({std::floor(left), y}, color, label.c_str());
  };
  const auto mark = [&](double duration_ns, Text text, std::uint32_t color, float label_y) {
    const float x =
        std::floor(area.at.x + pitch * static_cast<float>(histogram.place_of(duration_ns))) + 0.5F;
    list.AddLine({x, label_y + line}, {x, area.bottom}, color, std::max(1.0F, ui_scale));
    label_at(x, label_y, color, filled(text, {text_from_duration(std::llround(duration_ns))}));
  };
  if (far_ns) mark(*far_ns, Text::instances_far, theme.warning, area.at.y);
  mark(static_cast<double>(histogram.median_ns), Text::instances_median, theme.text_dim, area.top - line - 2);
  const std::string first = edge_text(histogram, 0);
  const std::string last = edge_text(histogram, count);
  label_at(area.at.x, area.bottom + 1, theme.text_dim, first);
  if (area.width > 2 * text_width(first) + text_width(last))
    label_at(area.at.x + area.width - text_width(last), area.bottom + 1, theme.text_dim, last);
}

}  // namespace

std::optional<std::size_t> RowInstances::place_of(const Trace& trace, SliceId slice) const {
  if (slice == kNoSlice || set == nullptr || !set->contains(index_of(slice))) return std::nullopt;
  std::size_t index = first_from(trace, slices, slice);
  while (slices[index] != slice) ++index;  // several instances may start at the same time
  return index;
}

SliceId RowInstances::step(const Trace& trace, SliceId from, int step) const {
  if (slices.empty()) return kNoSlice;
  if (from == kNoSlice) return step > 0 ? slices.front() : slices.back();
  const std::size_t count = slices.size();
  if (const auto index = place_of(trace, from)) return slices[(*index + (step > 0 ? 1 : count - 1)) % count];
  const std::size_t next = first_from(trace, slices, from);
  return slices[(step > 0 ? next : next + count - 1) % count];
}

SliceId RowInstances::next_in(const Trace& trace, std::size_t bucket, SliceId from) const {
  std::size_t next = 0;
  if (const auto index = place_of(trace, from)) {
    next = *index + 1;
  } else if (from != kNoSlice) {
    next = first_from(trace, slices, from);
  }
  const auto middle = buckets.begin() + static_cast<std::ptrdiff_t>(std::min(next, buckets.size()));
  const auto wanted = static_cast<std::uint8_t>(bucket);
  auto found = std::find(middle, buckets.end(), wanted);
  if (found == buckets.end()) found = std::find(buckets.begin(), middle, wanted);
  if (found == buckets.end() || *found != wanted) return kNoSlice;
  return slices[static_cast<std::size_t>(found - buckets.begin())];
}

RowInstances row_instances(const RangeAnalyses& analyses, const TableResult& answer, std::uint32_t row,
                           const std::stop_token& stop) {
  const Trace& trace = analyses.trace();
  const TableResultQuery& question = answer.question;
  const SliceId example = answer.table.slice_of(row);
  if (example == kNoSlice) return {};
  TableRequest request;
  request.range = question.range;
  request.step = question.step;
  const auto analysis = requested_analysis(analyses, request, stop);
  if (!analysis) return {};
  auto slices =
      row_slices(*question.kind, *analysis.value(), {answer.table, row, example, question.group}, stop);
  if (!slices) return {};
  RowInstances found;
  found.slices = std::move(*slices);
  if (found.slices.empty()) return found;
  std::ranges::sort(found.slices, {}, [&](SliceId id) { return std::pair(trace.start_ns(id), id); });
  std::vector<std::int64_t> durations;
  durations.reserve(found.slices.size());
  auto set = std::make_shared<SliceSet>(trace.slice_count());
  for (const SliceId slice : found.slices) {
    durations.push_back(trace.duration_ns(slice));
    set->insert(index_of(slice));
  }
  found.set = std::move(set);
  found.histogram = duration_histogram(durations);
  found.buckets.reserve(found.slices.size());
  for (const SliceId slice : found.slices)  // `durations` has been reordered
    found.buckets.push_back(static_cast<std::uint8_t>(found.histogram.bucket_of(trace.duration_ns(slice))));
  return found;
}

void RowInstancesView::update(const TableResults::Rows* rows, std::optional<std::uint32_t> row) {
  found_.poll();
  const std::shared_ptr<const TableResult> answer = row && rows != nullptr ? rows->answer : nullptr;
  if (answer == answer_ && row == row_) return;
  answer_ = answer;
  row_ = row;
  found_.reset();
  if (answer == nullptr || answer->table.slice_of(*row) == kNoSlice) return;
  found_.start(pool_, wake_, [analyses = analyses_, answer, at = *row](const std::stop_token& stop) {
    return row_instances(*analyses, *answer, at, stop);
  });
}

const RowInstances* RowInstancesView::shown() const {
  const RowInstances* found = found_.value();
  return found != nullptr && found->slices.size() > 1 ? found : nullptr;
}

SliceId RowInstancesView::draw(ImVec2 size, SliceId selected, const Theme& theme, float ui_scale) {
  places_.clear();
  const RowInstances* found = shown();
  if (found == nullptr) return kNoSlice;
  const SliceId stepped = draw_steps(*found, selected, theme);
  const float left = std::max(1.0F, size.y - ImGui::GetFrameHeightWithSpacing());
  const SliceId clicked = draw_histogram(*found, selected, {size.x, left}, theme, ui_scale);
  return stepped != kNoSlice ? stepped : clicked;
}

SliceId RowInstancesView::draw_steps(const RowInstances& found, SliceId selected, const Theme& theme) {
  const Trace& trace = analyses_->trace();
  SliceId go_to = kNoSlice;
  const auto button = [&](const char* name, ImGuiDir direction, int step, Text hint, CommandId command) {
    if (ImGui::ArrowButton(name, direction)) go_to = found.step(trace, selected, step);
    record_position(name, item_center());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint_with_key(hint, command).c_str());
    ImGui::SameLine();
  };
  button("previous_instance", ImGuiDir_Left, -1, Text::instances_previous_hint, CommandId::previous_instance);
  button("next_instance", ImGuiDir_Right, 1, Text::instances_next_hint, CommandId::next_instance);
  const std::string all = grouped(found.slices.size());
  const auto index = found.place_of(trace, selected);
  ImGui::AlignTextToFramePadding();
  colored_text(theme.text, index ? filled(Text::instances_place, {grouped(*index + 1), all})
                                 : filled(Text::instances_count, {all}));
  return go_to;
}

SliceId RowInstancesView::draw_histogram(const RowInstances& found, SliceId selected, ImVec2 size,
                                         const Theme& theme, float ui_scale) {
  const DurationHistogram& histogram = found.histogram;
  const Trace& trace = analyses_->trace();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::size_t count = histogram.counts.size();
  // Limit the width of a bucket: a single bucket would fill the whole width.
  const float width = std::min(size.x, std::round(24 * ui_scale) * static_cast<float>(count));
  const float pitch = width / static_cast<float>(count);
  constexpr double kFar = 5;  // as in the label's text
  constexpr std::size_t kLeastForFar = 4;
  const double far_ns = kFar * static_cast<double>(histogram.median_ns);
  const bool far =
      found.slices.size() >= kLeastForFar && histogram.place_of(far_ns) <= static_cast<double>(count);
  const float top = at.y + (far ? 2 : 1) * line + std::round(4 * ui_scale);
  const float bottom = at.y + std::max(3 * line, size.y - line - std::round(4 * ui_scale));
  const auto most = static_cast<float>(std::ranges::max(histogram.counts));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImGui::InvisibleButton("histogram", {std::max(1.0F, width), std::max(1.0F, bottom - at.y)});
  const bool hovered = ImGui::IsItemHovered();
  const bool clicked = ImGui::IsItemClicked();
  const auto pointed =
      static_cast<std::size_t>(std::clamp((mouse.x - at.x) / pitch, 0.0F, static_cast<float>(count) - 1));
  const auto own = selected != kNoSlice && found.set->contains(index_of(selected))
                       ? histogram.bucket_of(trace.duration_ns(selected))
                       : count;
  list.AddLine({at.x, bottom}, {at.x + width, bottom}, theme.border);
  for (std::size_t i = 0; i < count; ++i) {
    if (histogram.counts[i] == 0) continue;
    const float x = at.x + pitch * static_cast<float>(i);
    // Rare durations get a minimum height, since users look for outliers.
    const float height =
        std::max(std::round(2 * ui_scale), (bottom - top) * static_cast<float>(histogram.counts[i]) / most);
    const std::uint32_t color = i == own                  ? theme.selection
                                : hovered && i == pointed ? theme.text
                                                          : theme.accent;
    list.AddRectFilled({x + 0.5F, bottom - height}, {x + std::max(1.5F, pitch - 0.5F), bottom}, color);
    if (i == 0) record_position("first_bucket", {x + pitch / 2, bottom - 1});
    if (i + 1 == count) record_position("last_bucket", {x + pitch / 2, bottom - 1});
  }
  draw_histogram_labels(list, histogram, {at, size.x, width, top, bottom},
                        far ? std::optional(far_ns) : std::nullopt, theme, ui_scale);
  if (!hovered) return kNoSlice;
  const std::uint64_t inside = histogram.counts[pointed];
  if (inside == 0) return kNoSlice;
  const Text tip = inside == 1 ? Text::instances_one_in_bucket : Text::instances_in_bucket;
  ImGui::SetTooltip(
      "%s", filled(tip, {grouped(inside), edge_text(histogram, pointed), edge_text(histogram, pointed + 1)})
                .c_str());
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return clicked ? found.next_in(trace, pointed, selected) : kNoSlice;
}

}  // namespace kino
