#include "app/pages/job/job_inspector.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/rank_menu.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/tables/collective_call.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostMembers = 16;

/// Content, and the effect of a click on each of its rows.
class JobContent {
 public:
  using Action = std::function<void(JobState&)>;

  explicit JobContent(std::string title) { content.title = std::move(title); }
  InspectorSection& section(std::string title = {}) {
    actions_.emplace_back();
    return content.sections.emplace_back(InspectorSection{.title = std::move(title)});
  }
  void fact(std::string name, std::string amount) { row(std::move(name), std::move(amount), {}); }
  void row(std::string name, std::string amount, Action action) {
    const bool link = action != nullptr;
    content.sections.back().rows.push_back({std::move(name), std::move(amount), link});
    actions_.back().push_back(std::move(action));
  }
  void act(InspectorClick clicked, JobState& state) const {
    if (const Action& action = actions_[clicked.section][clicked.row]; action != nullptr) action(state);
  }

  InspectorContent content;

 private:
  std::vector<std::vector<Action>> actions_;  // by section, then row
};

void add_sentence(std::string& text, const std::string& sentence) {
  if (sentence.empty()) return;
  text += (text.empty() ? "" : " ") + filled(Text::job_sentence, {sentence});
}

/// Appends the meaning of "CPU untraced" to a text that contains it.
std::string with_note(std::string text) {
  if (const std::string note = cpu_untraced_note(text); !note.empty()) text.append("\n").append(note);
  return text;
}

/// Returns the operation with its size, such as "allreduce, 4 MB".
std::string call_title(const JobAnalysis& job, std::uint32_t collective) {
  const CollectiveCall call = call_of(job, job.waits.collectives[collective]);
  std::string title = escaped(call.operation);
  if (call.bytes >= 0) title += ", " + text_from_bytes(static_cast<double>(call.bytes));
  return title;
}

JobContent::Action selects_rank(std::uint32_t rank) {
  return [rank](JobState& state) {
    state.clear();
    state.select_rank(rank);
  };
}

JobContent::Action shows_collective(std::uint32_t collective) {
  return [collective](JobState& state) {
    state.select_collective(collective);
    state.navigation.fit(state.range_of(collective), 0.5);
  };
}

JobContent content_of_collective(const JobState& state) {
  const JobAnalysis& job = *state.job();
  JobContent made(tr(Text::job_collective));
  made.section().text = with_note(collective_sentences(job, state.collective));
  const CollectiveWait& wait = job.waits.collectives[state.collective];
  struct Member {
    std::uint32_t rank;
    std::int64_t waiting_ns;
  };
  std::vector<Member> members;
  for (const RankKernel& member : job.matched.instances[wait.instance].kernels)
    members.push_back({member.rank, job.waits.kernels[member.rank][member.kernel].waiting_ns});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kMostMembers, members.size()));
  std::ranges::partial_sort(members, members.begin() + shown, std::ranges::greater{}, &Member::waiting_ns);
  made.section(tr(Text::job_members));
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const Member& member = members[static_cast<std::size_t>(i)];
    made.row(rank_name(job, member.rank), text_from_duration(member.waiting_ns), selects_rank(member.rank));
  }
  if (members.size() > kMostMembers)
    made.fact(filled(Text::and_more, {grouped(members.size() - kMostMembers)}), {});
  return made;
}

