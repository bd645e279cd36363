// What one thread of the Chrome-trace parser fills, and the pieces of text it has done.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/trace/build/batch_prefix.hpp"
#include "core/trace/build/event_batch.hpp"
#include "loaders/formats/chrome_trace/event_interpreter.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"
#include "loaders/formats/chrome_trace/tolerant_parser.hpp"

namespace kino {

/// A piece of the event array and what came of it.
struct ParsedUnit {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  ParseOutcome outcome;
  EventCounts counts;
  DamageLog damage;
  BatchMark mark;  ///< the worker's batch behind it
};

/// One thread's parser with everything it fills.
struct ParseWorker {
  std::mutex mutex;                     // held while a unit is parsed, and by who looks meanwhile
  EventBatch batch;                     // guarded by mutex
  std::vector<ParsedUnit> units;        // guarded by mutex; in order of the text
  EventInterpreter interpreter{batch};  // guarded by mutex

  StrictParser strict;      // the thread's own
  TolerantParser tolerant;  // the thread's own
  std::string buffer;       // the thread's own
};

}  // namespace kino
