#include "core/tables/serving/iterations.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "core/tables/serving/graph_marks.hpp"
#include "core/tables/serving/hand_over.hpp"
#include "core/tables/serving/iteration_windows.hpp"
#include "core/tables/serving/serving_work.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

/// Chooses the source of iterations, the first one that applies.
class SourceChoice {
 public:
  SourceChoice(const Trace& trace, const IterationOptions& options, const ServingWork& work,
               const std::stop_token& stop)
      : trace_(trace), options_(options), work_(work), stop_(stop) {}

  /// Fills all members of `found` except windows and what follows from them.
  void run(Iterations& found) {
    MarksOfTrace marks;
    std::size_t steps = 0;
    if (uses_annotations()) {
      marks = find_iteration_marks(trace_, stop_);
      steps = find_steps(trace_, stop_).steps.size();
    }
    if (!marks.batch.empty()) {
      take(std::move(marks.batch), found);
      return;
    }
    if (steps >= 2 || (steps == 1 && !marks.requests)) {
      found.reason = NoIterations::profiler_steps;
      return;
    }
    TrainingSign training = training_sign(trace_, stop_);
    if (!marks.forward.empty() && !training.found()) {
      take(std::move(marks.forward), found);
    } else if (marks.step.marks.size() >= 2) {
      take(std::move(marks.step), found);
    } else if (training.found()) {
      found.reason = NoIterations::training;
      found.training = std::move(training);
    } else if (work_.pieces.empty()) {
      found.reason = NoIterations::no_gpu_work;
    } else if (!find_unmarked(found)) {
      found.reason = NoIterations::nothing_found;
    }
  }

  /// Returns the process that launches the work of the engine; nullopt if its work is found by start.
  std::optional<std::uint32_t> process() const { return process_; }

 private:
  void take(IterationMarks marks, Iterations& found) {
    found.source = IterationSource::annotation;
    found.family = marks.family;
    found.others = std::move(marks.others);
    if (!marks.on_gpu && work_.any_launch) process_ = trace_.track(marks.thread).process;
    add(marks.marks, false, found);
  }

  /// `guessed`: whether phases, if known, are guesses.
  static void add(const std::vector<IterationMark>& marks, bool guessed, Iterations& found) {
    found.list.reserve(marks.size());
    for (const IterationMark& mark : marks) {
      Iteration& iteration = found.list.emplace_back();
      iteration.mark = mark.range;
      iteration.slice = mark.slice;
      iteration.phase = mark.phase;
      iteration.sizes = mark.sizes;
      iteration.guessed = guessed && mark.phase != IterationPhase::unknown;
    }
  }

  bool uses_annotations() const {
    const bool wanted = options_.source == IterationSourceChoice::automatic ||
                        options_.source == IterationSourceChoice::annotation;
    return wanted && !options_.hide_annotations && !options_.hide_launches;
  }

  bool find_unmarked(Iterations& found) {
    const bool automatic = options_.source == IterationSourceChoice::automatic;
    if (automatic && uses_annotations() &&
        take(compiled_graph_marks(trace_, work_, stop_), IterationSource::compiled_graph, found))
      return true;
    if ((automatic || options_.source == IterationSourceChoice::hand_over) &&
        take(hand_over_marks(trace_, work_, stop_), IterationSource::hand_over, found))
      return true;
    return (automatic || options_.source == IterationSourceChoice::replays) &&
           take(replay_marks(trace_, work_, stop_), IterationSource::replays, found);
  }

  bool take(const UnmarkedIterations& unmarked, IterationSource source, Iterations& found) {
    if (unmarked.marks.empty()) return false;
    found.source = source;
    process_ = unmarked.process;
    add(unmarked.marks, true, found);
    return true;
  }

  const Trace& trace_;
  const IterationOptions& options_;
  const ServingWork& work_;
  const std::stop_token& stop_;
  std::optional<std::uint32_t> process_;
};

}  // namespace

ServingRun find_iterations(const Trace& trace, const IterationOptions& options, const std::stop_token& stop) {
  ServingRun run;
  const ServingWork work = serving_work(trace, options.hide_launches, stop);
  SourceChoice choice(trace, options, work, stop);
  choice.run(run.iterations);
  if (stop.stop_requested()) return run;
  add_windows(trace, work, choice.process(), options.hide_launches, run.iterations, stop);
  run.groups = group_iterations(run.iterations.list, options.keep_all);
  return run;
}

}  // namespace kino
