// Covers: batch_prefix
// A batch's earlier state can be copied while it grows.
#include "core/trace/build/batch_prefix.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

void add_event(kino::EventBatch& batch, std::uint32_t number) {
  const std::string text = std::to_string(number);
  kino::SliceRecord slice;
  slice.start_ns = number;
  slice.source_offset = number;
  slice.name = batch.names.intern("name " + text);
  slice.category =
      static_cast<std::uint16_t>(batch.categories.intern("category " + std::to_string(number % 7)));
  slice.track = batch.tracks.intern(kino::TrackClass::cpu, "1", std::to_string(number % 5));
  batch.slices.push_back(slice);
  if (number % 3 == 0) batch.instants.push_back({.time_ns = number, .source_offset = number});
  if (number % 4 == 0) batch.spans.push_back({.time_ns = number, .source_offset = number});
  if (number % 5 == 0) batch.samples.push_back({.time_ns = number, .value = 2.0 * number});
  if (number % 6 == 0) {
    kino::FlowPoint flow;
    flow.time_ns = number;
    batch.flows.push_back(flow);
  }
  if (number % 100 == 0) {
    kino::MetadataRecord record;
    record.pid = text;
    batch.metadata.push_back(std::move(record));
  }
}

template <class Record>
std::size_t count_in(const kino::RecordList<Record>& list) {
  std::size_t count = 0;
  for (const auto& block : list.blocks()) count += block.span().size();
  return count;
}

}  // namespace

TEST_CASE("a prefix has the content of the batch at its mark, with the same ids, after any growth") {
  kino::EventBatch batch;
  constexpr std::uint32_t kMarked = 70'001;  // more than one block
  for (std::uint32_t i = 0; i < kMarked; ++i) add_event(batch, i);
  const kino::BatchMark mark = kino::mark_of(batch);
  for (std::uint32_t i = kMarked; i < kMarked + 100; ++i) add_event(batch, i);
  const kino::BatchPrefix prefix(batch, mark);
  for (std::uint32_t i = kMarked + 100; i < 3 * kMarked; ++i) add_event(batch, i);

  const kino::EventBatch copy = prefix.copy({});
  CHECK(copy.names.size() == kMarked);
  CHECK(copy.names[kMarked - 1] == "name " + std::to_string(kMarked - 1));
  CHECK(copy.categories.size() == 7);
  CHECK(copy.tracks.size() == 5);
  CHECK(copy.tracks[4].tid == "4");
  REQUIRE(count_in(copy.slices) == kMarked);
  CHECK(copy.slices.size() == kMarked);
  std::uint32_t number = 0;
  bool same = true;
  for (const auto& block : copy.slices.blocks()) {
    for (const kino::SliceRecord& slice : block.span()) {
      same = same && slice.start_ns == number && slice.name == number && slice.track == number % 5;
      ++number;
    }
  }
  CHECK(same);
  CHECK(count_in(copy.instants) == (kMarked + 2) / 3);
  CHECK(count_in(copy.spans) == (kMarked + 3) / 4);
  CHECK(count_in(copy.samples) == (kMarked + 4) / 5);
  CHECK(count_in(copy.flows) == (kMarked + 5) / 6);
  CHECK(copy.metadata.size() == (kMarked + 99) / 100);
  CHECK(copy.metadata.back().pid == "70000");
}

TEST_CASE("the prefix of an empty batch is empty") {
  const kino::EventBatch batch;
  const kino::EventBatch copy = kino::BatchPrefix(batch, kino::mark_of(batch)).copy({});
  CHECK(copy.slices.size() == 0);
  CHECK(copy.names.size() == 0);
}

TEST_CASE("copying a prefix stops on request") {
  kino::EventBatch batch;
  for (std::uint32_t i = 0; i < 1000; ++i) add_event(batch, i);
  const kino::BatchPrefix prefix(batch, kino::mark_of(batch));
  std::stop_source stop;
  stop.request_stop();
  CHECK(prefix.copy(stop.get_token()).slices.size() == 0);
}