JobContent content_of_cell(const JobState& state) {
  const JobAnalysis& job = *state.job();
  const std::uint32_t rank = *state.rank;
  const JobStep& step = state.picture->steps[*state.step];
  const StepWaits& waits = step.ranks[rank];
  JobContent made(
      filled(Text::job_rank_and_step, {std::to_string(job.ranks[rank]->rank), std::to_string(step.number)}));
  made.section().text =
      filled(Text::job_cell_sentences,
             {rank_name(job, rank), text_from_duration(waits.waiting_ns), std::to_string(step.number),
              text_from_duration(waits.transfer_sum_ns), text_from_duration(waits.root_ns)});
  made.section();
  if (waits.length_ns) made.fact(tr(Text::job_length_of_step), text_from_duration(*waits.length_ns));
  made.fact(tr(Text::job_column_waiting), text_from_duration(waits.waiting_ns));
  made.fact(tr(Text::job_column_transfer), text_from_duration(waits.transfer_sum_ns));
  made.fact(tr(Text::job_column_caused), text_from_duration(waits.root_ns));
  made.fact(tr(Text::job_collectives_of), grouped(waits.collectives));
  made.fact(tr(Text::job_times_last), grouped(waits.times_last));
  if (waits.root_collective != KernelWait::kUnmatched) {
    made.section(tr(Text::job_worst_collective)).text = with_note(cause_text(job, waits.root_collective));
    made.row(call_title(job, waits.root_collective), text_from_duration(waits.root_longest_ns),
             shows_collective(waits.root_collective));
  }
  made.section();
  made.row(rank_name(job, rank), {}, selects_rank(rank));
  return made;
}

void add_rank_figures(JobContent& made, const JobState& state, std::uint32_t rank) {
  const JobAnalysis& job = *state.job();
  const RankWaits& waits = job.waits.ranks[rank];
  made.section(tr(Text::job_facts));
  made.fact(tr(Text::job_column_compute), text_from_duration(state.picture->ranks[rank].compute.length_ns()));
  made.fact(tr(Text::job_column_waiting), text_from_duration(waits.waiting_ns));
  made.fact(tr(Text::job_column_transfer), text_from_duration(waits.transfer_sum_ns));
  made.fact(tr(Text::job_column_caused), text_from_duration(job.blame[rank].caused_ns));
  made.fact(tr(Text::job_collectives_of), grouped(waits.collectives));
  made.fact(tr(Text::job_times_last), grouped(waits.times_last));
}

JobContent content_of_rank(const JobState& state) {
  const JobAnalysis& job = *state.job();
  const std::uint32_t rank = *state.rank;
  JobContent made(rank_name(job, rank));
  made.section().text = with_note(rank_sentences(job, rank));
  add_rank_figures(made, state, rank);
  made.section(tr(Text::job_actions));
  for (RankAction& action : rank_actions(state, rank))
    made.row(std::move(action.label), {}, std::move(action.run));
  return made;
}

JobContent content_of_group(const JobState& state) {
  const JobGroup& group = state.groups[*state.group];
  JobContent made(group.title.empty() ? tr(Text::job_group_unknown) : escaped(group.title));
  made.section().text = group_sentences(state, *state.group);
  made.section(tr(Text::hang_ranks));
  const std::size_t shown = std::min(group.count, kMostMembers);
  for (std::size_t i = group.first; i < group.first + shown; ++i) {
    const std::uint32_t rank = state.shown[i];
    made.row(rank_name(*state.job(), rank), text_from_duration(state.job()->blame[rank].caused_ns),
             selects_rank(rank));
  }
  if (group.count > shown) made.fact(filled(Text::and_more, {grouped(group.count - shown)}), {});
  made.section(tr(Text::job_actions));
  for (RankAction& action : group_actions(state, *state.group))
    made.row(std::move(action.label), {}, std::move(action.run));
  return made;
}

JobContent content_of_view(const JobState& state, const JobViewSums* sums) {
  const JobAnalysis& job = *state.job();
  JobContent made(tr(Text::inspector_in_view));
  if (sums == nullptr || sums->collectives == 0) {
    made.section();
    made.fact(tr(sums == nullptr ? Text::job_matching : Text::job_in_view_none), {});
    return made;
  }
  made.section(tr(Text::job_in_view));
  made.fact(tr(Text::job_in_view_count), grouped(sums->collectives));
  made.fact(tr(Text::job_in_view_waiting), text_from_duration(sums->waiting_ns));
  if (sums->excluded_ns > 0) made.fact(tr(Text::job_in_view_excluded), text_from_duration(sums->excluded_ns));
  made.fact(tr(Text::job_in_view_transfer), text_from_duration(sums->transfer_sum_ns));
  if (!sums->last.empty()) made.section(tr(Text::job_in_view_ranks));
  for (const auto& [rank, waiting_ns] : sums->last)
    made.row(rank_name(job, rank), text_from_duration(waiting_ns), selects_rank(rank));
  if (!sums->worst.empty()) made.section(tr(Text::job_in_view_worst));
  for (const std::uint32_t collective : sums->worst) {
    made.row(call_title(job, collective), text_from_duration(job.waits.collectives[collective].waiting_ns),
             shows_collective(collective));
  }
  return made;
}

