#include "app/ui/widgets/flame_view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/name_pattern.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kLeastPx = 2;
constexpr std::size_t kFlameColors = 24;
constexpr std::size_t kMostPlaces = 64;
constexpr std::uint32_t kFaint = 0x40ffffffU;

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<std::uint32_t> flame_palette(bool dark) {
  constexpr double kGoldenDegrees = 137.50776405;
  std::vector<std::uint32_t> colors;
  for (std::size_t i = 0; i < kFlameColors; ++i) {
    const double lightness = (dark ? 0.72 : 0.74) + 0.05 * static_cast<double>(i % 3);
    colors.push_back(
        packed_color({lightness, 0.1, std::fmod(40 + static_cast<double>(i) * kGoldenDegrees, 360.0)}));
  }
  colors.push_back(packed_color({dark ? 0.56 : 0.86, 0.012, 262}));  // for dimmed frames
  return colors;
}

}  // namespace

FlameView::FlameView(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
    : export_(std::move(file), pool, std::move(wake)) {}

void FlameView::show(std::shared_ptr<const FlameGraph> graph) {
  const auto carried = [&](std::uint32_t node) {
    std::vector<FlameFrame> path;
    for (const std::uint32_t at : path_to(graph_->tree, node))
      path.push_back(graph_->frames[graph_->tree.nodes[at].frame]);
    return find_path(*graph, path);
  };
  const bool same_way = graph_ && graph && graph_->tree.direction == graph->tree.direction;
  focus_ = same_way ? carried(focus_) : 0;
  if (same_way && current_) {
    current_ = carried(*current_);
  } else {
    current_.reset();
  }
  for (std::uint32_t& node : before_) node = same_way ? carried(node) : 0;
  if (!same_way) before_.clear();
  hovered_.reset();
  graph_ = std::move(graph);
  layout_width_ = -1;
  count_matches();
}

void FlameView::flip_direction() {
  direction_ = direction_ == FlameDirection::top_down ? FlameDirection::bottom_up : FlameDirection::top_down;
}

void FlameView::zoom_to(std::uint32_t node) {
  if (!graph_ || node == focus_) return;
  before_.push_back(focus_);
  focus_ = node;
  layout_width_ = -1;
  count_matches();
}

void FlameView::zoom_out() {
  if (focus_ == 0) return;
  focus_ = before_.empty() ? 0 : before_.back();
  if (!before_.empty()) before_.pop_back();
  layout_width_ = -1;
  count_matches();
}

void FlameView::handle(const FlameKeys& keys) {
  if (!graph_ || graph_->tree.empty()) return;
  if (keys.clear) current_.reset();
  if (keys.zoom_in && current_) zoom_to(*current_);
  if (keys.zoom_out) zoom_out();
  if (keys.up) step_current(-1, 0);
  if (keys.down) step_current(1, 0);
  if (keys.left) step_current(0, -1);
  if (keys.right) step_current(0, 1);
}

// Moves the current frame by keys. If there is none, the first key makes the zoomed frame current.
void FlameView::step_current(int row_step, int step) {
  scroll_to_current_ = true;
  if (!current_ || layout_.rows() == 0) {
    current_ = focus_;
    return;
  }
  const FlameNode& node = graph_->tree.nodes[*current_];
  if (row_step < 0) current_ = node.parent;
  if (row_step > 0 && node.child_count > 0) current_ = node.first_child;
  if (step == 0 || node.depth >= layout_.rows()) return;
  const auto row = layout_.row(node.depth);
  const auto at = std::ranges::find_if(
      row, [&](const FlameBox& box) { return box.left_out == 0 && box.node == *current_; });
  if (at == row.end()) return;
  for (auto next = at - row.begin() + step; next >= 0 && next < std::ssize(row); next += step) {
    const FlameBox& box = row[static_cast<std::size_t>(next)];
    if (box.left_out > 0) continue;
    current_ = box.node;
    return;
  }
}

std::string FlameView::node_name(std::uint32_t node) const {
  return node == 0 ? tr(Text::flame_all) : graph_->frames[graph_->tree.nodes[node].frame].name;
}

void FlameView::count_matches() {
  matches_.clear();
  matched_.reset();
  find_problem_ = {};
  if (!graph_ || find_text_.front() == '\0') return;
  const Result<NamePattern> pattern = NamePattern::compile(find_text_.data());
  if (!pattern.ok()) {
    find_problem_ = pattern.error().what;
    return;
  }
  for (const FlameFrame& frame : graph_->frames)
    matches_.push_back(pattern.value().found_in(frame.name) || pattern.value().found_in(frame.detail));
  matched_ = matched_weight(graph_->tree, focus_, matches_);
}

bool FlameView::keeps(const FlameBox& box) const {
  if (!matched_) return true;
  return box.left_out == 0 && box.node != 0 && matches_[graph_->tree.nodes[box.node].frame];
}

std::uint32_t FlameView::color_of(const FlameFrame& frame, const Theme& theme) {
  if (palette_.empty() || palette_dark_ != theme.dark) {
    palette_ = flame_palette(theme.dark);
    palette_dark_ = theme.dark;
  }
  return frame.dim ? palette_.back() : palette_[frame.color_group % kFlameColors];
}

std::string FlameView::status(const Look& look) const {
  if (export_.tells()) return export_.message();
  if (!find_problem_.empty()) return in_language(find_problem_);
  const FlameTree& tree = graph_->tree;
  const std::int64_t whole = tree.nodes[focus_].total;
  if (matched_)
    return filled(Text::flame_matched, {look.weight(*matched_), text_from_share(share_of(*matched_, whole))});
  if (const std::uint32_t shown = current_.value_or(focus_); shown != 0) {
    const std::int64_t total = tree.nodes[shown].total;
    return filled(Text::flame_status, {node_name(shown), look.weight(total),
                                       text_from_share(share_of(total, tree.nodes[0].total))});
  }
  return filled(Text::flame_sum, {look.weight(tree.nodes[0].total), grouped(tree.nodes.size() - 1)});
}

void FlameView::draw_tools(const Look& look, const std::string& flip_hint, const std::string& find_hint) {
  const Theme& theme = *look.theme;
  const float gap = std::round(8 * look.scale);
  const bool bottom_up = direction_ == FlameDirection::bottom_up;
  const std::string flip = with_id(bottom_up ? Text::flame_bottom_up : Text::flame_top_down, "flip");
  if (flat_button(flip.c_str(), flip_hint.c_str())) flip_direction();
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(
      std::clamp(ImGui::GetContentRegionAvail().x * 0.22F, 110 * look.scale, 260 * look.scale));
  if (std::exchange(take_focus_, false)) focus_next_field();
  if (ImGui::InputTextWithHint("##find", tr(Text::flame_find_field), find_text_.data(), find_text_.size(),
                               ImGuiInputTextFlags_AutoSelectAll)) {
    count_matches();
  }
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) ImGui::SetTooltip("%s", find_hint.c_str());
  if ((ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && key_pressed(NamedKey::escape)) {
    find_text_.fill('\0');
    count_matches();
  }
  ImGui::SameLine(0, gap);
  const bool any = graph_ && !graph_->tree.empty();
  if (flat_button(with_id(Text::flame_copy, "copy").c_str(), tr(Text::flame_copy_hint)) && any)
    start_export(false);
  ImGui::SameLine(0, gap);
  if (flat_button(with_id(Text::flame_save, "save").c_str(), tr(Text::flame_save_hint)) && any)
    start_export(true);
  ImGui::SameLine(0, 2 * gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::uint32_t color = !find_problem_.empty() ? theme.error : theme.text_dim;
  if (any) {
    draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
                ImGui::GetContentRegionAvail().x, color, status(look), Elide::middle);
  }
  ImGui::Dummy({1, ImGui::GetFrameHeight()});
}

void FlameView::lay_out_anew(float width) {
  if (layout_width_ == width) return;
  constexpr int kSizingFrames = 2;
  layout_width_ = width;
  sizing_frames_ = kSizingFrames;
  layout_ = lay_out(graph_->tree, focus_, width, kLeastPx);
}

void FlameView::click(bool again) {
  if (again) {  // the first click has already zoomed in
    if (click_zoomed_) zoom_out();
    click_zoomed_ = false;
    zoom_out();
    return;
  }
  if (!hovered_) return;
  current_ = hovered_;
  click_zoomed_ = *hovered_ != focus_;
  zoom_to(*hovered_);
}

void FlameView::draw(const Look& look) {
  places_.clear();
  hovered_.reset();
  sizing_frames_ = std::max(0, sizing_frames_ - 1);
  if (!graph_ || graph_->tree.empty()) return;
  ImGui::BeginChild("flame");
  const float height = std::ceil(ImGui::GetFontSize() + 5 * look.scale);
  const float width = std::floor(ImGui::GetContentRegionAvail().x);
  lay_out_anew(width);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto rows = static_cast<float>(layout_.rows());
  ImGui::InvisibleButton("boxes", {std::max(1.0F, width), std::max(1.0F, rows * height)});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const FlameBox* under = nullptr;
  if (ImGui::IsItemHovered()) {
    const float depth = std::floor((mouse.y - origin.y) / height);
    if (depth >= 0) under = box_at(layout_, static_cast<std::size_t>(depth), mouse.x - origin.x);
    if (under != nullptr) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (under->left_out == 0) hovered_ = under->node;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      click(true);
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      click(false);
    }
  }
  if (layout_width_ != width) {  // a click has changed the zoom
    under = nullptr;
    hovered_.reset();
    lay_out_anew(width);
  }
  if (std::exchange(scroll_to_current_, false) && current_) {
    const float top = static_cast<float>(graph_->tree.nodes[*current_].depth) * height;
    const float seen = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + height > ImGui::GetScrollY() + seen) ImGui::SetScrollY(top + height - seen);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float scroll = ImGui::GetScrollY();
  const auto first = static_cast<std::size_t>(std::max(0.0F, std::floor(scroll / height)));
  const auto end = static_cast<std::size_t>(std::ceil((scroll + ImGui::GetWindowHeight()) / height));
  for (std::size_t depth = first; depth < std::min(end, layout_.rows()); ++depth)
    draw_row(list, look, depth, {origin.x, origin.y + static_cast<float>(depth) * height}, height);
  if (under != nullptr) draw_card(look, *under);
  ImGui::EndChild();
}

