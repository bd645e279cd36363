// Covers: event_parts
#include "core/trace/event_parts.hpp"

#include <doctest/doctest.h>

using kino::EventPart;
using kino::EventType;

TEST_CASE("the parts of the events add up to their number, for any types") {
  kino::Trace trace;
  CHECK(kino::event_parts(trace).empty());
  trace.counts[EventType::complete] = 7;
  trace.counts[EventType::begin] = 2;
  trace.counts[EventType::end] = 2;
  trace.counts[EventType::async] = 5;  // two slices with an end each, and a step
  trace.counts[EventType::instants] = 3;
  trace.counts[EventType::flows] = 4;
  trace.counts[EventType::metadata] = 6;
  trace.counts[EventType::dropped] = 1;
  trace.paired_slices = 2;
  trace.async_slices = 2;
  trace.instants.time_ns = kino::Column<std::int64_t>(4);
  std::uint64_t sum = 0;
  for (const kino::EventPartCount& it : kino::event_parts(trace)) {
    CHECK(it.count > 0);
    sum += it.count;
    if (it.part == EventPart::slices) CHECK(it.count == 9);
    if (it.part == EventPart::async_ends) CHECK(it.count == 2);
    if (it.part == EventPart::async_points) CHECK(it.count == 1);
  }
  CHECK(sum == trace.counts.total());
  CHECK(kino::event_parts(trace).size() == 9);
  CHECK(kino::text_of(EventPart::flows, 1) == "flow event");
  CHECK(kino::text_of(EventPart::flows, 0) == "flow events");
}
