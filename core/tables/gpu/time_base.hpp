// Time base of utilization and operations per second, as defined by TensorBoard, with its display name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct TimeBase {
  enum class Kind : std::uint8_t {
    steps,       ///< all used steps, see StepChoice
    step,        ///< one step
    gpu_window,  ///< window from the first GPU work to the last
    range,       ///< range selected by the user
    trace,       ///< window from the first operator to the last; without operators, the window of all events
  };
  Kind kind = Kind::trace;
  TimeRange window;
  std::vector<TimeRange> marked;    ///< ranges of the used steps as marked, disjoint; if there are no steps,
                                    ///< the window
  TimeRange calls;                  ///< time in which the CPU makes the counted calls; for steps, the range
                                    ///< of the used steps as marked
  std::size_t steps = 0;            ///< number of steps, for Kind::steps
  std::vector<Message> notes;       ///< for Kind::steps: sentences on omitted steps, see step_notes()
  std::string step;                 ///< step number, for Kind::step
  std::string device = "GPU";       ///< device word, see device_word()
  bool operators = true;            ///< for Kind::trace: whether the window contains only the operators, not
                                    ///< all events
  bool with_launched_work = false;  ///< for steps: whether the window extends to the end of their GPU work

  /// Returns "5 steps with their GPU work", "step 16 with its GPU work", "the GPU window", "the range" or
  /// "the trace".
  Message brief() const;
  /// Returns a name for `marked`: "5 steps" or "step 16"; equal to brief() if there are no steps.
  Message as_marked() const;
  /// Returns brief() with the definition of the window, as part of a sentence.
  Message text() const;
};

/// Returns "TPU", "NPU", "MTIA" or "HPU" if all devices of the trace are of that kind. Returns "GPU" in all
/// other cases.
std::string device_word(const Trace& trace);
/// Replaces "GPU" in a text of any language by the device word: "NPU work" for "GPU work". For a TPU,
/// "stream" is also replaced by "line". O(length).
std::string with_device_word(std::string text, std::string_view device);

/// Returns the base of a whole trace: the used steps (README.md, "Which steps"). It lasts from the start of
/// the first step to the end of the last step's GPU work, as in the TensorBoard plugin's GPU summary. In a
/// trace without steps, returns the window of the GPU work; without GPU work, that of the operators; without
/// operators, that of all events. `steps` is the result of step_windows().
TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work);
/// Returns the base of one step, as in the plugin.
TimeBase base_of_step(const StepWindow& step);

}  // namespace kino
