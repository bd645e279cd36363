#include "app/pages/job/pipeline_chart.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kStageNamePx = 64;
constexpr float kStageMostPx = 28;
constexpr float kStageLeastPx = 6;

/// Returns the step in the middle of the view, or the step nearest to the middle. Null if the pipeline has no
/// steps.
const PipelineStep* step_in_view(const JobState& state, const Pipeline& pipeline) {
  const TimeView& view = state.navigation.target();
  const double middle = (view.begin_ns + view.end_ns()) / 2;
  const PipelineStep* nearest = nullptr;
  double distance = 0;
  for (const PipelineStep& step : pipeline.steps) {
    const std::optional<TimeRange> range = state.range_of_step(step.number);
    if (!range) continue;
    const double off = std::max(
        {0.0, static_cast<double>(range->begin_ns) - middle, middle - static_cast<double>(range->end_ns)});
    if (nearest == nullptr || off < distance) {
      nearest = &step;
      distance = off;
    }
  }
  return nearest != nullptr || pipeline.steps.empty() ? nearest : &pipeline.steps.front();
}

TimeRange range_of_chunks(const Pipeline& pipeline, std::int64_t step) {
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const auto& chunks : pipeline.chunks) {
    for (const PipelineChunk& chunk : chunks) {
      if (chunk.step != step) continue;
      range.begin_ns = std::min(range.begin_ns, chunk.range.begin_ns);
      range.end_ns = std::max(range.end_ns, chunk.range.end_ns);
    }
  }
  return range;
}

std::string chunk_words(const PipelineChunk& chunk) {
  const std::string number = std::to_string(chunk.number + 1);
  switch (chunk.kind) {
    case ChunkKind::forward:
      return "F" + number;
    case ChunkKind::backward:
      return "B" + number;
    case ChunkKind::both:
      return "F" + number + " B" + std::to_string(chunk.backward_number + 1);
    case ChunkKind::other:
      break;
  }
  return {};
}

std::uint32_t chunk_color(ChunkKind kind, const Theme& theme) {
  const std::uint32_t compute = kind_color(SliceKind::compute, theme);
  switch (kind) {
    case ChunkKind::forward:
      return compute;
    case ChunkKind::backward:
      return mixed(theme.panel, compute, 0.62);
    case ChunkKind::both:
      return mixed(theme.panel, compute, 0.8);
    case ChunkKind::other:
      break;
  }
  return mixed(theme.panel, theme.text_dim, 0.4);
}

void draw_bubble_words(const Pipeline& pipeline, const PipelineStep& step, const Theme& theme) {
  std::string words = filled(Text::job_pipeline_bubble, {text_from_share(step.bubble_share())});
  if (const double even = step.even_bubble_share(); even >= 0) {
    words +=
        " " +
        filled(Text::job_pipeline_even,
               {text_from_share(even), std::to_string(pipeline.ranks.size() - 1),
                std::to_string(static_cast<std::int64_t>(pipeline.ranks.size()) + step.micro_batches - 1)});
  }
  wrapped_text(theme.text, words);
  std::int64_t straggling = 0;
  for (const StageTimes& stage : step.stages) straggling += stage.straggling_ns;
  wrapped_text(theme.text_dim, filled(Text::job_pipeline_straggling, {text_from_duration(straggling)}));
}

}  // namespace

void PipelineChart::draw_choice(const JobState& state, const JobAnalysis& job,
                                std::span<const Pipeline> pipelines, const Pipeline& shown,
                                const PipelineStep* step) {
  const auto name = [&](const Pipeline& pipeline) {
    std::string words = pipeline.description.empty() || pipeline.description == "undefined"
                            ? pipeline.name
                            : pipeline.description;
    words = filled(Text::job_pipeline_name, {escaped(words)});
    for (std::size_t i = 0; i < std::min<std::size_t>(3, pipeline.ranks.size()); ++i) {
      words += (i == 0 ? ": " : ", ") + std::to_string(job.ranks[pipeline.ranks[i]]->rank);
    }
    return words + (pipeline.ranks.size() > 3 ? ", …" : "");
  };
  std::string title = name(shown);
  if (step != nullptr) title += " · " + filled(Text::job_pipeline_step, {std::to_string(step->number)});
  ImGui::AlignTextToFramePadding();
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, state.px(520)));
  if (!ImGui::BeginCombo("##pipeline", title.c_str())) return;
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(name(pipelines[i]).c_str(), i == chosen_)) chosen_ = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

