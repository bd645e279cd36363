// Covers: name_search, hit_table
#include "core/trace/search/name_search.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/row_window.hpp"
#include "core/trace/search/hit_table.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::SearchIndex;
using kino::SearchQuery;
using kino::SliceId;
using kino::TimeRange;
using kino::Trace;
using kino::TrackId;

namespace {

SearchQuery query(std::string_view text, const SearchIndex& index) {
  auto compiled = SearchQuery::compile(text, index, 2);
  INFO(text);
  REQUIRE(compiled.ok());
  return std::move(compiled.value());
}

std::uint64_t hits(std::string_view text, const SearchIndex& index) {
  auto set = query(text, index).hit_set();
  REQUIRE(set.ok());
  return set.value().count();
}

std::shared_ptr<const Trace> sample() {
  EventFixture events;
  events.op("aten::addmm", 0, 2'000'000)
      .op("aten::mm", 100, 1'000'000)
      .op("nn.Module: Linear_0", 3'000'000, 50'000);
  events.launch(200, 5'000, 1).launch(6'000, 5'000, 2);
  events.kernel("void cutlass::Gemm<float>", 10'000, 40'000, 1);
  events.kernel("ncclDevKernel_AllReduce", 60'000, 900'000, 2, "20");
  return events.build();
}

}  // namespace

TEST_CASE("words, phrases, expressions, keys and durations all restrict the hits together") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  CHECK(hits("", index) == 7);
  CHECK(hits("  ", index) == 7);
  CHECK(hits("MM", index) == 3);  // addmm, mm, Gemm
  CHECK(hits("aten mm", index) == 2);
  CHECK(hits("aten::", index) == 2);
  CHECK(hits("\"void cutlass\"", index) == 1);
  CHECK(hits("\"nn.Module: L\"", index) == 1);
  CHECK(hits("/^aten::(add)?mm$/", index) == 2);
  CHECK(hits("/void cut/ gemm", index) == 1);
  CHECK(hits("cat:kernel", index) == 2);
  CHECK(hits("cat:/^cuda_/", index) == 2);
  CHECK(hits("kind:comm", index) == 1);
  CHECK(hits("kind:kernel", index) == 2);  // compute and communication
  CHECK(hits("kind:kern", index) == 2);    // partly typed
  CHECK(hits("kind:gpu", index) == 2);
  CHECK(hits("kind:kernel kind:compute", index) == 1);
  CHECK(hits("KIND:compute mm", index) == 1);
  CHECK(hits("track:\"stream 20\"", index) == 1);
  CHECK(hits("track:stream cat:kernel", index) == 2);
  CHECK(hits("name:launch", index) == 2);
  CHECK(hits("name::launch", index) == 0);
  CHECK(hits("dur>1ms", index) == 1);
  CHECK(hits("dur>=1ms", index) == 2);
  CHECK(hits("dur>=1ms dur<2ms", index) == 1);
  CHECK(hits("dur<5us", index) == 0);
  CHECK(hits("dur<=5", index) == 2);
  CHECK(hits("dur<=5000ns launch", index) == 2);
  CHECK(hits("dur>", index) == 7);
  CHECK(query("", index).matches_all());
  CHECK_FALSE(query("dur>1ms", index).matches_all());
  CHECK(index.lower_name(trace->slices.name[0]) ==
        kino::SearchIndex(*trace).lower_name(trace->slices.name[0]));
}

TEST_CASE("an invalid term is an error with its name") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  for (const char* text :
       {"/(/", "mm dur>abc", "dur<5parsec", "dur>-1ms", "cat:/[z/", "dur>nan", "dur>1e300s"}) {
    INFO(text);
    const auto compiled = SearchQuery::compile(text, index);
    REQUIRE_FALSE(compiled.ok());
    CHECK(compiled.error().kind == kino::Error::Kind::unknown_format);
  }
}

TEST_CASE("an error has the offset of its term; an unclosed expression is an error") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  const auto place = [&](std::string_view text) {
    const auto compiled = SearchQuery::compile(text, index);
    INFO(text);
    REQUIRE_FALSE(compiled.ok());
    return compiled.error().offset;
  };
  CHECK(place("/unclosed") == 0);
  CHECK(place("mm  /unclosed.*") == 4);
  CHECK(place("mm name:/^a") == 8);
  CHECK(place("mm dur>abc") == 3);
  CHECK(place("mm cat:/[z/") == 3);
  CHECK(place("mm length>5ms") == 3);
  CHECK(hits("/", index) == 0);  // still being typed
  CHECK(place("mm \"aten::mm") == 3);
  CHECK(place("mm name:\"a") == 8);
  CHECK(hits("mm \"", index) == 3);  // still being typed
  CHECK(place("mm kind:bogus") == 3);
  CHECK(place("kind:/^mute$/ mm") == 0);
  CHECK(hits("kind:", index) == trace->slice_count());
}

