#include "app/pages/snapshot_set/batch_page.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/tables/what_if_table.hpp"

namespace kino {
namespace {

constexpr float kSizesEm = 19;
constexpr float kChartShare = 0.36F;
constexpr float kLeastChartEm = 16;
constexpr std::size_t kColors = 6;

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == text.npos; }

std::string signed_bytes(double bytes) { return (bytes < 0 ? "−" : "") + text_from_bytes(std::abs(bytes)); }

std::uint32_t line_color(std::size_t line, const Theme& theme) {
  if (line >= kColors) return mixed(theme.panel, theme.text_dim, 0.5);
  return bookmark_color(static_cast<std::uint8_t>(line), theme);
}

}  // namespace

void BatchPage::update(bool shown) {
  if (!shown || state_.set() == nullptr || (picture_ == state_.picture && requested_ == state_.batch)) return;
  picture_ = state_.picture;
  // Batch sizes found in file names are entered into the fields, as if the user had typed them.
  if (const std::size_t known = sizes_.size(); known != state_.files.size()) {
    std::vector<std::string> names;
    for (const SnapshotFile& file : state_.files) names.push_back(file.name);
    const std::vector<std::uint64_t> found = sizes_in_names(names);
    sizes_.resize(names.size());
    for (std::size_t i = known; i < found.size(); ++i) {
      const std::string text = std::to_string(found[i]);
      std::copy_n(text.begin(), std::min(text.size(), sizes_[i].size() - 1), sizes_[i].begin());
    }
  }
  parse_input();
  requested_ = state_.batch;
  fit_ = batch_fit(*state_.set(), requested_.sizes, requested_.capacity, byte_units());
}

void BatchPage::parse_input() {
  BatchQuery asked;
  asked.capacity = state_.batch.capacity;
  size_wrong_ = false;
  for (const Input& typed : sizes_) {
    const std::string_view text(typed.data());
    std::uint64_t& size = asked.sizes.emplace_back(0);
    if (is_blank(text)) continue;
    const Result<std::vector<std::uint64_t>> read = sizes_from_text(text);
    if (read.ok() && read.value().size() == 1) {
      size = read.value().front();
    } else {
      size_wrong_ = true;
    }
  }
  const std::string_view text(capacity_.data());
  const std::optional<std::uint64_t> bytes =
      is_blank(text) ? std::nullopt : capacity_from_text(text, byte_units());
  capacity_wrong_ = !is_blank(text) && !bytes;
  if (!capacity_wrong_) asked.capacity = bytes;
  state_.batch = std::move(asked);
}

void BatchPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("batch", size, look);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = ImGui::GetFontSize();
  const float gap = em;
  const float sizes = std::min(kSizesEm * em, room.x * 0.3F);
  float chart = std::floor(room.x * kChartShare);
  if (chart < kLeastChartEm * em) chart = 0;
  draw_sizes({sizes, room.y}, look);
  ImGui::SameLine(0, gap);
  draw_texts({room.x - sizes - gap - (chart > 0 ? chart + gap : 0), room.y}, look);
  if (chart > 0) {
    ImGui::SameLine(0, gap);
    draw_chart({chart, room.y}, look);
  }
  ImGui::EndChild();
}

