#include "core/tables/gpu/step_choice.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kStubPart = 5;      // a stub has less than a fifth of the median's work
constexpr double kClearlyMore = 0.01;       // minimum margin of a cut step's share above all later shares
constexpr std::size_t kMinOthers = 4;       // minimum number of other steps to omit the cut step
constexpr std::size_t kMaxNamedSteps = 10;  // maximum number of steps named in a sentence
constexpr std::size_t kMaxStepParts = 6;    // maximum number of parts in a list of step numbers

/// GPU work of one step.
struct StepLoad {
  std::uint64_t started = 0;
  std::int64_t gpu_ns = 0;
  std::int64_t unlaunched_ns = 0;  ///< part of gpu_ns without a recorded launch
  std::int64_t earlier_ns = 0;     ///< part of gpu_ns launched before the step, see EarlierWork
  std::int64_t earlier_end_ns = 0;

  double unlaunched() const { return share_of_load(unlaunched_ns); }
  double earlier() const { return share_of_load(earlier_ns); }
  double share_of_load(std::int64_t part_ns) const {
    return gpu_ns <= 0 ? 0 : static_cast<double>(part_ns) / static_cast<double>(gpu_ns);
  }
};

/// Returns the start of the stream's first work that has a recorded launch; the minimum of int64 if there is
/// none.
std::int64_t first_launched_ns(const Trace& trace, const StreamWork& stream) {
  std::optional<std::int64_t> first_ns;
  for (const SliceId slice : stream.slices) {
    if (trace.link(slice) == kNoSlice) continue;
    first_ns = std::min(first_ns.value_or(trace.start_ns(slice)), trace.start_ns(slice));
  }
  return first_ns.value_or(std::numeric_limits<std::int64_t>::min());
}

std::vector<StepLoad> step_loads(const Trace& trace, const GpuWork& work, std::span<const TimeRange> ranges) {
  std::vector<StepLoad> loads(ranges.size());
  for (const StreamWork& stream : work.streams) {
    const std::int64_t launched_ns = first_launched_ns(trace, stream);
    for (const SliceId slice : stream.slices) {
      const std::int64_t start_ns = trace.start_ns(slice);
      const std::int64_t end_ns = trace.end_ns(slice);
      const SliceId launch = trace.link(slice);
      auto at = static_cast<std::size_t>(std::ranges::upper_bound(ranges, start_ns, {}, &TimeRange::end_ns) -
                                         ranges.begin());
      if (at < ranges.size() && start_ns >= ranges[at].begin_ns) ++loads[at].started;
      for (; at < ranges.size() && ranges[at].begin_ns < end_ns; ++at) {
        const std::int64_t ns = std::min(end_ns, ranges[at].end_ns) - std::max(start_ns, ranges[at].begin_ns);
        loads[at].gpu_ns += ns;
        if (launch == kNoSlice) loads[at].unlaunched_ns += ns;
        const bool earlier =
            launch == kNoSlice ? start_ns < launched_ns : trace.start_ns(launch) < ranges[at].begin_ns;
        if (!earlier) continue;
        loads[at].earlier_ns += ns;
        loads[at].earlier_end_ns = std::max(loads[at].earlier_end_ns, std::min(end_ns, ranges[at].end_ns));
      }
    }
  }
  return loads;
}

/// Returns the largest share of GPU time without a recorded launch, over the used steps after `first`.
double most_unlaunched_after(const StepChoice& choice, std::size_t first) {
  double most = 0;
  for (std::size_t i = first + 1; i < choice.uses.size(); ++i) {
    if (is_used(choice.uses[i])) most = std::max(most, choice.unlaunched[i]);
  }
  return most;
}

void leave_out_stubs(const std::vector<StepLoad>& loads, StepChoice& choice) {
  if (loads.size() < 2) return;
  std::vector<std::uint64_t> sorted;
  sorted.reserve(loads.size());
  for (const StepLoad& load : loads) sorted.push_back(load.started);
  std::ranges::sort(sorted);
  const std::uint64_t twice_median = sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2];
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].started * 2 * kStubPart < twice_median) choice.uses[i] = StepUse::stub;
  }
}

/// Whether the step's share of GPU time without a recorded launch is clearly above that of every later used
/// step.
bool is_cut_row(const StepChoice& choice, std::size_t at) {
  return choice.unlaunched[at] - most_unlaunched_after(choice, at) > kClearlyMore;
}

void leave_out_cut_step(StepChoice& choice) {
  const auto first = std::ranges::find(choice.uses, StepUse::used);
  if (first == choice.uses.end()) return;
  const auto at = static_cast<std::size_t>(first - choice.uses.begin());
  std::size_t others = 0;
  for (std::size_t i = at + 1; i < choice.uses.size(); ++i) others += is_used(choice.uses[i]) ? 1 : 0;
  if (others == 0 || !is_cut_row(choice, at)) return;
  *first = others < kMinOthers ? StepUse::used_though_cut : StepUse::cut;
  // Only the first step is omitted. If the GPU lags by several steps, the next steps are also cut, but used.
  for (std::size_t i = at + 1; i < choice.uses.size(); ++i) {
    if (choice.uses[i] != StepUse::used) continue;
    if (!is_cut_row(choice, i)) break;
    choice.uses[i] = StepUse::used_though_cut;
  }
}

/// Names of the first ten steps, and the number of all steps.
struct NamedSteps {
  std::vector<Message> names;
  std::size_t count = 0;

