#include "app/pages/job/job_state.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

constexpr std::size_t kFewRanks = 12;   // largest number of ranks with two lanes each
constexpr std::size_t kManyRanks = 80;  // largest number of ranks with one readable row each
constexpr float kHeaderPx = 22;
constexpr float kStepsPx = 20;
constexpr float kNamedPx = 26;
constexpr float kLanePx = 17;
constexpr float kThinnestPx = 0.25F;

}  // namespace

float JobState::y_of(const JobLine& line) const {
  const float y = boxes.lanes.top + line.top - static_cast<float>(scroll.position());
  return line.height < 2 ? y : std::round(y);
}

void JobState::request_snapshots() {
  if (snapshots.empty()) return;
  const JobAnalysis* const all = job();
  requests.emplace_back(ShowSnapshots{all != nullptr && rank ? all->ranks[*rank]->rank : -1});
}

const JobLine* JobState::line_at(float y) const {
  if (y < boxes.lanes.top || y >= boxes.lanes.bottom) return nullptr;
  return lines.at(y - boxes.lanes.top + scroll.position());
}

float JobState::fitting_height(std::size_t count) const {
  const auto headers = static_cast<float>(groups.size()) * px(kHeaderPx);
  const auto rank_count = static_cast<float>(std::max<std::size_t>(1, count));
  if (count <= kFewRanks) {
    return std::round(std::clamp(std::floor((boxes.lanes.height() - headers) / rank_count), px(40), px(64)));
  }
  if (count <= kManyRanks) {
    const float fitting = std::floor((boxes.lanes.height() - headers) / rank_count);
    return std::max(std::round(px(6)), std::min(fitting, std::round(px(26))));
  }
  const float at_top = px(kHeaderPx) + static_cast<float>(named.size() + 1) * px(kNamedPx);
  const float fitting = (boxes.lanes.height() - headers - at_top) / rank_count;
  return std::clamp(fitting, kThinnestPx, px(26));
}

void JobState::lay_out() {
  const std::size_t count = picture != nullptr ? shown.size() + pending.size() : files.size();
  const float fitting = fitting_height(count);
  row_height = fitting;
  if (row_zoom > 1) row_height = std::max(fitting, std::min(px(64), static_cast<float>(fitting * row_zoom)));
  if (row_height >= 3) row_height = std::floor(row_height);
  const LaidOut now{row_height, scale, boxes.lanes.height()};
  if (!lines_stale && now == laid_out_) return;
  laid_out_ = now;
  lines_stale = false;
  JobLineParts parts;
  parts.ranks = shown;
  std::vector<std::uint32_t> all_files;
  if (picture == nullptr) {
    for (std::uint32_t i = 0; i < files.size(); ++i) all_files.push_back(i);
  }
  parts.files = picture == nullptr ? all_files : pending;
  parts.groups = groups;
  std::vector<std::uint32_t> at_top;
  if (picture != nullptr && shown.size() > kManyRanks && only.empty()) {
    at_top = named;
    // The rank with the median waiting time is added, for comparison.
    if (const std::uint32_t median = *median_rank(); std::ranges::find(at_top, median) == at_top.end())
      at_top.push_back(median);
  }
  parts.named = at_top;
  parts.tracks = &tracks;
  parts.by_stream = by_stream;
  parts.rank_px = row_height;
  parts.named_px = px(kNamedPx);
  parts.header_px = px(kHeaderPx);
  parts.lane_px = std::round(px(kLanePx));
  lines = JobLines(parts);
}