void FlameView::draw_row(ImDrawList& list, const Look& look, std::size_t depth, ImVec2 corner, float height) {
  const Theme& theme = *look.theme;
  const float bottom = corner.y + height - 1;
  const float pad = std::round(4 * look.scale);
  const float text_y = corner.y + std::floor((height - 1 - ImGui::GetFontSize()) / 2);
  for (const FlameBox& box : layout_.row(depth)) {
    const float left = corner.x + std::floor(static_cast<float>(box.begin_px));
    const float right = std::max(left + 1, corner.x + std::floor(static_cast<float>(box.end_px)) - 1);
    const bool root = box.node == 0 || box.left_out > 0;
    std::uint32_t color =
        root ? theme.group_header : color_of(graph_->frames[graph_->tree.nodes[box.node].frame], theme);
    std::uint32_t ink = root ? theme.text_dim : text_on(color, theme);
    if (!keeps(box) && !root) {
      color &= kFaint;
      ink = theme.text_dim;
    }
    list.AddRectFilled({left, corner.y}, {right, bottom}, color);
    const bool hovered = box.left_out == 0 && hovered_ == box.node;
    if (hovered)
      list.AddRectFilled({left, corner.y}, {right, bottom}, theme.dark ? 0x30ffffffU : 0x30000000U);
    if (box.left_out == 0 && current_ == box.node) {
      list.AddRect({left, corner.y}, {right, bottom}, theme.text, 0, 0,
                   std::max(2.0F, std::round(2 * look.scale)));
    }
    const std::string name = box.left_out > 0
                                 ? counted(Text::flame_one_narrow, Text::flame_narrow, box.left_out)
                                 : node_name(box.node);
    draw_elided(list, {left + pad, text_y}, right - left - 2 * pad, ink, name);
    if (places_.size() < kMostPlaces)
      places_.push_back({name, {(left + right) / 2, (corner.y + bottom) / 2}, right - left});
  }
}

