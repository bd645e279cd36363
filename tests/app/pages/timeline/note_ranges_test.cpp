// Covers: note_ranges
// Saved ranges are restored from a note, also in another recording that contains them.
#include "app/pages/timeline/note_ranges.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/build/trace_builder.hpp"

namespace {

using kino::SliceId;
using kino::Trace;

/// Ten slices of 1 us, one every 10 us, on each of the threads; all times are `later_ns` later.
std::shared_ptr<const Trace> recording(const std::vector<int>& threads, std::int64_t later_ns = 0) {
  kino::BuildInput input;
  kino::EventBatch& batch = input.batches.emplace_back();
  batch.categories.intern("cpu_op");
  for (const int thread : threads) {
    for (int n = 0; n < 10; ++n) {
      kino::SliceRecord slice;
      slice.start_ns = later_ns + n * 10'000 + thread;
      slice.duration_ns = 1000;
      slice.source_offset = static_cast<std::uint64_t>(n * 1000 + thread);
      slice.name = batch.names.intern("op");
      slice.track = batch.tracks.intern(kino::TrackClass::cpu, "77", std::to_string(thread));
      batch.slices.push_back(slice);
    }
  }
  input.threads = 1;
  auto built = kino::build_trace(std::move(input), {});
  REQUIRE(built.ok());
  return *built;
}

std::uint32_t thread_track(const Trace& trace, int thread) {
  std::uint32_t at = 0;
  while (at < trace.tracks.size() && trace.tracks[at].tid != std::to_string(thread)) ++at;
  return at;
}

/// Converts through the text of a note.
std::vector<kino::NoteRange> written_and_read(const kino::TimelineState& state) {
  kino::Note note;
  note.ranges = kino::note_ranges(state);
  const auto read = kino::note_from_json(kino::note_json(note));
  REQUIRE(read.has_value());
  return read->note.ranges;
}

kino::TrackSet loaded_set(const Trace& trace, const std::vector<int>& threads) {
  kino::TrackSet set;
  for (const int thread : threads) set.tracks.push_back(thread_track(trace, thread));
  std::sort(set.tracks.begin(), set.tracks.end());
  return set;
}

}  // namespace

TEST_CASE("opening a note restores saved ranges with letter, name, tracks, slice and tick") {
  const auto trace = recording({3, 5, 9});
  kino::TimelineState from(trace);
  const SliceId slice{4};
  const kino::TimeRange slice_range{trace->slices.start_ns[4], trace->end_ns(slice)};
  from.kept.set('A', {{10'000, 30'000}, loaded_set(*trace, {3, 9}), kino::kNoSlice}, "warm-up \xE2\x80\xA6");
  from.kept.set('C', {slice_range, std::nullopt, slice}, "an op");
  from.kept.set('D', {{50'000, 60'000}, std::nullopt, kino::kNoSlice}, "");
  from.kept.compare('D', false);
  kino::TimelineState to(recording({3, 5, 9}));
  to.kept.set('B', {{1, 2}, std::nullopt, kino::kNoSlice}, "before");
  CHECK(kino::restore_note_ranges(to, written_and_read(from)) == 0);
  REQUIRE(to.kept.all().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const kino::SavedRange& kept = to.kept.all()[i];
    const kino::SavedRange& was = from.kept.all()[i];
    CHECK(kept.letter == was.letter);
    CHECK(kept.name == was.name);
    CHECK(kept.part == was.part);
    CHECK(kept.compared == was.compared);
  }
}

TEST_CASE("ranges of a note apply to another recording as far as it contains them") {
  const auto trace = recording({3, 5});
  kino::TimelineState from(trace);
  from.kept.set('A', {{10'000, 30'000}, std::nullopt, kino::kNoSlice}, "all");
  from.kept.set('B', {{10'000, 30'000}, loaded_set(*trace, {3, 5}), kino::kNoSlice}, "some");
  from.kept.set('C', {{10'000, 30'000}, loaded_set(*trace, {3}), kino::kNoSlice}, "no track");
  const SliceId first{trace->rows[trace->tracks[thread_track(*trace, 3)].first_row].first_slice};
  from.kept.set('D', {{0, 1000}, std::nullopt, first}, "no slice");
  const std::vector<kino::NoteRange> ranges = written_and_read(from);
  REQUIRE(ranges.size() == 4);

  kino::TimelineState to(recording({5}));
  CHECK(kino::restore_note_ranges(to, ranges) == 3);
  REQUIRE(to.kept.all().size() == 2);
  const std::int64_t moved = trace->origin_unix_ns - to.trace->origin_unix_ns;
  CHECK(to.kept.all()[0].part.range == kino::TimeRange{10'000 + moved, 30'000 + moved});
  CHECK(to.kept.all()[1].name == "some");
  CHECK(to.kept.all()[1].part.tracks == loaded_set(*to.trace, {5}));

  kino::TimelineState later(recording({3, 5}, 1'000'000'000));
  later.kept.set('B', {{1, 2}, std::nullopt, kino::kNoSlice}, "before");
  CHECK(kino::restore_note_ranges(later, ranges) == 4);
  CHECK(later.kept.all().empty());
  later.kept.set('B', {{1, 2}, std::nullopt, kino::kNoSlice}, "before");
  CHECK(kino::restore_note_ranges(later, {}) == 0);  // a note without ranges removes nothing
  CHECK(later.kept.all().size() == 1);
}

TEST_CASE("invalid and duplicate letters of a note become free ones") {
  const auto trace = recording({3});
  kino::TimelineState state(trace);
  const std::int64_t begin = trace->origin_unix_ns + 10;
  std::vector<kino::NoteRange> ranges;
  for (const char letter : {'B', 'B', '\0', 'z'})
    ranges.push_back({.range = {begin, begin + 10}, .name = "", .letter = letter});
  CHECK(kino::restore_note_ranges(state, ranges) == 0);
  std::string letters;
  for (const kino::SavedRange& kept : state.kept.all()) letters += kept.letter;
  CHECK(letters == "ABCD");
  ranges.resize(20, ranges.front());
  CHECK(kino::restore_note_ranges(state, ranges) == 20 - kino::SavedRanges::kMost);
  CHECK(state.kept.all().size() == kino::SavedRanges::kMost);
}
