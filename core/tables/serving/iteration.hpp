// Iterations of an inference engine, and why others were left out or not found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/tables/serving/iteration_marks.hpp"
#include "core/tables/serving/iteration_parts.hpp"
#include "core/tables/serving/training_signs.hpp"

namespace kino {

enum class IterationSource : std::uint8_t { none, annotation, compiled_graph, hand_over, replays };
/// Returns "annotation", "compiled graph", "hand-over" or "replays"; empty for `none`.
std::string_view text_of(IterationSource source);

/// Why a trace has no iterations.
enum class NoIterations : std::uint8_t {
  none,            ///< it has some
  profiler_steps,  ///< the profiler marked steps
  training,
  no_gpu_work,
  nothing_found,  ///< no annotation, no replay, and no model that repeats up to a copy to the host
};

enum class LaunchedBy : std::uint8_t {
  unknown,
  eager,
  graph,      ///< one graph launch
  piecewise,  ///< several graph launches
};
/// Returns "eager", "graph" or "piecewise"; empty for `unknown`.
std::string_view text_of(LaunchedBy launched_by);

/// Why statistics leave an iteration out.
enum class LeftOut : std::uint8_t {
  none,
  no_window,      ///< it launched no kernel on the main stream
  cut,            ///< the recording ended within it
  prepares_code,  ///< a capture, an instantiation of a graph, or a load of a module begins in its mark
  warm_up,        ///< its group was not steady yet
};

struct Iteration {
  TimeRange mark;            ///< on the CPU; without launches, or for annotations of the GPU, on the GPU
  SliceId slice = kNoSlice;  ///< annotation or call that marks it; kNoSlice without one
  IterationPhase phase = IterationPhase::unknown;
  bool guessed = false;  ///< whether the phase is a guess from kernel names
  BatchSizes sizes;
  /// From the start of its first kernel on the main stream to that of the next iteration; the last window
  /// ends with its work. Without GPU work in the trace: from mark to mark. Windows are disjoint and ascend.
  /// nullopt without a kernel on the main stream.
  std::optional<TimeRange> window;
  bool complete = false;         ///< whether a later iteration ends the window
  std::int64_t gpu_span_ns = 0;  ///< from the begin of the window to the end of its own work
  std::int64_t busy_ns = 0;      ///< while any of its own work was running
  std::uint64_t kernels = 0;
  std::uint32_t graph_launches = 0;
  LaunchedBy launched_by = LaunchedBy::unknown;
  SliceId first_kernel = kNoSlice;  ///< at the begin of the window
  IterationTimes times;             ///< add up to the window
  LeftOut left_out = LeftOut::none;
  SliceId prepares = kNoSlice;  ///< for LeftOut::prepares_code: the first such call
  std::int64_t steady_ns = 0;   ///< for LeftOut::warm_up: the group's steady length

  std::int64_t window_ns() const { return window ? window->length_ns() : 0; }
  /// Returns the requests that name its group: those in prefill for a prefill, otherwise those in generation.
  std::optional<std::int64_t> requests() const {
    return phase == IterationPhase::prefill ? sizes.context : sizes.generation;
  }
  /// Returns the tokens of the batch; nullopt if unknown.
  std::optional<std::int64_t> tokens() const;
  /// Whether each generating request receives a token: decode, mixed and verify with known requests.
  bool generates() const;
};

struct Iterations {
  IterationSource source = IterationSource::none;
  std::string_view family;                   ///< of annotations; otherwise empty
  NoIterations reason = NoIterations::none;  ///< if `list` is empty
  TrainingSign training;                     ///< for NoIterations::training
  std::vector<Iteration> list;               ///< in order of their marks
  std::vector<OtherMarks> others;            ///< further threads with marks of this family
  std::optional<std::uint32_t> device;       ///< process of the GPU with the main stream
};

}  // namespace kino