void FlameView::draw_card(const Look& look, const FlameBox& box) const {
  const Theme& theme = *look.theme;
  const FlameTree& tree = graph_->tree;
  const FlameNode& node = tree.nodes[box.node];
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 520 * look.scale);
  if (box.left_out > 0) {
    colored_text(theme.text, counted(Text::flame_one_narrow, Text::flame_narrow, box.left_out));
    colored_text(theme.text_dim, tr(Text::flame_narrow_hint));
  } else {
    colored_text(theme.text, node_name(box.node));
    if (box.node != 0) {
      const FlameFrame& frame = graph_->frames[node.frame];
      if (!frame.detail.empty()) colored_text(theme.text_dim, frame.detail);
    }
    colored_text(theme.text,
                 filled(Text::flame_of_all, {look.weight(node.total),
                                             text_from_share(share_of(node.total, tree.nodes[0].total))}));
    if (focus_ != 0 && node.depth > tree.nodes[focus_].depth) {
      colored_text(theme.text_dim, filled(Text::flame_of_zoomed,
                                          {text_from_share(share_of(node.total, tree.nodes[focus_].total))}));
    }
    if (node.self > 0 && node.child_count > 0)
      colored_text(theme.text_dim, filled(Text::flame_ends_here, {look.weight(node.self)}));
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void FlameView::start_export(bool save) {
  if (!graph_) return;
  TextExport::Make make = [graph = graph_](const std::stop_token& stop) { return folded_text(*graph, stop); };
  if (save) {
    export_.save(std::move(make), ".stacks", ".folded");
  } else {
    export_.copy(std::move(make));
  }
}

}  // namespace kino