void BatchPage::draw_sizes(ImVec2 size, const DrawContext& look) {
  const float em = ImGui::GetFontSize();
  ImGui::BeginChild("sizes", size);
  bool changed = false;
  ImGui::AlignTextToFramePadding();
  colored_text(look.theme.text_dim, tr(Text::what_if_capacity));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::batch_capacity_hint));
  ImGui::SameLine(size.x - em * 6.5F);
  ImGui::SetNextItemWidth(em * 6);
  ImGui::InputTextWithHint("##capacity", name_of(byte_units()).data(), capacity_.data(), capacity_.size(),
                           ImGuiInputTextFlags_AutoSelectAll);
  changed = changed || ImGui::IsItemDeactivatedAfterEdit();
  capacity_at_ = item_center();
  if (capacity_wrong_) wrapped_text(look.theme.warning, tr(Text::what_if_capacity_wrong));
  colored_text(look.theme.text_dim, tr(Text::batch_sizes));
  if (size_wrong_) wrapped_text(look.theme.warning, tr(Text::batch_size_wrong));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min(sizes_.size(), state_.files.size())),
                ImGui::GetFrameHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto file = static_cast<std::size_t>(i);
      ImGui::PushID(i);
      ImGui::AlignTextToFramePadding();
      colored_text(look.theme.text, fitted_in_middle(escaped(state_.files[file].name), size.x - em * 7.5F));
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", escaped(state_.files[file].name).c_str());
      ImGui::SameLine(size.x - em * 6.5F);
      ImGui::SetNextItemWidth(em * 6);
      ImGui::InputText("##size", sizes_[file].data(), sizes_[file].size(), ImGuiInputTextFlags_AutoSelectAll);
      changed = changed || ImGui::IsItemDeactivatedAfterEdit();
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  if (changed) parse_input();
}