/// Returns whether no collective, rank or group is selected, so that the view is summed.
bool shows_view(const JobState& state) {
  return state.collective == KernelWait::kUnmatched && !state.rank && !state.group;
}

JobContent content_of(const JobState& state, const JobViewSums* sums) {
  if (state.collective != KernelWait::kUnmatched) return content_of_collective(state);
  if (state.rank && state.step) return content_of_cell(state);
  if (state.rank) return content_of_rank(state);
  if (state.group) return content_of_group(state);
  return content_of_view(state, sums);
}

}  // namespace

std::string collective_sentences(const JobAnalysis& job, std::uint32_t collective) {
  const CollectiveWait& wait = job.waits.collectives[collective];
  const CollectiveInstance& instance = job.matched.instances[wait.instance];
  const MatchedGroup& group = job.matched.groups[instance.group];
  const std::string name = group.description.empty() ? group.name : group.description;
  std::string operation = call_title(job, collective);
  if (!name.empty()) operation += ", " + escaped(name);
  std::string text;
  add_sentence(text, filled(Text::job_collective_of, {operation, grouped(instance.kernels.size())}));
  if (wait.last != CollectiveWait::kNoRank) {
    text +=
        " " + filled(Text::job_card_last, {rank_name(job, wait.last), text_from_duration(wait.arrival_gap_ns),
                                           text_from_duration(wait.waiting_ns)});
    add_sentence(text, cause_text(job, collective));
  } else {
    text += " " + filled(Text::job_collective_waited,
                         {text_from_duration(wait.waiting_ns), unnamed_last_text(job, collective)});
  }
  if (const CollectiveCall call = call_of(job, wait); call.bus_gb_per_s >= 0) {
    add_sentence(text, filled(Text::job_card_bandwidth,
                              {text_from_duration(wait.transfer_ns), formatted("%.1f", call.bus_gb_per_s)}));
  }
  return text;
}

std::string group_sentences(const JobState& state, std::size_t group) {
  const JobAnalysis& job = *state.job();
  const JobGroup& found = state.groups[group];
  const auto ranks = std::span(state.shown).subspan(found.first, found.count);
  std::int64_t waiting_ns = 0;
  for (const std::uint32_t rank : ranks)
    waiting_ns = saturating_add(waiting_ns, job.waits.ranks[rank].waiting_ns);
  const std::string title = found.title.empty() ? tr(Text::job_group_unknown) : escaped(found.title);
  std::string text =
      filled(Text::job_group_sentences, {title, grouped(found.count), text_from_duration(waiting_ns)});
  const auto worst =
      std::ranges::max_element(ranks, {}, [&](std::uint32_t rank) { return job.blame[rank].caused_ns; });
  if (worst != ranks.end() && job.blame[*worst].caused_ns > 0) {
    text += " " + filled(Text::job_others_wait_for,
                         {text_from_duration(job.blame[*worst].caused_ns), rank_name(job, *worst)});
  }
  return text;
}

std::string rank_sentences(const JobAnalysis& job, std::uint32_t rank) {
  std::string text;
  if (const std::string late = lateness_text(job, rank); !late.empty())
    add_sentence(text, filled(Text::job_rank_is_late, {rank_name(job, rank), late}));
  if (const std::string causes = cause_shares_text(job, rank); !causes.empty())
    text += (text.empty() ? "" : " ") + filled(Text::job_reason_why, {causes});
  add_sentence(text, gpu_text(job, rank));
  return text;
}

