#include "app/job/job_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/job/job_words.hpp"
#include "app/widgets/panel_parts.hpp"

namespace kino {

void JobState::place(float left, float top, float width, float height) {
  boxes = {};
  boxes.all = {left, top, left + width, top + height};
  const float most_drawer = std::max(0.0F, height - px(240));
  const float drawer_px =
      drawer.open ? std::clamp(px(drawer_height), std::min(px(kMinDrawerPx), most_drawer), most_drawer) : 0;
  boxes.drawer = {left, std::round(top + height - drawer_px), left + width, top + height};
  boxes.head = {left, top, left + width, std::round(top + px(64))};
  boxes.bar = {left, boxes.head.bottom, left + width, std::round(boxes.head.bottom + px(32))};
  const float split = std::round(left + std::min(px(380), width * 0.42F));
  const float below = std::round(boxes.bar.bottom + px(kRulerPx));
  boxes.titles = {left, boxes.bar.bottom, split, below};
  boxes.ruler = {split, boxes.bar.bottom, left + width, below};
  boxes.labels = {left, below, split, boxes.drawer.top};
  boxes.lanes = {split, below, left + width, boxes.drawer.top};
  const auto count = static_cast<float>(std::max<std::size_t>(1, rows()));
  const float fitting = std::floor(boxes.lanes.height() / count);
  // A few ranks have two lanes each; many are fitted, as long as they can be told apart.
  row_height = count <= 12 ? std::round(std::clamp(fitting, px(40), px(64)))
                           : std::max(std::round(px(6)), std::min(fitting, std::round(px(26))));
  scroll.set_limit(std::max(0.0F, count * row_height - boxes.lanes.height()));
  navigation.set_width(std::max(1.0F, boxes.lanes.width()));
}

void JobState::take(std::shared_ptr<const JobPicture> made) {
  const bool same = picture != nullptr && made != nullptr && picture->job == made->job;
  const std::int64_t shift = same ? picture->begin_ns - made->begin_ns : 0;
  picture = std::move(made);
  if (same) {
    Navigation moved(picture->content);
    moved.continue_from(navigation, static_cast<double>(shift));
    navigation = moved;
    return;
  }
  clear();
  late.clear();
  only.clear();
  if (picture == nullptr) return;
  // Of one or two steps sums say as much.
  constexpr std::size_t kFewSteps = 2;
  figure = picture->steps.size() > kFewSteps ? RankFigure::late : RankFigure::sums;
  arrange();
  navigation = Navigation(picture->content);
  const std::vector<CollectiveWait>& collectives = picture->job->waits.collectives;
  for (std::uint32_t i = 0; i < collectives.size(); ++i) {
    if (collectives[i].last != CollectiveWait::kNobody) late.push_back(i);
  }
  std::ranges::stable_sort(late, std::ranges::greater{},
                           [&](std::uint32_t i) { return collectives[i].waiting_ns; });
}

TimeRange JobState::range_of(std::uint32_t collective_index) const {
  const CollectiveWait& wait = picture->job->waits.collectives[collective_index];
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const RankKernel& it : picture->job->matched.instances[wait.instance].kernels) {
    const TimeRange& kernel = picture->ranks[it.rank].kernels[it.kernel];
    range.begin_ns = std::min(range.begin_ns, kernel.begin_ns);
    range.end_ns = std::max(range.end_ns, kernel.end_ns);
  }
  return range;
}

std::optional<std::uint32_t> JobState::row_of(std::uint32_t rank_index) const {
  if (picture == nullptr) return rank_index;
  const auto found = std::ranges::find(shown, rank_index);
  if (found == shown.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - shown.begin());
}

void JobState::arrange() {
  shown.clear();
  if (picture == nullptr) return;
  for (std::uint32_t i = 0; i < picture->ranks.size(); ++i) {
    if (only.empty() || std::ranges::binary_search(only, i)) shown.push_back(i);
  }
  const JobAnalysis& job_shown = *picture->job;
  if (order == RankOrder::late) {
    std::ranges::stable_sort(shown, std::ranges::greater{},
                             [&](std::uint32_t i) { return job_shown.blame[i].caused_ns; });
  } else if (order == RankOrder::waiting) {
    std::ranges::stable_sort(shown, std::ranges::greater{},
                             [&](std::uint32_t i) { return job_shown.waits.ranks[i].waiting_ns; });
  } else if (order == RankOrder::machine) {
    const std::vector<std::filesystem::path>& paths = jobs[shown_job].files;
    std::ranges::stable_sort(shown, {}, [&](std::uint32_t i) { return host_of(paths[i]).value_or(""); });
  }
  if (rank) select_rank(*rank);
}