void BatchPage::draw_texts(ImVec2 size, const DrawContext& look) {
  ImGui::BeginChild("words", size);
  const bool has_sizes =
      std::ranges::count_if(requested_.sizes, [](std::uint64_t size) { return size > 0; }) >= 2;
  if (!has_sizes) {
    wrapped_text(look.theme.text_dim, tr(Text::batch_needs_sizes));
    ImGui::EndChild();
    return;
  }
  bool first = true;
  for (const Message& note : batch_notes(fit_, byte_units())) {
    if (first) ImGui::PushFont(heading_font());
    wrapped_text(!fit_.refused.empty() ? look.theme.warning
                 : first               ? look.theme.text
                                       : look.theme.text_dim,
                 escaped(in_language(note)));
    if (first) ImGui::PopFont();
    first = false;
  }
  const std::array titles{tr(Text::batch_column_category), tr(Text::batch_column_fixed),
                          tr(Text::batch_column_per_unit), tr(Text::batch_column_largest)};
  const float least = ImGui::GetTextLineHeightWithSpacing() * 4;
  const float left = std::max(least, ImGui::GetContentRegionAvail().y);
  if (fit_.refused.empty() &&
      begin_figure_list("lines", titles, {ImGui::GetContentRegionAvail().x, left}, look)) {
    const auto row = [&](const SizeLine& line, std::uint32_t color, const Message& name) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(color, fitted_in_middle(escaped(in_language(name)), ImGui::GetContentRegionAvail().x));
      for (const double bytes : {line.fixed, line.per_unit, static_cast<double>(line.bytes.back())}) {
        ImGui::TableNextColumn();
        right_aligned_text(look.theme.text, signed_bytes(bytes));
      }
    };
    for (std::size_t i = 0; i < fit_.lines.size(); ++i)
      row(fit_.lines[i], line_color(i, look.theme), fit_.lines[i].name);
    row(fit_.peak, look.theme.text, tr(Text::batch_live));
    if (fit_.reserved.bytes.back() > 0) row(fit_.reserved, look.theme.text_dim, tr(Text::batch_reserved));
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

void BatchPage::draw_chart(ImVec2 size, const DrawContext& look) const {
  if (!fit_.refused.empty() || fit_.points.empty() || fit_.lines.empty()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = at.x + em * 4.5F;
  const float right = at.x + size.x - em;
  const float top = at.y + em * 0.5F;
  const float bottom = at.y + size.y - em * 1.6F;
  if (right - left < em * 6 || bottom - top < em * 4) return;
  const auto largest = static_cast<double>(fit_.points.back().size);
  constexpr double kMostTimes = 16;
  double most = largest * 2;
  if (fit_.most_live)
    most = std::clamp(static_cast<double>(*fit_.most_live) * 1.25, most, largest * kMostTimes);
  double high = std::max(fit_.peak.at(most), fit_.reserved.at(most));
  if (fit_.capacity) {
    const auto capacity = static_cast<double>(*fit_.capacity);
    if (capacity < high * 4) high = std::max(high, capacity);
  }
  high *= 1.05;
  const auto x_of = [&](double size) { return left + static_cast<float>(size / most) * (right - left); };
  const auto y_of = [&](double bytes) {
    return bottom - static_cast<float>(std::clamp(bytes / high, 0.0, 1.0)) * (bottom - top);
  };
  list.AddRectFilled({left, top}, {right, bottom}, look.theme.track_area);
  // Lines are sorted by growth. The last one is at the bottom of the stack, so that the parts that grow most
  // are on top.
  double below_first = 0;
  double below_last = 0;
  for (std::size_t i = fit_.lines.size(); i-- > 0;) {
    const double first = below_first + std::max(0.0, fit_.lines[i].at(0));
    const double last = below_last + std::max(0.0, fit_.lines[i].at(most));
    list.AddQuadFilled({left, y_of(below_first)}, {left, y_of(first)}, {right, y_of(last)},
                       {right, y_of(below_last)}, with_alpha(line_color(i, look.theme), 150));
    below_first = first;
    below_last = last;
  }
  constexpr double kByteTickPx = 44;
  const ByteTicks ticks =
      byte_ticks(0, high, (bottom - top) / (kByteTickPx * static_cast<double>(look.scale)));
  for (const std::uint64_t tick : ticks.at) {
    const float y = std::floor(y_of(static_cast<double>(tick))) + 0.5F;
    list.AddLine({left, y}, {right, y}, look.theme.grid);
    const std::string text = byte_tick_text(tick, ticks.step, high);
    list.AddText({left - text_width(text) - em * 0.4F, y - em * 0.5F}, look.theme.text_dim, text.c_str());
  }
  const std::uint64_t step = std::max<std::uint64_t>(1, decimal_step(most, (right - left) / (em * 6)));
  for (std::uint64_t tick = 0; static_cast<double>(tick) <= most; tick += step) {
    const std::string text = grouped(tick);
    const float x = x_of(static_cast<double>(tick));
    list.AddLine({x, bottom}, {x, bottom + em * 0.25F}, look.theme.text_dim);
    if (x + text_width(text) / 2 <= at.x + size.x)
      list.AddText({x - text_width(text) / 2, bottom + em * 0.3F}, look.theme.text_dim, text.c_str());
  }
  list.AddLine({left, y_of(fit_.reserved.at(0))}, {right, y_of(fit_.reserved.at(most))}, look.theme.text_dim,
               look.scale);
  list.AddLine({left, y_of(fit_.peak.at(0))}, {right, y_of(fit_.peak.at(most))}, look.theme.text,
               2 * look.scale);
  for (std::size_t i = 0; i < fit_.points.size(); ++i) {
    const auto size = static_cast<double>(fit_.points[i].size);
    list.AddCircleFilled({x_of(size), y_of(static_cast<double>(fit_.peak.bytes[i]))}, 4 * look.scale,
                         look.theme.selection);
  }
  if (!fit_.capacity || static_cast<double>(*fit_.capacity) > high) return;
  const float y = y_of(static_cast<double>(*fit_.capacity));
  list.AddLine({left, y}, {right, y}, look.theme.error, 1.5F * look.scale);
  const std::string words =
      fit_.most_live ? filled(Text::batch_fits, {shown_bytes_text(*fit_.capacity), grouped(*fit_.most_live)})
                     : shown_bytes_text(*fit_.capacity);
  draw_elided(list, {left + em * 0.5F, y + em * 0.2F}, right - left - em, look.theme.error, words);
  if (fit_.most_live && static_cast<double>(*fit_.most_live) <= most) {
    const float x = x_of(static_cast<double>(*fit_.most_live));
    list.AddLine({x, y}, {x, bottom}, look.theme.error, look.scale);
  }
}

void BatchPage::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json& batch = panel["batch"];
  batch["offered"] = offered();
  batch["sizes"] = requested_.sizes;
  batch["capacity_at"] = {capacity_at_.x, capacity_at_.y};
  batch["refused"] = fit_.refused.str();
  batch["fixed"] = fit_.peak.fixed;
  batch["per_unit"] = fit_.peak.per_unit;
  batch["most_live"] = fit_.most_live ? Json(*fit_.most_live) : Json();
}

}  // namespace kino
