// The time that utilisation and operations per second are over, with its name: TensorBoard's definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_split.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct TimeBase {
  enum class Kind : std::uint8_t {
    steps,       ///< all steps that are used, see StepChoice
    step,        ///< one
    gpu_window,  ///< from the first GPU work to the last
    range,       ///< what a person marked
    trace,       ///< from the first operator to the last, or the first event
  };
  Kind kind = Kind::trace;
  TimeRange window;
  std::vector<TimeRange> marked;    ///< the used steps as marked, disjoint; else the window
  TimeRange calls;                  ///< when the CPU made the calls that count: of steps, as they are marked
  std::size_t steps = 0;            ///< how many, of Kind::steps
  std::vector<Message> notes;       ///< of Kind::steps: on those that are left out, see step_notes()
  std::string step;                 ///< the number, of Kind::step
  std::string device = "GPU";       ///< what the device is called, see device_word()
  bool operators = true;            ///< of Kind::trace: from the first one to the last; else of all events
  bool with_launched_work = false;  ///< of steps: the window goes on until their GPU work ends

  /// "5 steps with their GPU work", "step 16 with its GPU work", "the GPU's window", "the range", "the
  /// trace".
  Message brief() const;
  /// Names `marked`: "5 steps", "step 16", else as brief().
  Message as_marked() const;
  /// Where it begins and ends, as a part of a sentence.
  Message text() const;
};

/// "GPU", or "TPU", "NPU", "MTIA" or "HPU" where all devices of the trace are.
std::string device_word(const Trace& trace);
/// A text about "GPU" work, in any language, with that word for it: "NPU work" for "GPU work". Streams of a
/// TPU are lines. O(length).
std::string in_words_of(std::string text, std::string_view device);

/// Returns the base of a whole trace: the used steps (README.md, "Which steps"), from the begin of the first
/// to the end of the GPU work of the last, as the TensorBoard plugin has them for its GPU summary; else the
/// GPU's own window; else the operators'. `steps` are the trace's, see step_windows().
TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work);
/// Of one step: the plugin's.
TimeBase base_of_step(const StepWindow& step);

}  // namespace kino
