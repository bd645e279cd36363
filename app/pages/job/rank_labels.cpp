#include "app/pages/job/rank_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/rank_image.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kFigurePx = 70;
constexpr float kArrowPx = 20;  // width of the fold arrow
constexpr float kLinePx = 12;   // rows less tall than this have no separator line

/// Returns the height below which rows have neither figures nor one rectangle per step.
float low_px() { return 0.9F * ImGui::GetFontSize(); }

using FigureTime = std::int64_t (*)(const JobState& state, std::uint32_t rank);

GpuComparison gpu_of(const JobState& state, std::uint32_t rank) {
  const std::vector<GpuComparison>& gpu = state.job()->gpu;
  return rank < gpu.size() ? gpu[rank] : GpuComparison();
}

std::string gpu_text(const JobState& state, std::uint32_t rank) {
  const GpuComparison gpu = gpu_of(state, rank);
  if (!gpu.ratio) return "–";
  const double percent = (*gpu.ratio - 1) * 100;
  return (percent < -0.05 ? "−" : "+") + fixed(std::abs(percent), 1) + " %";
}

struct Figure {
  Text title;
  FigureTime time_ns;  ///< null for the comparison of the GPU
};
constexpr std::array kFigures{
    Figure{Text::job_column_compute,
           [](const JobState& state, std::uint32_t rank) {
             return state.picture->ranks[rank].compute.length_ns();
           }},
    Figure{
        Text::job_column_waiting,
        [](const JobState& state, std::uint32_t rank) { return state.job()->waits.ranks[rank].waiting_ns; }},
    Figure{Text::job_column_transfer,
           [](const JobState& state, std::uint32_t rank) {
             return state.job()->waits.ranks[rank].transfer_sum_ns;
           }},
    Figure{Text::job_column_caused,
           [](const JobState& state, std::uint32_t rank) { return state.job()->blame[rank].caused_ns; }},
    Figure{Text::job_column_gpu, nullptr},
};
constexpr std::size_t kCausedFigure = 3;
constexpr std::size_t kGpuFigure = 4;

float name_left(const JobState& state) { return state.boxes.labels.left + state.px(kArrowPx + 2); }

/// Returns the index of the first figure that is shown. If the page is narrow, the first figures are omitted.
std::size_t first_figure(const JobState& state) {
  const float room = state.boxes.labels.right - name_left(state) - state.px(70);
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, room / state.px(kFigurePx)));
  return fitting >= kFigures.size() ? 0 : kFigures.size() - fitting;
}

float figure_right(const JobState& state, std::size_t figure) {
  return state.boxes.labels.right - state.px(10) -
         static_cast<float>(kFigures.size() - 1 - figure) * state.px(kFigurePx);
}

/// Returns the color strength for the waiting that the rank caused, relative to the largest, from 0 to 1. The
/// square root makes a tenth of the largest visible.
double heat_of(const JobState& state, std::uint32_t rank) {
  const std::int64_t most = state.picture->most_caused_ns;
  const auto caused = static_cast<double>(state.job()->blame[rank].caused_ns);
  return most > 0 ? std::sqrt(caused / static_cast<double>(most)) : 0;
}

double gpu_heat_of(const JobState& state, std::uint32_t rank) {
  const GpuComparison gpu = gpu_of(state, rank);
  return gpu.slower() ? std::min(1.0, 0.4 + (*gpu.ratio - 1.02) * 4) : 0;
}

std::string file_words(const RankFile& file) {
  std::string name = escaped(file.path.filename().string());
  switch (file.state) {
    case RankFile::State::waiting:
      return name;
    case RankFile::State::loading:
      return filled(Text::job_file_reading, {name});
    case RankFile::State::ready:
      return filled(Text::job_file_read, {name});
    case RankFile::State::failed:
      break;
  }
  return name + ": " + escaped(in_language(file.error.what));
}