TEST_CASE("an unknown field is an error with its offset, unless a name contains the word") {
  EventFixture events;
  events.op("nccl:all_reduce", 0, 10).op("/usr/lib/python3/run.py(3): f", 20, 10).op("mm", 40, 10);
  const auto trace = events.build();
  const SearchIndex index(*trace);
  const auto fields = [](const std::string& key) {
    return key == "correlation" ? SearchQuery::Field{} : SearchQuery::Field{false, "correlation"};
  };
  const auto asked = [&](std::string_view text) { return SearchQuery::compile(text, index, 1, fields); };
  CHECK(asked("correlation:5").ok());
  CHECK(asked("shape:5 dims:6 args:7").ok());
  const auto unknown = asked("mm corelation:5");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().offset == 3);
  CHECK(unknown.error().what == "there is no field 'corelation'; did you mean 'correlation'?");
  CHECK_FALSE(asked("arg:corelation=5").ok());
  auto named = asked("NCCL:all");
  REQUIRE(named.ok());
  CHECK(named.value().argument_terms().empty());
  CHECK(named.value().hit_set().value().count() == 1);
  CHECK(hits("/usr/lib", index) == 1);
}

TEST_CASE("shapes are found as copied or typed") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  using Terms = std::vector<kino::ArgumentTerm>;
  const auto terms = [&](std::string_view text) { return query(text, index).argument_terms(); };
  CHECK(terms("[8192, 6144]") == Terms{{"shape", "[8192, 6144]"}});
  CHECK(terms("[[8, 4], [4]] mm [7]") == Terms{{"shape", "[[8, 4], [4]]"}, {"shape", "[7]"}});
  CHECK(terms("shape:[8, 4] mm") == Terms{{"shape", "[8, 4]"}});
  CHECK(terms("dims:8192x6144") == Terms{{"shape", "8192,6144"}});
  CHECK(terms("dims:\"[8, 4]\"") == Terms{{"shape", "[8, 4]"}});
  CHECK(terms("[8192, 61") == Terms{{"shape", "[8192, 61"}});
  CHECK(terms("[").empty());
}

TEST_CASE("an empty trace has no hits") {
  const Trace trace;
  const SearchIndex index(trace);
  const SearchQuery all = query("x", index);
  CHECK(hits("x", index) == 0);
  CHECK(hits("track:x", index) == 0);
  CHECK(all.next_hit(std::nullopt, 0) == kino::kNoSlice);
  CHECK(all.previous_hit(std::nullopt, 0) == kino::kNoSlice);
  CHECK(all.hits_per_bin(std::nullopt, {0, 10}, 2) == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("hits are stepped through in order of time, binned and listed") {
  EventFixture events;
  events.op("hit", 0, 10).op("miss", 20, 10).op("hit", 40, 60).op("hit", 40, 10, "2").op("hit", 200, 0, "3");
  const auto trace = events.build();
  const SearchIndex index(*trace);
  const SearchQuery found = query("hit", index);
  const std::vector<SliceId> all = kino::ordered_hits(*trace, found.hit_set().value(), {}, 100);
  REQUIRE(all.size() == 4);
  CHECK(trace->slices.start_ns[kino::index_of(all[3])] == 200);
  CHECK(found.next_hit(std::nullopt, std::numeric_limits<std::int64_t>::min()) == all[0]);
  CHECK(found.next_hit(std::nullopt, 0, all[0]) == all[1]);
  CHECK(found.next_hit(std::nullopt, 40, all[1]) == all[2]);
  CHECK(found.next_hit(std::nullopt, 200, all[3]) == kino::kNoSlice);
  CHECK(found.previous_hit(std::nullopt, 40, all[2]) == all[1]);
  CHECK(found.previous_hit(std::nullopt, 40, all[1]) == all[0]);
  CHECK(found.previous_hit(std::nullopt, 0, all[0]) == kino::kNoSlice);
  CHECK(found.hits_per_bin(std::nullopt, {0, 100}, 5) == std::vector<std::uint32_t>{1, 0, 2, 1, 1});
  const std::vector<TrackId> none;
  CHECK(found.next_hit(none, 0) == kino::kNoSlice);
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(query("dur>0", index).hit_set(stop.get_token()).ok());
}

TEST_CASE("counts, steps and bins agree with a check of every slice on random traces") {
  std::mt19937 random(71);
  const std::vector<std::string> texts{
      "a",      "n1", "/n[12]$/", "dur>20ns", "n kind:compute", "cat:cpu dur<=30ns", "track:\"stream 1\"",
      "nothing"};
  for (int round = 0; round < 120; ++round) {
    EventFixture events;
    for (int i = 0; i < 80; ++i) {
      const std::string name = (random() % 2 == 0 ? "n" : "an") + std::to_string(random() % 4);
      const auto start = static_cast<std::int64_t>(random() % 150);
      const auto duration = static_cast<std::int64_t>(random() % 50);
      const std::string tid = std::to_string(random() % 3);
      random() % 2 == 0 ? events.op(name, start, duration, tid)
                        : events.kernel(name, start, duration, 0, tid);
    }
    const auto built = events.build();
    const Trace& trace = *built;
    const SearchIndex index(trace);
    const SearchQuery found = query(texts[random() % texts.size()], index);
    std::vector<TrackId> tracks;
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
      if (random() % 3 != 0) tracks.push_back(TrackId{i});
    }
    const TimeRange range{static_cast<std::int64_t>(random() % 100),
                          static_cast<std::int64_t>(100 + random() % 90)};
    const std::uint32_t bins = 1 + static_cast<std::uint32_t>(random() % 40);

    std::uint64_t count = 0;
    std::vector<std::pair<std::int64_t, SliceId>> visible;
    std::vector<std::uint32_t> in_bins(bins, 0);
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      const SliceId id{i};
      if (!found.matches(id)) continue;
      ++count;
      const TrackId track = trace.rows[kino::index_of(trace.row_of(id))].track;
      if (std::find(tracks.begin(), tracks.end(), track) == tracks.end()) continue;
      visible.emplace_back(trace.slices.start_ns[i], id);
    }
    std::sort(visible.begin(), visible.end());
    for (const auto& [start, id] : visible) {
      const std::int64_t end = std::max(start + 1, trace.end_ns(id));
      if (start >= range.end_ns || end <= range.begin_ns) continue;
      if (trace.end_ns(id) <= range.begin_ns && start < range.begin_ns) continue;
      for (std::uint32_t bin = 0; bin < bins; ++bin) {
        const std::int64_t left = kino::bin_edge_ns(range, bins, bin);
        const std::int64_t right = kino::bin_edge_ns(range, bins, bin + 1);
        in_bins[bin] += std::max(start, range.begin_ns) < right && end > left ? 1 : 0;
      }
    }
    REQUIRE(found.hit_set().value().count() == count);
    REQUIRE(found.hits_per_bin(tracks, range, bins) == in_bins);
    SliceId at = found.next_hit(tracks, -1);
    for (const auto& [start, id] : visible) {
      REQUIRE(at == id);
      at = found.next_hit(tracks, start, id);
    }
    REQUIRE(at == kino::kNoSlice);
    at = found.previous_hit(tracks, 1000);
    for (auto it = visible.rbegin(); it != visible.rend(); ++it) {
      REQUIRE(at == it->second);
      at = found.previous_hit(tracks, it->first, it->second);
    }
    REQUIRE(at == kino::kNoSlice);
  }
}

