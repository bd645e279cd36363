#include "app/cli/serving_info.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using ServingInfoJson = nlohmann::ordered_json;

/// Phases in the order of the output.
constexpr std::array kListedPhases{IterationPhase::prefill, IterationPhase::decode, IterationPhase::mixed,
                                   IterationPhase::verify,  IterationPhase::draft,  IterationPhase::idle,
                                   IterationPhase::unknown};

struct LeftOutReason {
  LeftOut reason;
  std::string_view key;
  std::string_view text;
};
constexpr std::array kLeftOutReasons{
    LeftOutReason{LeftOut::warm_up, "warm_up", "as warm-up"},
    LeftOutReason{LeftOut::prepares_code, "prepares_code", "with a capture or load of code"},
    LeftOutReason{LeftOut::cut, "cut", "cut by the end of the recording"},
    LeftOutReason{LeftOut::no_window, "no_window", "without a kernel on the main stream"},
};

std::size_t count_of(const ServingRun& run, IterationPhase phase) {
  return static_cast<std::size_t>(std::ranges::count(run.iterations.list, phase, &Iteration::phase));
}

std::size_t count_of(const ServingRun& run, LeftOut reason) {
  return static_cast<std::size_t>(std::ranges::count(run.iterations.list, reason, &Iteration::left_out));
}

std::string source_words(const Iterations& iterations) {
  switch (iterations.source) {
    case IterationSource::annotation: {
      std::string text = "from annotations (";
      return text.append(iterations.family).append(")");
    }
    case IterationSource::compiled_graph:
      return "from the calls of one compiled graph";
    case IterationSource::hand_over:
      return "guessed from results that are handed to the host";
    case IterationSource::replays:
      return "guessed from graph replays";
    case IterationSource::none:
      break;
  }
  return {};
}

bool any_guessed(const ServingRun& run) {
  return std::ranges::any_of(run.iterations.list, &Iteration::guessed);
}

std::string phases_text(const ServingRun& run) {
  std::string text;
  for (const IterationPhase phase : kListedPhases) {
    const std::size_t count = count_of(run, phase);
    if (count == 0) continue;
    if (!text.empty()) text.append(", ");
    text.append(grouped(count)).append(" ");
    text.append(phase == IterationPhase::unknown ? "unknown" : text_of(phase));
  }
  return any_guessed(run) ? text.append(" (guessed)") : text;
}

/// Returns the number of the first used iteration after the last warm-up; nullopt if no group was steady.
std::optional<std::size_t> first_steady(const ServingRun& run) {
  if (std::ranges::find(run.groups, SteadyState::reached, &IterationGroup::steady) == run.groups.end())
    return std::nullopt;
  const std::vector<Iteration>& list = run.iterations.list;
  std::size_t from = list.size();
  while (from > 0 && list[from - 1].left_out != LeftOut::warm_up) --from;
  while (from < list.size() && list[from].left_out != LeftOut::none) ++from;
  return from;
}

std::string steady_text(const ServingRun& run) {
  const auto unsteady = std::ranges::find(run.groups, SteadyState::missing, &IterationGroup::steady);
  const std::optional<std::size_t> from = first_steady(run);
  std::string text = "unknown: no group of iterations has 8 or more";
  if (from) {
    text = "iteration " + grouped(*from);
  } else if (unsteady != run.groups.end()) {
    text = "no steady state";
  }
  if (!from || unsteady == run.groups.end()) return text;
  text.append("; no steady state in ");
  text.append(unsteady->phase == IterationPhase::unknown ? "other iterations" : text_of(unsteady->phase));
  if (unsteady->batch > 0) text.append(" of up to ").append(grouped(unsteady->batch)).append(" requests");
  return text;
}

std::string left_out_words(const ServingRun& run) {
  std::string text;
  for (const LeftOutReason& reason : kLeftOutReasons) {
    const std::size_t count = count_of(run, reason.reason);
    if (count == 0) continue;
    if (!text.empty()) text.append(", ");
    text.append(grouped(count)).append(" ").append(reason.text);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void add_iterations(std::string& out, const ServingRun& run) {
  const Iterations& found = run.iterations;
  if (found.list.empty()) return;
  std::string count = grouped(found.list.size());
  add_line(out, "Iterations", count.append(", ").append(source_words(found)));
  add_line(out, "Phases", phases_text(run));
  add_line(out, "Steady from", steady_text(run));
  add_line(out, "Left out", left_out_words(run));
}

nlohmann::ordered_json iterations_json(const ServingRun& run) {
  const Iterations& found = run.iterations;
  if (found.list.empty()) return {};
  ServingInfoJson phases = ServingInfoJson::object();
  for (const IterationPhase phase : kListedPhases) {
    const std::size_t count = count_of(run, phase);
    const std::string_view name = phase == IterationPhase::unknown ? "unknown" : text_of(phase);
    if (count > 0) phases[std::string(name)] = count;
  }
  ServingInfoJson left_out = ServingInfoJson::object();
  for (const LeftOutReason& reason : kLeftOutReasons)
    left_out[std::string(reason.key)] = count_of(run, reason.reason);
  const std::optional<std::size_t> from = first_steady(run);
  return {{"count", found.list.size()},
          {"source", text_of(found.source)},
          {"family", found.family.empty() ? ServingInfoJson() : ServingInfoJson(found.family)},
          {"phases", phases},
          {"phases_guessed", any_guessed(run)},
          {"steady_from", from ? ServingInfoJson(*from) : ServingInfoJson()},
          {"left_out", left_out}};
}

}  // namespace kino