/// Returns the rank's place in the layout: "tp 1 · pp 3". If it is unknown, returns the rank's machine, or an
/// empty text.
std::string place_text(const JobState& state, std::uint32_t rank) {
  std::string words;
  for (std::size_t i = 0; i < state.layout.dimensions.size(); ++i) {
    const std::string of_it = state.group_of(2 + i, rank);
    if (!of_it.empty()) words += (words.empty() ? "" : " · ") + of_it;
  }
  return words.empty() ? escaped(state.layout.machines[rank]) : words;
}

using FigureFormats = RankLabels::FigureFormats;
static_assert(std::tuple_size_v<FigureFormats> == kFigures.size());

/// Returns one format per figure for all ranks of the job.
FigureFormats formats_of(const JobState& state) {
  FigureFormats formats;
  if (state.picture == nullptr) return formats;
  std::vector<std::int64_t> times(state.picture->ranks.size());
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    if (kFigures[i].time_ns == nullptr) continue;
    for (std::uint32_t rank = 0; rank < times.size(); ++rank) times[rank] = kFigures[i].time_ns(state, rank);
    formats[i] = TimeColumn::of(times);
  }
  return formats;
}

std::string figure_text(const JobState& state, std::size_t figure, std::uint32_t rank,
                        const FigureFormats& formats) {
  if (kFigures[figure].time_ns == nullptr) return gpu_text(state, rank);
  const std::int64_t ns = kFigures[figure].time_ns(state, rank);
  return ns == 0 ? "0" : time_text_in(formats[figure], ns);
}

void draw_figures(ImDrawList& list, const JobState& state, std::uint32_t rank, const FigureFormats& formats,
                  float top, float height) {
  const Theme& theme = state.theme;
  const float size = ImGui::GetFontSize();
  const float middle = std::floor(top + (height - size) / 2);
  for (std::size_t i = first_figure(state); i < kFigures.size(); ++i) {
    const std::string words = figure_text(state, i, rank, formats);
    const float width = text_width(words);
    const float right = figure_right(state, i);
    const bool unclaimed = i == kGpuFigure && !shows_difference(claim_of(gpu_of(state, rank)));
    const bool nothing = words == "0" || words == "–" || unclaimed;
    std::uint32_t color = nothing ? theme.text_dim : theme.text;
    double strength = 0;
    if (i == kCausedFigure) strength = heat_of(state, rank);
    if (i == kGpuFigure) strength = gpu_heat_of(state, rank);
    if (strength > 0) {
      const float pad = state.px(5);
      list.AddRectFilled(
          {right - width - pad, middle - state.px(2)}, {right + pad, middle + size + state.px(2)},
          mixed(theme.track_area, kind_color(SliceKind::communication, theme), strength), state.px(3));
      if (strength > 0.5) color = theme.text_on_slice;
    }
    list.AddText({right - width, middle}, color, words.c_str());
  }
}

void draw_rank(ImDrawList& list, const JobState& state, const StepHeat& cells, const JobLine& line,
               const FigureFormats& formats, float top) {
  const Theme& theme = state.theme;
  const float size = ImGui::GetFontSize();
  const std::uint32_t rank = line.index;
  const bool two = line.height >= 2.3F * size;
  const float y = std::floor(two ? top + line.height / 2 - size * 1.05F : top + (line.height - size) / 2);
  const float left = name_left(state);
  const bool open = state.expanded.contains(state.picture->files[rank]) && !state.by_stream;
  draw_fold_arrow(list, {state.boxes.labels.left + state.px(12), std::floor(top + line.height / 2)},
                  state.px(4), open, theme.text_dim);
  const float names_end =
      cells.shown() ? cells.left() : figure_right(state, first_figure(state)) - state.px(kFigurePx);
  const float room = names_end - left - state.px(4);
  const std::string place = place_text(state, rank);
  draw_elided(list, {left, two && place.empty() ? std::floor(top + (line.height - size) / 2) : y}, room,
              theme.text, rank_name(*state.job(), rank));
  if (two) draw_elided(list, {left, y + std::floor(size * 1.1F)}, room, theme.text_dim, place, Elide::middle);
  if (cells.shown()) {
    cells.draw(list, rank, top + 1, top + line.height - 1);
  } else {
    draw_figures(list, state, rank, formats, top, line.height);
  }
}