TEST_CASE("other keys are arguments, unless they are ordinary words") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  using Terms = std::vector<kino::ArgumentTerm>;
  const auto terms = [&](std::string_view text) { return query(text, index).argument_terms(); };
  CHECK(terms("correlation:4711") == Terms{{"correlation", "4711"}});
  CHECK(terms("External-id:5 mm") == Terms{{"externalid", "5"}});
  CHECK(terms("arg:Input_Dims=8") == Terms{{"inputdims", "8"}});
  CHECK(terms("args:\"[8, 128]\" stream:7") == Terms{{"", "[8, 128]"}, {"stream", "7"}});
  CHECK(terms("arg:BFloat16") == Terms{{"", "bfloat16"}});
  CHECK(terms("arg:=5") == Terms{{"", "=5"}});
  for (const char* word : {"std::vector", "aten::mm", "module.py:f", "key:", "stream: ", "c:\\x", "http://x",
                           "dur>1us", "name:x", "arg:\"", "\"correlation:4711\"", "5:6"}) {
    CAPTURE(word);
    CHECK(terms(word).empty());
  }
  CHECK_FALSE(SearchQuery::compile("stream:/7/", index).ok());
}

TEST_CASE("with argument terms only slices of the given set are hits") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  SearchQuery asked = query("mm correlation:1", index);
  CHECK(asked.hit_set().value().count() == 0);
  kino::SliceSet set(trace->slice_count());
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    if (!asked.matches_but_arguments(SliceId{i})) continue;
    set.insert(i);
    break;
  }
  REQUIRE(set.count() == 1);
  asked.restrict_to(std::make_shared<const kino::SliceSet>(set));
  CHECK(asked.hit_set().value().count() == 1);
  CHECK(asked.hit_set().value() == set);
  CHECK_FALSE(asked.matches_all());
}

TEST_CASE("the set of hits contains the matching slices, with and without tracks") {
  const auto trace = sample();
  const SearchIndex index(*trace);
  for (const char* text : {"", "mm", "dur>100us", "track:20", "kind:compute", "track:7 gemm", "nothing"}) {
    CAPTURE(text);
    const SearchQuery asked = query(text, index);
    const auto set = asked.hit_set();
    REQUIRE(set.ok());
    for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
      CHECK(set.value().contains(i) == asked.matches(SliceId{i}));
    }
  }
}