JobViewSums job_view_sums(const JobPicture& picture, TimeRange range, const std::stop_token& stop) {
  constexpr std::size_t kMostRanks = 3;
  constexpr std::size_t kMostWorst = 5;
  constexpr std::size_t kStopEvery = 65536;
  const JobAnalysis& job = *picture.job;
  JobViewSums sums;
  std::vector<std::int64_t> caused_ns(job.ranks.size(), 0);
  std::vector<std::uint32_t> in_view;
  for (std::uint32_t i = 0; i < job.waits.collectives.size(); ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) return sums;
    const CollectiveWait& wait = job.waits.collectives[i];
    const RankKernels members = job.matched.instances[wait.instance].kernels;
    const auto latest = std::ranges::lower_bound(members, wait.latest, {}, &RankKernel::rank);
    if (latest == members.end() || latest->rank != wait.latest) continue;
    const TimeRange kernel = picture.kernel(latest->rank, latest->kernel);
    if (kernel.end_ns <= range.begin_ns || kernel.begin_ns >= range.end_ns) continue;
    sums.waiting_ns += wait.waiting_ns;
    sums.transfer_sum_ns += wait.transfer_sum_ns;
    if (wait.outside) sums.excluded_ns += wait.waiting_ns;
    if (wait.last != CollectiveWait::kNoRank) caused_ns[wait.last] += wait.waiting_ns;
    in_view.push_back(i);
  }
  sums.collectives = in_view.size();
  for (std::uint32_t rank = 0; rank < caused_ns.size(); ++rank) {
    if (caused_ns[rank] > 0) sums.last.emplace_back(rank, caused_ns[rank]);
  }
  std::ranges::stable_sort(sums.last, std::ranges::greater{},
                           &std::pair<std::uint32_t, std::int64_t>::second);
  if (sums.last.size() > kMostRanks) sums.last.resize(kMostRanks);
  const auto waiting_of = [&](std::uint32_t i) { return job.waits.collectives[i].waiting_ns; };
  std::erase_if(in_view, [&](std::uint32_t i) { return waiting_of(i) <= 0; });
  const auto count = static_cast<std::ptrdiff_t>(std::min(kMostWorst, in_view.size()));
  std::ranges::partial_sort(in_view, in_view.begin() + count, std::ranges::greater{}, waiting_of);
  sums.worst.assign(in_view.begin(), in_view.begin() + count);
  return sums;
}

void JobInspector::handle_keys(JobState& state, Splitters* sizes, bool keyboard, float page_px) {
  frame_.handle_keys(sizes, keyboard, state.drawer);
  state.inspector_px = state.drawer.fills() ? 0 : frame_.width(page_px, state.scale);
}

void JobInspector::update(const JobState& state, double delta_seconds) {
  sums_.poll();
  sums_view_ = state.inspector_px > 0 && state.picture != nullptr && shows_view(state);
  if (!sums_view_) return;
  const TimeView& view = state.navigation.view();
  const bool rested = rest_.note(view, delta_seconds);
  if (!rested && summed_ == state.picture) return;
  summed_ = state.picture;
  const TimeRange range{static_cast<std::int64_t>(view.begin_ns), static_cast<std::int64_t>(view.end_ns())};
  sums_.start(pool_, wake_, [picture = state.picture, range](const std::stop_token& stop) {
    return Sums{picture, job_view_sums(*picture, range, stop)};
  });
}

void JobInspector::draw(JobState& state, Splitters* sizes, const DrawContext& look) {
  if (state.boxes.inspector.width() <= 0 || state.picture == nullptr) return;
  const Sums* const newest = sums_.value();
  const JobViewSums* const sums =
      newest != nullptr && newest->picture == state.picture ? &newest->sums : nullptr;
  const JobContent made = content_of(state, sums);
  std::optional<InspectorClick> clicked;
  frame_.draw(state.boxes.inspector, {made.content.title}, sizes, look,
              [&](ImVec2 size) { clicked = sections_.draw(made.content, size, look); });
  if (clicked) made.act(*clicked, state);
}

void JobInspector::write_test_state(const JobState& state, nlohmann::ordered_json& json) const {
  json["inspector"] = nullptr;
  if (state.boxes.inspector.width() <= 0) return;
  json["inspector"] = frame_.test_state(state.boxes.inspector);
  sections_.write_test_state(json["inspector"]);
}

}  // namespace kino