void JobState::place(float left, float top, float width, float height) {
  boxes = {};
  boxes.all = {left, top, left + width, top + height};
  const float most_drawer = std::max(0.0F, height - px(240));
  const float wanted_px =
      std::clamp(drawer.wanted_height(height, scale), std::min(px(kMinDrawerPx), most_drawer), most_drawer);
  const float drawer_px = drawer.fills() ? 0 : drawer.height(wanted_px, px(kDrawerBarPx), most_drawer);
  boxes.head = {left, top, left + width, std::round(top + px(64))};
  const float right = left + std::max(1.0F, width - inspector_px);
  if (inspector_px > 0) boxes.inspector = {right, boxes.head.bottom, left + width, top + height};
  boxes.drawer = {left, std::round(top + height - drawer_px), right, top + height};
  boxes.bar = {left, boxes.head.bottom, right, std::round(boxes.head.bottom + px(32))};
  const float split = std::round(left + std::min(px(464), (right - left) * 0.4F));
  const float below_ruler = std::round(boxes.bar.bottom + px(kRulerPx));
  const bool has_steps = picture != nullptr && !picture->steps.empty();
  const float below = has_steps ? std::round(below_ruler + px(kStepsPx)) : below_ruler;
  boxes.titles = {left, has_steps ? below_ruler : boxes.bar.bottom, split, below};
  boxes.figures = {left, boxes.bar.bottom, split, boxes.titles.top};
  boxes.ruler = {split, boxes.bar.bottom, right, below_ruler};
  boxes.steps = {split, below_ruler, right, below};
  boxes.labels = {left, below, split, boxes.drawer.top};
  boxes.lanes = {split, below, right, boxes.drawer.top};
  lay_out();
  scroll.set_limit(std::max(0.0, static_cast<double>(lines.height()) - boxes.lanes.height() - 0.5));
  navigation.set_width(std::max(1.0F, boxes.lanes.width()));
  if (!drawer.fills()) return;
  move_out_of_sight(
      {&boxes.bar, &boxes.titles, &boxes.figures, &boxes.ruler, &boxes.steps, &boxes.labels, &boxes.lanes});
  boxes.drawer = {left, boxes.head.bottom, left + width, top + height};
}

void JobState::take(std::shared_ptr<const JobPicture> made, bool grown) {
  const bool same = picture != nullptr && made != nullptr &&
                    (picture->job == made->job || picture->job->ranks == made->job->ranks);
  const std::int64_t shift = picture != nullptr && made != nullptr ? picture->begin_ns - made->begin_ns : 0;
  const bool moves_on = same || (grown && picture != nullptr && made != nullptr);
  if (!same) {
    clear();
    only.clear();
    only_words.clear();
    tracks.clear();
  }
  picture = std::move(made);
  lines_stale = true;
  if (picture == nullptr) return;
  if (!same) {
    // With one or two steps, sums contain as much information as a heat map.
    constexpr std::size_t kFewSteps = 2;
    if (!moves_on) figure = picture->steps.size() > kFewSteps ? RankFigure::late : RankFigure::sums;
    if (picture->steps.empty()) figure = RankFigure::sums;
    layout = layout_of(*picture->job, picture->files);
    // Stages do different work, so only ranks of one stage are comparable.
    const auto stages = std::ranges::find(layout.dimensions, "pp", &RankDimension::name);
    const auto at_first = stages == layout.dimensions.end()
                              ? std::size_t{0}
                              : 2 + static_cast<std::size_t>(stages - layout.dimensions.begin());
    // Fitted clocks are used only if clocks differ. This is checked again when more ranks are read, since the
    // first ones may agree.
    if (!clocks_chosen) fitted = clocks_differ(*picture->job);
    if (!grouping_chosen || grouping >= grouping_count()) grouping = at_first;
  }
  find_steps();
  named = picture->job->notable_stragglers();
  arrange();
  Navigation moved(picture->content);
  if (moves_on) moved.continue_from(navigation, static_cast<double>(shift));
  navigation = moved;
}

TimeRange JobState::range_of(std::uint32_t collective_index) const {
  const CollectiveWait& wait = picture->job->waits.collectives[collective_index];
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const RankKernel& member : picture->job->matched.instances[wait.instance].kernels) {
    const TimeRange kernel = picture->kernel(member.rank, member.kernel);
    range.begin_ns = std::min(range.begin_ns, kernel.begin_ns);
    range.end_ns = std::max(range.end_ns, kernel.end_ns);
  }
  return range;
}

std::string JobState::group_of(std::size_t grouping_wanted, std::uint32_t rank_index) const {
  if (grouping_wanted == 1) return layout.machines[rank_index];
  if (grouping_wanted < 2 || grouping_wanted >= grouping_count()) return {};
  const RankDimension& dimension = layout.dimensions[grouping_wanted - 2];
  const std::int64_t place = dimension.places[rank_index];
  return place < 0 ? std::string() : dimension.name + " " + std::to_string(place);
}

