#include "app/pages/job/messages_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/rank_image.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kMatrixMostPx = 420;
constexpr float kPairsPx = 430;
constexpr double kMessageGamma = 0.4;  // exponent of color strength; makes a tenth of the maximum visible
constexpr std::array kMessageFigureTexts{Text::job_column_waiting, Text::job_messages_count,
                                         Text::job_messages_bytes, Text::job_messages_bandwidth};
static_assert(kMessageFigureTexts.size() == kMessageFigureCount);

std::int64_t waits_of(const MessageChannel& channel) {
  return channel.sender_waits_ns + channel.receiver_waits_ns;
}

double figure_of(const MessageChannel& channel, MessageFigure figure) {
  switch (figure) {
    case MessageFigure::waiting:
      return static_cast<double>(waits_of(channel));
    case MessageFigure::messages:
      return static_cast<double>(channel.messages);
    case MessageFigure::bytes:
      return static_cast<double>(channel.bytes);
    case MessageFigure::bandwidth:
      break;
  }
  return std::max(0.0, channel.gb_per_s());
}

std::string bandwidth_text(const MessageChannel& channel) {
  return channel.gb_per_s() < 0 ? "–" : fixed(channel.gb_per_s(), 1);
}

}  // namespace

const char* MessagesPage::title() const { return tr(Text::job_messages); }

bool MessagesPage::offered() const {
  return state_.picture != nullptr &&
         std::ranges::any_of(state_.picture->job->matched.groups, [](const MatchedGroup& group) {
           return group.kind == MatchedGroupKind::messages;
         });
}

std::string MessagesPage::note() const {
  if (sums_ == nullptr || sums_->channels.empty()) return {};
  return grouped(sums_->channels.size());
}

void MessagesPage::update(bool shown) {
  const std::shared_ptr<const JobAnalysis> job = state_.picture != nullptr ? state_.picture->job : nullptr;
  if (const std::shared_ptr<const Sums>* done = computed_.poll(); done != nullptr && *done != sums_) {
    sums_ = *done;
    painted_ = {};
    ranks_.clear();
    for (const MessageChannel& channel : sums_->channels) {
      ranks_.push_back(channel.source);
      ranks_.push_back(channel.target);
    }
    std::ranges::sort(ranks_);
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  }
  if (!shown || job == nullptr || job == asked_) return;
  asked_ = job;
  computed_.start(pool_, wake_, [job](const std::stop_token& stop) {
    auto sums = std::make_shared<Sums>();
    sums->job = job;
    sums->channels = message_channels(*job, stop);
    std::ranges::stable_sort(sums->channels, std::ranges::greater{}, waits_of);
    sums->pipelines = pipelines_of(*job, stop);
    return std::shared_ptr<const Sums>(std::move(sums));
  });
}

std::optional<std::size_t> MessagesPage::place_of(std::int64_t rank) const {
  const auto found = std::ranges::lower_bound(ranks_, rank);
  if (found == ranks_.end() || *found != rank) return std::nullopt;
  return static_cast<std::size_t>(found - ranks_.begin());
}

void MessagesPage::follow(const MessageChannel& channel) {
  state_.select_collective(channel.longest_collective);
  state_.navigation.fit(state_.range_of(channel.longest_collective), 0.5);
}

void MessagesPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("messages", size, look);
  const bool known = sums_ != nullptr && state_.picture != nullptr && sums_->job == state_.picture->job;
  if (!known || sums_->channels.empty()) {
    wrapped_text(look.theme.text_dim,
                 !known ? std::string(tr(Text::job_matching)) : tr(Text::job_messages_none));
    ImGui::EndChild();
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float side = std::floor(std::min(
      {room.y - ImGui::GetFrameHeight() - 10 * look.scale, kMatrixMostPx * look.scale, room.x * 0.3F}));
  ImGui::BeginGroup();
  draw_figures(look);
  if (side > 40 * look.scale) draw_matrix(side, look);
  ImGui::EndGroup();
  ImGui::SameLine(0, 18 * look.scale);
  const float left = ImGui::GetContentRegionAvail().x;
  const bool charted = !sums_->pipelines.empty() && left > 620 * look.scale;
  draw_pairs({charted ? std::min(kPairsPx * look.scale, left / 2) : left, room.y}, look);
  if (charted) {
    ImGui::SameLine(0, 18 * look.scale);
    chart_.draw(state_, *sums_->job, sums_->pipelines, ImGui::GetContentRegionAvail(), look);
  }
  ImGui::EndChild();
}

void MessagesPage::draw_figures(const DrawContext& look) {
  for (int i = 0; i < kMessageFigureCount; ++i) {
    if (i > 0) ImGui::SameLine(0, 2 * look.scale);
    const bool chosen = static_cast<int>(figure_) == i;
    if (chosen) ImGui::PushStyleColor(ImGuiCol_Text, look.theme.accent);
    if (flat_button(tr(kMessageFigureTexts[static_cast<std::size_t>(i)]), nullptr))
      figure_ = static_cast<MessageFigure>(i);
    if (chosen) ImGui::PopStyleColor();
  }
}

