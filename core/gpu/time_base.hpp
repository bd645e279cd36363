// What the shares of a summary are shares of: one window for all of them, with its name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu/step_split.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct TimeBase {
  enum class Kind : std::uint8_t {
    steps,       ///< all complete steps
    step,        ///< one
    gpu_window,  ///< from the first GPU work to the last
    range,       ///< what a person marked
    trace,       ///< from the first operator to the last, or the first event
  };
  Kind kind = Kind::trace;
  TimeRange window;
  TimeRange calls;                  ///< when the CPU made the calls that count: of steps, as they are marked
  std::size_t steps = 0;            ///< how many, of Kind::steps
  std::string step;                 ///< the number, of Kind::step
  std::string device = "GPU";       ///< what the device is called, see device_word()
  bool operators = true;            ///< of Kind::trace: some are known; else it is all events
  bool with_launched_work = false;  ///< of steps: the window goes on until their GPU work ends

  /// "5 complete steps", "step 16", "the GPU's window", "the range", "the trace".
  std::string brief() const;
  /// Where it begins and ends, as a part of a sentence.
  std::string text() const;
};

/// "GPU", or "TPU" where all devices of the trace are.
std::string device_word(const Trace& trace);

/// Of a whole trace: the complete steps, from the begin of the first to the end of the GPU work of the last,
/// as the TensorBoard plugin has them for its GPU summary (README.md, Utilization); else the GPU's own
/// window; else the operators'. `steps` are the trace's, see step_windows().
TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work);
/// Of one step: the plugin's.
TimeBase base_of_step(const StepWindow& step);

}  // namespace kino