void JobState::arrange() {
  group.reset();
  shown.clear();
  groups.clear();
  pending.clear();
  lines_stale = true;
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    if (files[i].state == RankFile::State::waiting || files[i].state == RankFile::State::loading)
      pending.push_back(i);
  }
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
    std::ranges::stable_sort(shown, {},
                             [&](std::uint32_t i) { return std::string_view(layout.machines[i]); });
  }
  if (grouping > 0) {
    // Groups are sorted by their first ranks.
    std::map<std::string, std::size_t> number;
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> members;
    std::vector<std::uint32_t> by_number = shown;
    std::ranges::sort(by_number);
    for (const std::uint32_t i : by_number) {
      const std::string title = group_of(grouping, i);
      if (number.try_emplace(title, members.size()).second) members.emplace_back(title, 0);
    }
    for (const std::uint32_t i : shown) members[number[group_of(grouping, i)]].second.push_back(i);
    shown.clear();
    for (auto& [title, ranks] : members) {
      groups.push_back({title, shown.size(), ranks.size()});
      shown.insert(shown.end(), ranks.begin(), ranks.end());
    }
  }
  if (rank) select_rank(*rank);
}

std::optional<std::uint32_t> JobState::median_rank() const {
  if (shown.empty()) return std::nullopt;
  std::vector<std::uint32_t> by_waiting = shown;
  const auto middle = by_waiting.begin() + static_cast<std::ptrdiff_t>(by_waiting.size() / 2);
  std::ranges::nth_element(by_waiting, middle, {},
                           [&](std::uint32_t i) { return picture->job->waits.ranks[i].waiting_ns; });
  return *middle;
}

std::vector<std::uint32_t> JobState::machine_of(std::uint32_t rank_index) const {
  std::vector<std::uint32_t> ranks;
  const std::string& machine = layout.machines[rank_index];
  for (std::uint32_t i = 0; !machine.empty() && i < layout.machines.size(); ++i) {
    if (layout.machines[i] == machine) ranks.push_back(i);
  }
  return ranks;
}

void JobState::find_steps() {
  const std::vector<JobStep>& steps = picture->steps;
  step_ranges.assign(steps.size(), std::nullopt);
  for (const RankPicture& drawn_rank : picture->ranks) {
    for (const RankStep& found : drawn_rank.steps) {
      const std::optional<std::size_t> index = step_of(found.number);
      if (!index) continue;
      std::optional<TimeRange>& range = step_ranges[*index];
      if (!range) range = found.range;
      range->begin_ns = std::min(range->begin_ns, found.range.begin_ns);
      range->end_ns = std::max(range->end_ns, found.range.end_ns);
    }
  }
  step_lengths.clear();
  for (const JobStep& job_step : steps) {
    std::vector<std::int64_t> lengths;
    for (const StepWaits& waits : job_step.ranks) {
      if (waits.length_ns) lengths.push_back(*waits.length_ns);
    }
    step_lengths.push_back(step_length(std::move(lengths)));
  }
  if (step && *step >= steps.size()) step.reset();
}

std::optional<std::size_t> JobState::step_of(std::int64_t number) const {
  const std::vector<JobStep>& steps = picture->steps;
  const auto found = std::ranges::lower_bound(steps, number, {}, &JobStep::number);
  if (found == steps.end() || found->number != number) return std::nullopt;
  return static_cast<std::size_t>(found - steps.begin());
}

void JobState::group_by(std::size_t wanted) {
  grouping = wanted;
  grouping_chosen = true;
  arrange();
}

void JobState::go_to(std::size_t step_index) {
  step = step_index;
  if (step_ranges[step_index]) navigation.fit(*step_ranges[step_index], 0.02);
}

void JobState::go_to_step(int by) {
  if (picture == nullptr) return;
  const TimeView& view = navigation.target();
  const double middle = (view.begin_ns + view.end_ns()) / 2;
  const auto middle_of = [](const TimeRange& range) {
    return static_cast<double>(range.begin_ns + range.end_ns) / 2;
  };
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < step_ranges.size(); ++i) {
    if (!step_ranges[i]) continue;
    // Skips the step that already fills the view.
    const double beyond = (middle_of(*step_ranges[i]) - middle) * by;
    if (beyond <= static_cast<double>(step_ranges[i]->length_ns()) / 100) continue;
    if (!found ||
        std::abs(middle_of(*step_ranges[i]) - middle) < std::abs(middle_of(*step_ranges[*found]) - middle))
      found = i;
  }
  if (found) go_to(*found);
}

