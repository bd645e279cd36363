#include "app/pages/job/rank_memory_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/rank_image.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kRowsLeastPx = 240;

std::string bytes_or_nothing(std::int64_t bytes) {
  return bytes < 0 ? "–" : text_from_bytes(static_cast<double>(bytes));
}

}  // namespace

const char* RankMemoryPage::title() const { return tr(Text::job_memory); }

void RankMemoryPage::update(bool /*shown*/) {
  if (state_.picture == picture_) return;
  picture_ = state_.picture;
  rows_.clear();
  if (picture_ == nullptr) return;
  for (std::uint32_t i = 0; i < picture_->ranks.size(); ++i) {
    const RankMemory& memory = picture_->job->memory(i);
    if (memory.peak_bytes < 0) continue;
    rows_.push_back({i, picture_->job->measure_of(i) == picture_->job->memory_measure, memory.peak_bytes,
                     picture_->ranks[i].page_ns(static_cast<double>(memory.peak_ns - picture_->begin_ns),
                                                picture_->begin_ns)});
  }
  std::ranges::stable_sort(rows_, std::ranges::greater{},
                           [](const Row& row) { return std::pair(row.comparable, row.peak_bytes); });
}

std::int64_t RankMemoryPage::highest_bytes() const {
  return std::ranges::max(rows_, {}, &Row::peak_bytes).peak_bytes;
}

double RankMemoryPage::cursor_ns() const {
  const TimeView& view = state_.navigation.view();
  return state_.cursor_ns.value_or((view.begin_ns + view.end_ns()) / 2);
}

std::int64_t RankMemoryPage::bytes_now(std::uint32_t rank) const {
  const double own = picture_->ranks[rank].own_ns(cursor_ns(), picture_->begin_ns);
  return picture_->job->memory(rank).bytes_at(picture_->begin_ns + std::llround(own));
}

void RankMemoryPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("memory", size, look);
  if (rows_.empty()) {
    wrapped_text(look.theme.text_dim, tr(Text::job_memory_none));
  } else {
    const std::int64_t most = rows_.front().peak_bytes;
    const auto count = static_cast<std::size_t>(std::ranges::count(rows_, true, &Row::comparable));
    const std::int64_t median = rows_[(count - 1) / 2].peak_bytes / 2 + rows_[count / 2].peak_bytes / 2;
    if (!state_.snapshots.empty()) ImGui::AlignTextToFramePadding();
    wrapped_text(
        look.theme.text,
        filled(
            picture_->job->memory_measure == MemoryMeasure::requested ? Text::job_memory_requested_words
                                                                      : Text::job_memory_allocated_words,
            {rank_name(*picture_->job, rows_.front().rank), bytes_or_nothing(most), bytes_or_nothing(median),
             text_from_share(median > 0 ? static_cast<double>(most) / static_cast<double>(median) - 1 : 0)}));
    if (!state_.snapshots.empty()) {
      ImGui::SameLine();
      if (flat_button(tr(Text::job_snapshots),
                      hint_with_key(Text::command_snapshots_of_ranks, CommandId::snapshots_of_ranks).c_str()))
        state_.request_snapshots();
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // The curves are aligned with the time axis of the lanes above.
    const float left = ImGui::GetCursorScreenPos().x;
    const float gap = 18 * look.scale;
    const float rows = std::max(kRowsLeastPx * look.scale, state_.boxes.lanes.left - left - gap);
    draw_rows({rows, room.y}, look);
    ImGui::SameLine(0, gap);
    draw_curves({state_.boxes.lanes.right - left - rows - gap, room.y}, look);
  }
  ImGui::EndChild();
}

void RankMemoryPage::draw_rows(ImVec2 size, const DrawContext& look) {
  const bool requested = picture_->job->memory_measure == MemoryMeasure::requested;
  const std::array titles{tr(Text::job_column_rank),
                          tr(requested ? Text::job_memory_peak_requested : Text::job_memory_peak_allocated),
                          tr(Text::job_memory_peak_at), tr(Text::job_memory_cursor)};
  if (!begin_figure_list("memory", titles, size, look)) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (ImGui::Selectable(rank_name(*picture_->job, row.rank).c_str(), state_.rank == row.rank,
                            ImGuiSelectableFlags_SpanAllColumns)) {
        state_.select_rank(row.rank);
        const auto at = static_cast<std::int64_t>(row.peak_page_ns);
        state_.navigation.reveal({at, at + 1});
      }
      ImGui::TableNextColumn();
      right_aligned_text(row.comparable ? look.theme.text : look.theme.text_dim,
                         bytes_or_nothing(row.peak_bytes));
      if (!row.comparable && ImGui::IsItemHovered()) {
        ImGui::SetTooltip("%s",
                          tr(requested ? Text::job_memory_is_allocated : Text::job_memory_is_requested));
      }
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, text_from_duration(std::llround(row.peak_page_ns)));
      ImGui::TableNextColumn();
      right_aligned_text(look.theme.text, bytes_or_nothing(bytes_now(row.rank)));
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

