// The state of one parser thread, and the units of text that it has parsed.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/build/batch_prefix.hpp"
#include "core/trace/build/event_batch.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/chrome_trace/event_interpreter.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"
#include "loaders/formats/chrome_trace/tolerant_parser.hpp"

namespace kino {

/// A parsed piece of the event array.
struct ParsedUnit {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  ParseOutcome outcome;
  EventCounts counts;
  DamageLog damage;
  BatchMark mark;  ///< end of the unit's records in the worker's batch
};

/// The parser of one thread, and its results.
struct ParseWorker {
  std::mutex mutex;                     // held while a unit is parsed, and by PartialPublisher
  EventBatch batch;                     // guarded by mutex
  std::vector<ParsedUnit> units;        // guarded by mutex; in text order
  EventInterpreter interpreter{batch};  // guarded by mutex

  // Used only by the thread:
  StrictParser strict;
  TolerantParser tolerant;
  std::string buffer;

  /// Adds a unit with the interpreter's counts and damage. The caller must hold the mutex.
  void add_unit(ParsedUnit unit, LoadProgress& progress) {
    unit.counts = interpreter.take_counts();
    unit.damage = interpreter.take_damage();
    unit.mark = mark_of(batch);
    progress.text_bytes.fetch_add(unit.end - unit.begin, std::memory_order_relaxed);
    progress.events.fetch_add(unit.counts.total(), std::memory_order_relaxed);
    units.push_back(std::move(unit));
  }
};

}  // namespace kino