  void add(const std::string& name) {
    if (++count <= kMaxNamedSteps + 1) names.emplace_back(count <= kMaxNamedSteps ? name : "...");
  }
};

/// Returns a sentence on used steps that are cut; empty if there are none.
Message used_though_cut_note(const StepChoice& choice, std::span<const std::string> names) {
  NamedSteps steps;
  double least = 1;
  double most = 0;
  for (std::size_t i = 0; i < choice.uses.size(); ++i) {
    if (choice.uses[i] != StepUse::used_though_cut) continue;
    steps.add(names[i]);
    least = std::min(least, choice.unlaunched[i]);
    most = std::max(most, choice.unlaunched[i]);
  }
  if (steps.count == 0) return {};
  const Message listed = comma_list(steps.names);
  const std::string count = grouped(steps.count);
  Message share = text_from_share(most);
  if (share != text_from_share(least)) share = {msg::share_from_to, text_from_share(least), share};
  const bool one = steps.count == 1;
  if (std::ranges::find(choice.uses, StepUse::cut) != choice.uses.end()) {
    return one ? Message(msg::step_included_only_first_excluded, listed, share)
               : Message(msg::steps_included_only_first_excluded, count, listed, share);
  }
  const auto used = static_cast<std::uint64_t>(std::ranges::count_if(choice.uses, is_used));
  const std::string others = grouped(kMinOthers);
  if (!one) return {msg::steps_included_few_steps, count, listed, share, grouped(used), others};
  if (used == 2) return {msg::step_included_one_other_remains, listed, share, others};
  return {msg::step_included_few_others_remain, listed, share, grouped(used - 1), others};
}

Message cut_note(const StepChoice& choice, std::size_t at, const std::string& name) {
  const double most = most_unlaunched_after(choice, at);
  return {most < 0.0005 ? msg::step_excluded_no_launch : msg::step_excluded_no_launch_at_most, name,
          text_from_share(choice.unlaunched[at]), text_from_share(most)};
}

std::optional<std::int64_t> number_of(std::string_view name) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

bool follows(std::string_view name, std::string_view before) {
  const auto number = number_of(name);
  const auto last = number_of(before);
  return number && last && *last < std::numeric_limits<std::int64_t>::max() && *last + 1 == *number;
}

}  // namespace

msg::Id text_of(StepUse use) {
  constexpr std::array<msg::Id, 4> kNames{msg::used, msg::used_though_cut, msg::stub, msg::cut};
  return kNames[static_cast<std::size_t>(use)];
}

std::vector<TimeRange> step_ranges(const Steps& steps) {
  std::vector<TimeRange> ranges;
  for (const Step& step : steps.steps) {
    TimeRange range = step.range;
    if (!ranges.empty()) range.begin_ns = std::max(range.begin_ns, ranges.back().end_ns);
    range.end_ns = std::max(range.end_ns, range.begin_ns);
    ranges.push_back(range);
  }
  return ranges;
}

StepChoice choose_steps(const Trace& trace, const GpuWork& work, std::span<const TimeRange> ranges,
                        StepRequest request) {
  StepChoice choice;
  choice.uses.assign(ranges.size(), StepUse::used);
  const std::vector<StepLoad> loads = step_loads(trace, work, ranges);
  choice.unlaunched.reserve(loads.size());
  choice.earlier.reserve(loads.size());
  for (const StepLoad& load : loads) {
    choice.unlaunched.push_back(load.unlaunched());
    choice.earlier.push_back({load.earlier(), load.earlier_end_ns});
  }
  if (work.size() == 0) return choice;
  leave_out_stubs(loads, choice);
  if (request == StepRequest::all) leave_out_cut_step(choice);
  return choice;
}

StepChoice choose_steps(const Trace& trace, const Steps& steps, const std::stop_token& stop) {
  if (steps.steps.empty()) return {};
  return choose_steps(trace, gpu_work_in(trace, whole_range(trace), stop), step_ranges(steps));
}

std::vector<Message> step_notes(const StepChoice& choice, std::span<const std::string> names) {
  std::vector<Message> notes;
  for (std::size_t i = 0; i < choice.uses.size(); ++i) {
    if (choice.uses[i] == StepUse::cut) notes.push_back(cut_note(choice, i, names[i]));
  }
  if (Message note = used_though_cut_note(choice, names); !note.empty()) notes.push_back(std::move(note));
  NamedSteps stubs;
  for (std::size_t i = 0; i < choice.uses.size(); ++i) {
    if (choice.uses[i] == StepUse::stub) stubs.add(names[i]);
  }
  if (stubs.count == 1) notes.emplace_back(msg::step_excluded_stub, stubs.names.front());
  if (stubs.count > 1)
    notes.emplace_back(msg::steps_excluded_stubs, grouped(stubs.count), comma_list(stubs.names));
  return notes;
}

Message listed_steps(std::span<const std::string> names) {
  std::vector<Message> parts;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i + 1;
    while (end < names.size() && follows(names[end], names[end - 1])) ++end;
    if (i == 0 && end == names.size() && end > 1) return {msg::steps_from_to, names.front(), names.back()};
    if (parts.size() == kMaxStepParts) {
      parts.emplace_back("...");
      break;
    }
    std::string part = "#" + names[i];
    if (end > i + 1) part.append(end > i + 2 ? "\xE2\x80\x93#" : ", #").append(names[end - 1]);
    parts.emplace_back(part);
    i = end;
  }
  return comma_list(parts);
}

}  // namespace kino
