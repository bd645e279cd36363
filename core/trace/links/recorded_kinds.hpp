// The kinds of events in a trace: figures of other kinds are unknown, not 0.
#pragma once

#include <stop_token>

#include "core/trace/trace.hpp"

namespace kino {

struct RecordedKinds {
  bool gpu_work = false;
  bool kernels = false;    ///< also true if only copies exist, and no kernel or graph launch lost its work
  bool launches = false;   ///< whether the launch of some GPU work is in the trace
  bool calls = false;      ///< calls of the runtime or the driver
  bool operators = false;  ///< operators, or annotations on the CPU
  bool python = false;     ///< Python functions

  /// Whether the trace has no events that a step breakdown needs.
  bool has_no_roles() const { return !gpu_work && !calls && !operators; }
};

/// Returns the kinds of events in the trace. O(slices).
RecordedKinds recorded_kinds(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