void JobState::select_collective(std::uint32_t index) {
  collective = index;
  slice.reset();
  if (index == KernelWait::kUnmatched) return;
  navigation.reveal(range_of(index));
  select_rank(picture->job->waits.collectives[index].latest);
}

void JobState::step_late(int by) {
  if (picture == nullptr || picture->late.empty()) return;
  const std::vector<std::uint32_t>& late = picture->late;
  const auto now = std::ranges::find(late, collective);
  std::ptrdiff_t place = now == late.end() ? (by > 0 ? -1 : 0) : now - late.begin();
  const auto count = static_cast<std::ptrdiff_t>(late.size());
  place = (place + by + count) % count;
  const std::uint32_t next = late[static_cast<std::size_t>(place)];
  select_collective(next);
  navigation.fit(range_of(next), 0.5);
}

void JobState::step_alike(int by) {
  if (picture == nullptr || collective == KernelWait::kUnmatched) return;
  const JobAnalysis& all = *picture->job;
  const auto kernel_of = [&](std::uint32_t index) {
    const RankKernel& first = all.matched.instances[all.waits.collectives[index].instance].kernels.front();
    return all.ranks[first.rank]->kernels[first.kernel];
  };
  const auto group_of_it = [&](std::uint32_t index) {
    return all.matched.instances[all.waits.collectives[index].instance].group;
  };
  const CommunicationKernel now = kernel_of(collective);
  const auto count = static_cast<std::int64_t>(all.waits.collectives.size());
  // Collectives of one group have consecutive indices in the order of time, so the next match is the next in
  // time.
  for (std::int64_t i = std::int64_t{collective} + by; i >= 0 && i < count; i += by) {
    const auto index = static_cast<std::uint32_t>(i);
    if (group_of_it(index) != group_of_it(collective)) return;
    const CommunicationKernel kernel = kernel_of(index);
    if (kernel.kind != now.kind || kernel.in_elements != now.in_elements ||
        kernel.out_elements != now.out_elements)
      continue;
    select_collective(index);
    navigation.fit(range_of(index), 0.5);
    return;
  }
}

void JobState::select_rank(std::uint32_t index) {
  const JobLine* const line = lines_stale ? nullptr : lines.of_rank(index);
  if (std::ranges::find(shown, index) == shown.end()) return;
  rank = index;
  group.reset();
  if (line == nullptr) return;
  const double seen = scroll.target();
  if (line->top < seen) scroll.scroll_to(line->top);
  if (line->bottom() > seen + static_cast<double>(boxes.lanes.height()))
    scroll.scroll_to(line->bottom() - boxes.lanes.height());
}

void JobState::step_row(int by) {
  if (picture == nullptr || shown.empty()) return;
  const auto now = rank ? std::ranges::find(shown, *rank) : shown.end();
  const std::ptrdiff_t next = now == shown.end() ? 0 : now - shown.begin() + by;
  if (next >= 0 && next < static_cast<std::ptrdiff_t>(shown.size()))
    select_rank(shown[static_cast<std::size_t>(next)]);
}

void JobState::show_only(std::vector<std::uint32_t> ranks, std::string words) {
  only = std::move(ranks);
  only_words = std::move(words);
  arrange();
}

void JobState::toggle_expanded(std::uint32_t rank_index) {
  const std::filesystem::path& file = picture->files[rank_index];
  if (expanded.erase(file) == 0) expanded.insert(file);
  by_stream = false;
  lines_stale = true;
}

void JobState::select_slice(SliceOfRank wanted) {
  slice = wanted;
  rank = wanted.rank;
  collective = KernelWait::kUnmatched;
  const CommunicationKernels& kernels = picture->job->ranks[wanted.rank]->kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels.slice(k) == wanted.slice) collective = picture->job->waits.kernels[wanted.rank].collective(k);
  }
}

void JobState::toggle_clocks() {
  if (!by_hand) fitted = !fitted;
  by_hand.reset();
  clocks_chosen = true;
}

void JobState::clear() {
  rank.reset();
  step.reset();
  group.reset();
  slice.reset();
  collective = KernelWait::kUnmatched;
}

}  // namespace kino