namespace {

/// Shows the tooltip of the chunk under the mouse. A click shows the chunk in the rows.
void handle_hovered(JobState& state, const JobAnalysis& job, const PipelineChunk& chunk, std::uint32_t rank) {
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::SetTooltip("%s", (rank_name(job, rank) + "  " + chunk_words(chunk) + "  " +
                           text_from_duration(chunk.range.length_ns()))
                              .c_str());
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    state.select_rank(rank);
    state.navigation.fit(
        {chunk.range.begin_ns - state.picture->begin_ns, chunk.range.end_ns - state.picture->begin_ns}, 0.5);
  }
}

void draw_chunk(ImDrawList& list, const PipelineChunk& chunk, const Box& box, float row, const Theme& theme) {
  list.AddRectFilled({box.left, box.top + 1}, {box.right, box.bottom - 1}, chunk_color(chunk.kind, theme));
  const std::string words = chunk_words(chunk);
  const float words_px = text_width(words);
  const float size_px = ImGui::GetFontSize();
  if (row < size_px || words_px + 4 >= box.right - box.left) return;
  list.AddText({std::floor((box.left + box.right - words_px) / 2), std::floor(box.top + (row - size_px) / 2)},
               theme.text_on_slice, words.c_str());
}

/// Draws one row per stage, with the stage's chunks of the step.
void draw_stages(JobState& state, const JobAnalysis& job, const Pipeline& shown, const PipelineStep& step,
                 ImVec2 size, const DrawContext& look) {
  const TimeRange range = range_of_chunks(shown, step.number);
  const float below = 3.6F * ImGui::GetTextLineHeightWithSpacing();
  const float room = size.y - ImGui::GetFrameHeightWithSpacing() - below;
  const auto stages = static_cast<float>(shown.ranks.size());
  const float row =
      std::floor(std::clamp(room / stages, kStageLeastPx * look.scale, kStageMostPx * look.scale));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = at.x + kStageNamePx * look.scale;
  const float width = std::max(1.0F, size.x - kStageNamePx * look.scale - 8 * look.scale);
  const auto length = static_cast<float>(std::max<std::int64_t>(1, range.length_ns()));
  const auto x_of = [&](std::int64_t ns) {
    return left + static_cast<float>(ns - range.begin_ns) / length * width;
  };
  const float size_px = ImGui::GetFontSize();
  const PipelineChunk* hovered = nullptr;
  std::uint32_t hovered_rank = 0;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImGui::InvisibleButton("chunks", {kStageNamePx * look.scale + width, row * stages});
  const bool over = ImGui::IsItemHovered();
  for (std::size_t stage = 0; stage < shown.ranks.size(); ++stage) {
    const std::uint32_t rank = shown.ranks[stage];
    const float top = at.y + static_cast<float>(stage) * row;
    list.AddRectFilled({left, top + 1}, {left + width, top + row - 1}, look.theme.track_area);
    if (row >= size_px) {
      draw_elided(list, {at.x, std::floor(top + (row - size_px) / 2)}, kStageNamePx * look.scale - 4,
                  state.rank == rank ? look.theme.text : look.theme.text_dim, rank_name(job, rank));
    }
    for (const PipelineChunk& chunk : shown.chunks[stage]) {
      if (chunk.step != step.number) continue;
      const float from = x_of(chunk.range.begin_ns);
      const float to = std::max(from + 1, x_of(chunk.range.end_ns) - 1);
      draw_chunk(list, chunk, {from, top, to, top + row}, row, look.theme);
      if (over && mouse.x >= from && mouse.x < to && mouse.y >= top && mouse.y < top + row) {
        hovered = &chunk;
        hovered_rank = rank;
      }
    }
  }
  if (hovered != nullptr) handle_hovered(state, job, *hovered, hovered_rank);
}

}  // namespace

void PipelineChart::draw(JobState& state, const JobAnalysis& job, std::span<const Pipeline> pipelines,
                         ImVec2 size, const DrawContext& look) {
  if (state.rank != of_rank_) {
    of_rank_ = state.rank;
    for (std::size_t i = 0; of_rank_ && i < pipelines.size(); ++i) {
      if (std::ranges::find(pipelines[i].ranks, *of_rank_) != pipelines[i].ranks.end()) chosen_ = i;
    }
  }
  chosen_ = std::min(chosen_, pipelines.size() - 1);
  const Pipeline& shown = pipelines[chosen_];
  const PipelineStep* const step = step_in_view(state, shown);
  ImGui::BeginGroup();
  draw_choice(state, job, pipelines, shown, step);
  if (step == nullptr) {
    wrapped_text(look.theme.text_dim, tr(Text::job_pipeline_no_step));
    ImGui::EndGroup();
    return;
  }
  draw_stages(state, job, shown, *step, size, look);
  draw_bubble_words(shown, *step, look.theme);
  ImGui::EndGroup();
}

}  // namespace kino