std::vector<std::uint32_t> JobState::machine_of(std::uint32_t rank_index) const {
  std::vector<std::uint32_t> ranks;
  const std::vector<std::filesystem::path>& paths = jobs[shown_job].files;
  const std::optional<std::string> host = host_of(paths[rank_index]);
  for (std::uint32_t i = 0; host && i < paths.size(); ++i) {
    if (host_of(paths[i]) == host) ranks.push_back(i);
  }
  return ranks;
}

std::optional<TimeRange> JobState::range_of_step(std::int64_t number) const {
  std::optional<TimeRange> range;
  for (const RankPicture& it : picture->ranks) {
    for (const RankStep& step : it.steps) {
      if (step.number != number) continue;
      if (!range) range = step.range;
      range->begin_ns = std::min(range->begin_ns, step.range.begin_ns);
      range->end_ns = std::max(range->end_ns, step.range.end_ns);
    }
  }
  return range;
}

void JobState::go_to_step(int by) {
  if (picture == nullptr) return;
  std::vector<TimeRange> ranges;
  for (const JobStep& step : picture->steps) {
    if (const std::optional<TimeRange> range = range_of_step(step.number)) ranges.push_back(*range);
  }
  const TimeView& view = navigation.target();
  const double middle = (view.begin_ns + view.end_ns()) / 2;
  const auto middle_of = [](const TimeRange& it) { return static_cast<double>(it.begin_ns + it.end_ns) / 2; };
  std::optional<TimeRange> found;
  for (const TimeRange& it : ranges) {
    // One that fills the view is where we are.
    const double beyond = (middle_of(it) - middle) * by;
    if (beyond <= static_cast<double>(it.length_ns()) / 100) continue;
    if (!found || std::abs(middle_of(it) - middle) < std::abs(middle_of(*found) - middle)) found = it;
  }
  if (found) navigation.fit(*found, 0.02);
}

void JobState::select_collective(std::uint32_t index) {
  collective = index;
  if (index == KernelWait::kAlone) return;
  navigation.reveal(range_of(index));
  const std::uint32_t last = picture->job->waits.collectives[index].latest;
  rank = last;
}

void JobState::step_late(int step) {
  if (picture == nullptr || late.empty()) return;
  const auto now = std::ranges::find(late, collective);
  std::ptrdiff_t place = now == late.end() ? (step > 0 ? -1 : 0) : now - late.begin();
  const auto count = static_cast<std::ptrdiff_t>(late.size());
  place = (place + step + count) % count;
  const std::uint32_t next = late[static_cast<std::size_t>(place)];
  select_collective(next);
  navigation.fit(range_of(next), 0.5);
}

void JobState::select_rank(std::uint32_t index) {
  const std::optional<std::uint32_t> row = row_of(index);
  if (!row || *row >= rows()) return;
  rank = index;
  const float top = static_cast<float>(*row) * row_height;
  const double seen = scroll.target();
  if (top < seen) scroll.scroll_to(top);
  if (top + row_height > seen + boxes.lanes.height())
    scroll.scroll_to(top + row_height - boxes.lanes.height());
}

void JobState::step_row(int by) {
  const std::optional<std::uint32_t> row = rank ? row_of(*rank) : std::nullopt;
  const std::int64_t next = row ? std::int64_t{*row} + by : 0;
  if (next >= 0 && next < static_cast<std::int64_t>(rows()))
    select_rank(rank_at(static_cast<std::uint32_t>(next)));
}

void JobState::show_only(std::vector<std::uint32_t> ranks) {
  only = std::move(ranks);
  arrange();
}

void JobState::clear() {
  rank.reset();
  collective = KernelWait::kAlone;
}

}  // namespace kino
