// Covers: merged_ids
#include "core/trace/build/merged_ids.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using kino::EventBatch;
using kino::MergedIds;
using kino::SliceRecord;
using kino::Trace;
using kino::TrackClass;

TEST_CASE("ids of batches become one trace's, and the order of tracks does not depend on batches") {
  std::vector<EventBatch> batches(2);
  SliceRecord first;
  first.name = batches[0].names.intern("b\\n");
  first.category = static_cast<std::uint16_t>(batches[0].categories.intern("cpu_op"));
  first.track = batches[0].tracks.intern(TrackClass::cpu, "1", "9");
  SliceRecord second;
  batches[1].names.intern("a");
  second.name = batches[1].names.intern("b\\n");
  batches[1].categories.intern("kernel");
  second.category = static_cast<std::uint16_t>(batches[1].categories.intern("cpu_op"));
  second.track = batches[1].tracks.intern(TrackClass::cpu, "1", "3");

  Trace trace;
  const auto decode = [](std::string_view text) { return text == "b\\n" ? "b\n" : std::string(text); };
  const MergedIds ids(batches, {}, decode, trace);
  const SliceRecord a = ids.translated(0, first);
  const SliceRecord b = ids.translated(1, second);
  CHECK(a.name == b.name);
  CHECK(trace.names[a.name] == "b\n");
  CHECK(trace.names[0].empty());
  CHECK(a.category == b.category);
  CHECK(trace.categories[a.category] == "cpu_op");
  REQUIRE(ids.tracks().size() == 2);
  CHECK(a.track == 1);
  CHECK(b.track == 0);
  CHECK(ids.track_of({TrackClass::cpu, "1", "9"}) == 1);
  CHECK(ids.track_of({TrackClass::gpu, "1", "9"}) == 2);
  CHECK(ids.track_of({TrackClass::cpu, "1", "99"}) == 2);
}

TEST_CASE("a record counts unless it starts in a discarded range of a batch that was not repaired") {
  std::vector<EventBatch> batches(2);
  batches[1].repaired = true;
  Trace trace;
  const MergedIds ids(batches, {{100, 200}, {300, 301}}, {}, trace);
  CHECK_FALSE(ids.all_count());
  for (const std::uint64_t offset : {100, 150, 199, 300}) {
    CHECK_FALSE(ids.counts(0, offset));
    CHECK(ids.counts(1, offset));
  }
  for (const std::uint64_t offset : {0, 99, 200, 299, 301}) CHECK(ids.counts(0, offset));
}

TEST_CASE("metadata of all batches is in file order, since the last one wins") {
  std::vector<EventBatch> batches(2);
  const auto named = [](const char* text, std::uint64_t offset) {
    kino::MetadataRecord record;
    record.what = kino::MetadataRecord::What::thread_name;
    record.text = text;
    record.source_offset = offset;
    return record;
  };
  batches[0].metadata = {named("new", 9), named("wrong", 5)};
  batches[1].metadata = {named("old", 3)};
  Trace trace;
  const MergedIds ids(
      batches, {{5, 6}}, [](std::string_view text) { return std::string(text) + "!"; }, trace);
  REQUIRE(ids.metadata().size() == 2);
  CHECK(ids.metadata()[0].text == "old!");
  CHECK(ids.metadata()[1].text == "new!");
}