/// Paints the curves into an image, because drawing lines for a thousand ranks would take longer than a
/// frame.
void RankMemoryPage::paint(int width, int height, const DrawContext& look) {
  const TimeView& view = state_.navigation.view();
  const bool chosen = state_.rank && picture_->job->memory(*state_.rank).peak_bytes >= 0;
  const Painted now{picture_,       view.begin_ns, view.end_ns(),
                    width,          height,        chosen ? *state_.rank : rows_.front().rank,
                    look.theme.dark};
  if (painted_ == now) return;
  painted_ = now;
  const auto columns = static_cast<std::size_t>(width);
  std::vector<std::uint32_t> pixels(columns * static_cast<std::size_t>(height), look.theme.track_area);
  const double px_per_ns = width / (now.end_ns - now.begin_ns);
  const double px_per_byte = (height - 6 * look.scale) / static_cast<double>(highest_bytes());
  const auto curve = [&](std::uint32_t rank, std::uint32_t color, int thickness) {
    const auto row_of = [&](std::int64_t bytes) {
      const double row = height - 1 - static_cast<double>(std::max<std::int64_t>(0, bytes)) * px_per_byte;
      return static_cast<int>(std::clamp(row, 0.0, height - 1.0));
    };
    const auto fill = [&](int left, int right, int top, int bottom) {
      for (int y = std::max(0, top - thickness + 1); y <= bottom; ++y) {
        for (int x = left; x < right; ++x)
          pixels[static_cast<std::size_t>(y) * columns + static_cast<std::size_t>(x)] = color;
      }
    };
    const RankPicture& clock = picture_->ranks[rank];
    int x = 0;
    int row = -1;  // unknown before the first point
    for (const MemoryPoint& point : picture_->job->memory(rank).curve) {
      const double page =
          clock.page_ns(static_cast<double>(point.time_ns - picture_->begin_ns), picture_->begin_ns);
      const double place = (page - now.begin_ns) * px_per_ns;
      if (place >= width) break;
      const int next = std::max(0, static_cast<int>(place));
      const int next_row = row_of(point.bytes);
      if (row >= 0) {
        fill(x, next, row, row);
        fill(next, std::min(width, next + thickness), std::min(row, next_row), std::max(row, next_row));
      }
      x = next;
      row = next_row;
    }
    if (row >= 0) fill(x, width, row, row);
  };
  for (const Row& memory_row : rows_)
    curve(memory_row.rank, mixed(look.theme.track_area, look.theme.counter, 0.35), 1);
  curve(now.in_front, look.theme.selection, std::max(1, static_cast<int>(1.5F * look.scale)));
  curves_.set(width, height, pixels);
}

void RankMemoryPage::draw_curves(ImVec2 size, const DrawContext& look) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("curves", {std::max(1.0F, size.x), std::max(1.0F, size.y)});
  if (size.x < 60 * look.scale || size.y < 40 * look.scale) return;
  paint(static_cast<int>(size.x), static_cast<int>(size.y), look);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + std::floor(size.x), at.y + std::floor(size.y)};
  add_image(list, curves_, at, end);
  const auto cursor = static_cast<float>((cursor_ns() - painted_.begin_ns) /
                                         (painted_.end_ns - painted_.begin_ns) * std::floor(size.x));
  list.AddLine({at.x + cursor, at.y}, {at.x + cursor, end.y}, with_alpha(look.theme.accent, 160));
  const std::string top = bytes_or_nothing(highest_bytes());
  list.AddText({at.x + 4 * look.scale, at.y + 2 * look.scale}, look.theme.text_dim, top.c_str());
}

void RankMemoryPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["rank_memory"] = rows_.size();
}

}  // namespace kino