void MessagesPage::paint(int side, const DrawContext& look) {
  const Painted now{sums_.get(), figure_, side, look.theme.dark};
  if (painted_ == now) return;
  painted_ = now;
  const auto columns = static_cast<std::size_t>(side);
  std::vector<double> values(columns * columns, -1);
  double most = 0;
  const auto pixel = [&](std::size_t place) { return place * columns / ranks_.size(); };
  for (const MessageChannel& channel : sums_->channels) {
    const std::optional<std::size_t> from = place_of(channel.source);
    const std::optional<std::size_t> to = place_of(channel.target);
    if (!from || !to) continue;
    const double value = figure_of(channel, figure_);
    most = std::max(most, value);
    // A cell is at least two pixels wide and high, so that a single pair among a thousand ranks is visible.
    const std::size_t x_end = std::min(columns, std::max(pixel(*from + 1), pixel(*from) + 2));
    const std::size_t y_end = std::min(columns, std::max(pixel(*to + 1), pixel(*to) + 2));
    for (std::size_t y = pixel(*to); y < y_end; ++y) {
      for (std::size_t x = pixel(*from); x < x_end; ++x)
        values[y * columns + x] = std::max(values[y * columns + x], value);
    }
  }
  const std::uint32_t hot = figure_ == MessageFigure::waiting
                                ? kind_color(SliceKind::communication, look.theme)
                                : look.theme.accent;
  std::vector<std::uint32_t> pixels;
  pixels.reserve(values.size());
  for (const double value : values) {
    const double strength =
        value < 0 ? 0 : 0.12 + 0.88 * std::pow(most > 0 ? value / most : 0, kMessageGamma);
    pixels.push_back(mixed(look.theme.track_area, hot, strength));
  }
  matrix_.set(side, side, pixels);
}

void MessagesPage::draw_matrix(float side, const DrawContext& look) {
  paint(static_cast<int>(side), look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float margin = std::floor(ImGui::GetFontSize() * 1.2F);
  const float shown = side - margin;
  const Box box{at.x + margin, at.y + margin, at.x + margin + shown, at.y + margin + shown};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_image(list, matrix_, left_top(box), right_bottom(box));
  list.AddRect(left_top(box), right_bottom(box), look.theme.border);
  draw_elided(list, {box.left, at.y}, shown, look.theme.text_dim, tr(Text::job_messages_axes));
  // Both axes are labeled with the first and the last rank.
  const std::string last = std::to_string(ranks_.back());
  draw_elided(list, {at.x, box.top}, margin, look.theme.text_dim, std::to_string(ranks_.front()));
  list.AddText({box.left - text_width(last) - 3 * look.scale, box.bottom - ImGui::GetFontSize()},
               look.theme.text_dim, last.c_str());
  ImGui::InvisibleButton("matrix", {side, side});
  if (ImGui::IsItemHovered()) draw_matrix_card(box, look);
}

void MessagesPage::draw_matrix_card(const Box& box, const DrawContext& look) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!box.contains(mouse.x, mouse.y)) return;
  const auto count = static_cast<float>(ranks_.size());
  const float cell = box.width() / count;
  const float reach = std::max(cell / 2, 3 * look.scale);
  const MessageChannel* nearest = nullptr;
  float distance = reach + 0.5F;
  for (const MessageChannel& channel : sums_->channels) {
    const auto from = place_of(channel.source);
    const auto to = place_of(channel.target);
    if (!from || !to) continue;
    const float x = box.left + (static_cast<float>(*from) + 0.5F) * cell;
    const float y = box.top + (static_cast<float>(*to) + 0.5F) * cell;
    const float off = std::max(std::abs(mouse.x - x), std::abs(mouse.y - y));
    if (off < distance) {
      distance = off;
      nearest = &channel;
    }
  }
  if (nearest == nullptr) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) follow(*nearest);
  ImGui::BeginTooltip();
  colored_text(look.theme.text, filled(Text::job_messages_pair,
                                       {std::to_string(nearest->source), std::to_string(nearest->target)}));
  colored_text(look.theme.text_dim,
               filled(Text::job_messages_facts,
                      {grouped(static_cast<std::uint64_t>(nearest->messages)),
                       text_from_bytes(static_cast<double>(nearest->bytes)), bandwidth_text(*nearest)}));
  colored_text(look.theme.text_dim,
               filled(Text::job_messages_waits, {text_from_duration(nearest->sender_waits_ns),
                                                 text_from_duration(nearest->receiver_waits_ns)}));
  ImGui::EndTooltip();
}

void MessagesPage::draw_pairs(ImVec2 size, const DrawContext& look) {
  const std::array titles{tr(Text::job_messages_pairs), tr(Text::job_messages_count),
                          tr(Text::job_messages_bytes), "GB/s", tr(Text::job_column_waiting)};
  if (!begin_figure_list("pairs", titles, size, look)) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(sums_->channels.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const MessageChannel& channel = sums_->channels[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const std::string pair = std::to_string(channel.source) + " → " + std::to_string(channel.target);
      if (ImGui::Selectable(pair.c_str(), state_.collective == channel.longest_collective,
                            ImGuiSelectableFlags_SpanAllColumns))
        follow(channel);
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, grouped(static_cast<std::uint64_t>(channel.messages)));
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, text_from_bytes(static_cast<double>(channel.bytes)));
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, bandwidth_text(channel));
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, text_from_duration(waits_of(channel)));
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

void MessagesPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["messages"] = {{"channels", sums_ != nullptr ? sums_->channels.size() : 0},
                       {"pipelines", sums_ != nullptr ? sums_->pipelines.size() : 0}};
}

}  // namespace kino