/// Returns the ranks of a group: "ranks 16–31" if they are consecutive, else their number.
std::string group_words(const JobState& state, const JobGroup& group) {
  std::int64_t least = INT64_MAX;
  std::int64_t most = -1;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const std::int64_t number = state.job()->ranks[state.shown[i]]->rank;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  const bool all = most - least + 1 == static_cast<std::int64_t>(group.count);
  if (group.count == 1 || !all) return counted(Text::job_one_rank_row, Text::job_rank_rows, group.count);
  return filled(Text::job_ranks_from_to, {std::to_string(least), std::to_string(most)});
}

/// Names the rank of the group that caused the most waiting: "others wait 27.5 ms for Rank 21". Empty if the
/// waiting is negligible.
std::string worst_words(const JobState& state, const JobGroup& group) {
  const std::vector<StragglerStats>& blame = state.job()->blame;
  const auto ranks = std::span(state.shown).subspan(group.first, group.count);
  const auto worst =
      std::ranges::max_element(ranks, {}, [&](std::uint32_t rank) { return blame[rank].caused_ns; });
  if (worst == ranks.end() || blame[*worst].caused_ns < kNegligibleNs) return {};
  return filled(Text::job_group_worst,
                {text_from_duration(blame[*worst].caused_ns), rank_name(*state.job(), *worst)});
}

void draw_header(ImDrawList& list, const JobState& state, const JobLine& line, float top) {
  const Box& box = state.boxes.labels;
  const float y = std::floor(top + (line.height - ImGui::GetFontSize()) / 2);
  list.AddRectFilled({box.left, top}, {box.right, top + line.height}, state.theme.group_header);
  std::string title;
  std::string note;
  std::string worst;
  if (line.kind == JobLine::Kind::stream) {
    const std::string& of_stream = state.lines.titles()[line.index];
    title = of_stream.empty() ? tr(Text::job_launching_threads) : escaped(of_stream);
  } else if (line.index >= state.groups.size()) {
    title = tr(Text::job_notable_ranks);
    note = tr(Text::job_notable_ranks_note);
  } else {
    const JobGroup& group = state.groups[line.index];
    title = group.title.empty() ? tr(Text::job_group_unknown) : escaped(group.title);
    note = group_words(state, group);
    worst = worst_words(state, group);
  }
  float x = box.left + state.px(12);
  x += draw_elided(list, {x, y}, box.right - x - state.px(8), state.theme.text, title) + state.px(8);
  if (!note.empty()) x += draw_elided(list, {x, y}, box.right - x - state.px(8), state.theme.text_dim, note);
  if (!worst.empty()) {
    x += state.px(12);
    draw_elided(list, {x, y}, box.right - x - state.px(8), kind_color(SliceKind::communication, state.theme),
                worst);
  }
}

void draw_track(ImDrawList& list, const JobState& state, const JobLine& line, float top) {
  const auto found = state.tracks.find(line.index);
  if (found == state.tracks.end() || line.track >= found->second.lines.size()) return;
  const RankTrackLine& track = found->second.lines[line.track];
  const Box& box = state.boxes.labels;
  const float y = std::floor(top + state.px(1));
  float x = box.left + state.px(34);
  const float end = box.right - state.px(8);
  if (track.lanes > RankTrackLine::kFewLanes) {
    draw_fold_arrow(list, {box.left + state.px(25), y + ImGui::GetFontSize() / 2}, state.px(8), track.open,
                    state.theme.text_dim);
  }
  std::string title = escaped(track.title);
  std::string note = escaped(track.contents);
  if (track.launches) note = tr(Text::job_launches);
  if (state.by_stream) {
    note = track.launches ? title : note;
    title = rank_name(*state.job(), line.index);
  }
  x += draw_elided(list, {x, y}, end - x, state.theme.text, title) + state.px(7);
  draw_elided(list, {x, y}, end - x, state.theme.text_dim, note);
}

