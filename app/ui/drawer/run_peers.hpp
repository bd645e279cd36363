// Data that open documents of the same run exchange.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A trace that is open in the window.
struct OpenTrace {
  std::uint64_t document = 0;  ///< serial of its document
  std::string title;           ///< title of its tab
  std::shared_ptr<const Trace> trace;
};

/// Another open recording of the run of a trace, with counters for the trace.
struct CountersOfRun {
  std::shared_ptr<const void> recording;  ///< data that make() reads; the address identifies the recording
  std::string file;                       ///< title of its tab
  std::function<CounterTracks(const Trace&, const std::stop_token&)> make;

  bool same(const CountersOfRun& other) const { return recording == other.recording && file == other.file; }
};

}  // namespace kino
