// The kinds of events that a trace has: figures of other kinds are unknown, and not 0.
#pragma once

#include <stop_token>

#include "core/trace/trace.hpp"

namespace kino {

struct RecordedKinds {
  bool gpu_work = false;
  bool kernels = false;    ///< also if there is other GPU work, and no launch lost its kernels
  bool launches = false;   ///< the launch of some GPU work is in the trace
  bool calls = false;      ///< of the runtime or the driver
  bool operators = false;  ///< or annotations on the CPU
  bool python = false;     ///< Python functions

  /// Nothing that a time split has a role for.
  bool none_of_roles() const { return !gpu_work && !calls && !operators; }
};

/// O(slices). All false when stopped.
RecordedKinds recorded_kinds(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