std::string note_words(const JobState& state, std::uint32_t rank) {
  const auto found = state.tracks.find(rank);
  if (found == state.tracks.end()) return {};
  const RankTrackList& list = found->second;
  const std::string name = rank_name(*state.job(), rank);
  switch (list.state) {
    case WantedTrace::State::reading:
      return filled(Text::job_tracks_reading, {name});
    case WantedTrace::State::no_room:
      return filled(Text::job_tracks_no_memory, {name});
    case WantedTrace::State::failed:
      return name + ": " + escaped(in_language(list.error.what));
    case WantedTrace::State::ready:
      break;
  }
  return list.more > 0 ? filled(Text::job_tracks_more, {grouped(list.more)}) : tr(Text::job_tracks_none);
}

/// Marks the column of the selected step, and its cell in the row of the selected rank.
void draw_selected_step(ImDrawList& list, const JobState& state, const StepHeat& heat) {
  const Box& box = state.boxes.labels;
  heat.draw_column(list, *state.step, box.top, box.bottom);
  const double seen = state.scroll.position();
  for (const JobLine& line : state.lines.between(seen, seen + static_cast<double>(box.height()))) {
    if (line.kind != JobLine::Kind::rank || state.rank != line.index) continue;
    const float top = state.y_of(line);
    heat.draw_chosen(list, line.index, *state.step, top, top + line.height);
  }
}

bool is_named(const JobState& state, std::uint32_t rank) {
  return std::ranges::find(state.named, rank) != state.named.end();
}

/// Places names in rows that are less tall than a line of text. Ranks to check first take precedence over
/// other ranks.
class LowNames {
 public:
  LowNames(const JobState& state, double seen)
      : distance_(1.2F * ImGui::GetFontSize()),
        above_(state.px(1)),
        free_(state.boxes.labels.top),
        named_free_(state.boxes.labels.top) {
    for (const JobLine& line :
         state.lines.between(seen, seen + static_cast<double>(state.boxes.labels.height()))) {
      if (line.kind != JobLine::Kind::rank) ends_.push_back(state.y_of(line));
      if (line.kind == JobLine::Kind::rank && line.height < low_px() && is_named(state, line.index))
        named_.push_back(state.y_of(line));
    }
    ends_.push_back(state.boxes.labels.bottom);
  }

  /// Returns the y of the row's name and reserves the room; nullopt if there is no room. Call for rows from
  /// top to bottom. A name that would extend below its group is moved up if its rank is to be checked first,
  /// and omitted otherwise.
  std::optional<float> take(float top, bool named) {
    const auto end = std::ranges::upper_bound(ends_, top);
    const float highest = named ? named_free_ : free_;
    float y = top;
    if (end != ends_.end()) y = std::min(y, *end - ImGui::GetFontSize());
    if (y < highest || (!named && (y < top || near_named(y)))) return std::nullopt;
    (named ? named_free_ : free_) = y + distance_;
    return y - above_;
  }
  /// Frees the room from `top` on. Call below a header.
  void begin_at(float top) { free_ = named_free_ = top; }

 private:
  bool near_named(float top) const {
    return std::ranges::any_of(named_, [&](float other) { return std::abs(other - top) < distance_; });
  }

  float distance_ = 0;
  float above_ = 0;
  float free_ = 0;
  float named_free_ = 0;
  std::vector<float> named_;  // tops of the rows to check first
  std::vector<float> ends_;   // tops of lines that are not ranks, and the bottom
};

