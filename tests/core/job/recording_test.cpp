// Covers: recording
// Contents of recordings, and ids of reloaded ones.
#include "core/job/recording.hpp"

#include <memory>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("a recording is a trace or a snapshot, and a reloaded one is another recording") {
  const auto trace = std::make_shared<const Trace>();
  const Recording first = new_recording(trace);
  const Recording again = new_recording(trace);
  const Recording snapshot = new_recording(std::make_shared<const Snapshot>());
  CHECK(first.trace() == trace);
  CHECK(first.snapshot() == nullptr);
  CHECK(snapshot.trace() == nullptr);
  CHECK(snapshot.snapshot() != nullptr);
  CHECK(first.id != again.id);
  CHECK(Recording{}.trace() == nullptr);
  const Job job{{first, snapshot}};
  CHECK(job.holds(first.id));
  CHECK(job.holds(snapshot.id));
  CHECK_FALSE(job.holds(again.id));
  CHECK_FALSE(Job{}.holds(first.id));
}