void draw_note(ImDrawList& list, const JobState& state, std::uint32_t color, const std::string& words,
               float left, float top, float height) {
  const float y = std::floor(top + (height - ImGui::GetFontSize()) / 2);
  draw_elided(list, {left, y}, state.boxes.labels.right - left - state.px(8), color, words, Elide::middle);
}

void draw_rank_line(ImDrawList& list, const JobState& state, const StepHeat& heat, const JobLine& line,
                    const FigureFormats& formats, float top, LowNames& names) {
  const Theme& theme = state.theme;
  const std::uint32_t communication = kind_color(SliceKind::communication, theme);
  const bool named = is_named(state, line.index);
  if (named) {
    const float least = std::max(line.height, state.px(3));
    const float left = state.boxes.labels.left;
    list.AddRectFilled({left, top}, {left + state.px(4), top + least}, communication);
  }
  if (line.height >= low_px()) return draw_rank(list, state, heat, line, formats, top);
  if (const std::optional<float> y = names.take(top, named)) {
    draw_elided(list, {name_left(state), *y}, state.px(66), named ? theme.text : theme.text_dim,
                rank_name(*state.job(), line.index));
  }
  const double strength = heat_of(state, line.index);
  if (heat.shown() || strength <= 0) return;
  const float right = figure_right(state, kCausedFigure);
  list.AddRectFilled({right - state.px(kFigurePx - 12), top},
                     {right, std::max(top + 1, top + line.height - 1)},
                     mixed(theme.track_area, communication, strength));
}

void draw_line(ImDrawList& list, const JobState& state, const StepHeat& heat, const JobLine& line,
               const FigureFormats& formats, float top, LowNames& names) {
  const Theme& theme = state.theme;
  switch (line.kind) {
    case JobLine::Kind::rank:
      return draw_rank_line(list, state, heat, line, formats, top, names);
    case JobLine::Kind::file: {
      const RankFile& file = state.files[line.index];
      const bool failed = file.state == RankFile::State::failed;
      return draw_note(list, state, failed ? theme.error : theme.text_dim, file_words(file), name_left(state),
                       top, line.height);
    }
    case JobLine::Kind::group:
    case JobLine::Kind::stream:
      draw_header(list, state, line, top);
      return names.begin_at(top + line.height);
    case JobLine::Kind::track:
      return draw_track(list, state, line, top);
    case JobLine::Kind::note:
      return draw_note(list, state, theme.text_dim, note_words(state, line.index),
                       state.boxes.labels.left + state.px(34), top, line.height);
  }
}

}  // namespace

bool RankLabels::on_arrow(const JobState& state, float x) {
  return x >= state.boxes.labels.left && x < state.boxes.labels.left + state.px(kArrowPx);
}

void RankLabels::draw_titles(ImDrawList& list, const JobState& state, const StepHeat& heat) {
  const Box& box = state.boxes.titles;
  list.AddRectFilled(left_top(box), right_bottom(box), state.theme.panel);
  list.AddRectFilled(left_top(state.boxes.ruler), right_bottom(state.boxes.ruler), state.theme.panel);
  const float y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  draw_elided(list, {name_left(state), y}, state.px(70), state.theme.text_dim, tr(Text::job_column_rank));
  if (heat.shown()) {
    heat.draw_titles(list);
    return;
  }
  const std::string device = state.job() != nullptr ? state.job()->device_word() : "GPU";
  for (std::size_t i = first_figure(state); i < kFigures.size(); ++i) {
    const std::string title = device_text(kFigures[i].title, device);
    const float width = std::min(text_width(title), state.px(kFigurePx - 6));
    draw_elided(list, {figure_right(state, i) - width, y}, state.px(kFigurePx - 4), state.theme.text_dim,
                title);
  }
}

void RankLabels::draw(ImDrawList& list, const JobState& state, const StepHeat& heat, const JobLine* hovered) {
  const Box& box = state.boxes.labels;
  const Theme& theme = state.theme;
  list.PushClipRect(left_top(box), right_bottom(box), true);
  draw_low_cells(list, state, heat);
  if (formats_of_ != state.picture.get()) {
    formats_of_ = state.picture.get();
    formats_ = formats_of(state);
  }
  const double seen = state.scroll.position();
  LowNames names(state, seen);
  for (const JobLine& line : state.lines.between(seen, seen + static_cast<double>(box.height()))) {
    const float top = state.y_of(line);
    const float bottom = top + line.height;
    const bool of_rank = line.kind == JobLine::Kind::rank;
    const bool selected = of_rank && state.rank == line.index;
    if (selected || (&line == hovered && line.kind != JobLine::Kind::group)) {
      list.AddRectFilled({box.left, top}, {box.right, std::max(bottom, top + 1)},
                         with_alpha(theme.selection, selected ? 46 : 20));
    }
    draw_line(list, state, heat, line, formats_, top, names);
    if (of_rank && line.height >= state.px(kLinePx))
      list.AddLine({box.left, bottom - 0.5F}, {box.right, bottom - 0.5F}, theme.border);
  }
  if (heat.shown() && state.step) draw_selected_step(list, state, heat);
  list.PopClipRect();
}

void RankLabels::draw_low_cells(ImDrawList& list, const JobState& state, const StepHeat& heat) {
  if (!heat.shown() || state.row_height >= low_px()) return;
  const Box& box = state.boxes.labels;
  const int height = std::max(1, static_cast<int>(box.height()));
  const auto width = static_cast<int>(heat.cells());
  const bool same = painted_ && painted_->picture == state.picture.get() &&
                    painted_->figure == state.figure && painted_->dark == state.theme.dark &&
                    painted_->row_height == state.row_height && painted_->scroll == state.scroll.position() &&
                    painted_->labels.bottom == box.bottom && painted_->labels.right == box.right &&
                    painted_->shown == state.shown;
  if (!same) {
    painted_ = {state.picture.get(),     state.figure, state.theme.dark, state.row_height,
                state.scroll.position(), box,          state.shown};
    std::vector<float> strengths(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
    const double seen = state.scroll.position();
    for (const JobLine& line : state.lines.between(seen, seen + static_cast<double>(box.height()))) {
      if (line.kind != JobLine::Kind::rank || line.height >= low_px()) continue;
      // Ranks to check first are at least kMarkedPx high, as they are in the image of the lanes.
      const bool named = is_named(state, line.index);
      const float least = named ? state.px(RankImage::kMarkedPx) : 1;
      const float grown = std::max(0.0F, least - line.height) / 2;
      const auto top = static_cast<int>(std::floor(static_cast<double>(line.top - grown) - seen));
      const int bottom =
          std::max(top + 1, static_cast<int>(std::floor(static_cast<double>(line.bottom() + grown) - seen)));
      for (int cell = 0; cell < width; ++cell) {
        const auto strength = static_cast<float>(heat.strength(line.index, static_cast<std::size_t>(cell)));
        for (int y = std::max(0, top); strength > 0 && y < std::min(height, bottom); ++y) {
          float& at = strengths[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(cell)];
          at = std::max(at, strength);
        }
      }
    }
    std::vector<std::uint32_t> pixels;
    pixels.reserve(strengths.size());
    for (const float strength : strengths)
      pixels.push_back(strength > 0 ? mixed(state.theme.track_area, heat.hottest(), double{strength}) : 0);
    cells_.set(width, height, pixels);
  }
  add_image(list, cells_, {heat.left(), box.top},
            {heat.left() + static_cast<float>(width) * heat.cell_px(), box.top + static_cast<float>(height)});
  for (int cell = 0; cell <= width && heat.cell_px() >= state.px(6); ++cell) {
    const float x = std::floor(heat.left() + static_cast<float>(cell) * heat.cell_px()) - 0.5F;
    list.AddLine({x, box.top}, {x, box.bottom}, state.theme.track_area);
  }
}

}  // namespace kino
