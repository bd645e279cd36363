// Covers: operator_tree_part
// A part of the whole trace's tree equals the tree of the range, whatever is at the edges.
#include <algorithm>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/range_tables.hpp"

namespace {

using kino::EventFixture;
using kino::OperatorTreePart;
using kino::RangeAnalyses;
using kino::RangeAnalysis;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

/// Optional content of a random trace, besides nested operators.
struct OddJob {
  bool frames = false;                // Python frames, including modules
  bool hierarchy = false;             // of modules, recorded at operators
  bool foreign_external_ids = false;  // External ids of any operator
  bool points = false;                // slices of zero length
  bool hostile = false;               // durations that do not add up in 64 bits
  bool overlapping = false;           // slices that do not nest
};

/// Nested operators of few names on three threads, with everything that refers to them. Times are small, so
/// many slices begin or end at the same time.
class OddTrace {
 public:
  OddTrace(unsigned seed, OddJob job) : random_(seed), job_(job) {}

  std::shared_ptr<const Trace> build() {
    for (const char* tid : {"1", "2", "3"}) {
      for (std::int64_t begin = 0; begin < kLength;) {
        const std::int64_t length = 1 + below(kLength / 2);
        nest(tid, begin, std::min(kLength, begin + length), 0);
        begin += length + below(4);
      }
    }
    if (job_.hostile) {
      for (const char* tid : {"1", "4"})
        events_.op("outer", kLength + 10, std::numeric_limits<std::int64_t>::max() / 3, tid);
    }
    for (int i = 0; i < 12; ++i) events_.memory(below(kLength), below(200) - 100, 1, pick({"1", "2"}));
    return events_.build();
  }

 private:
  static constexpr std::int64_t kLength = 120;

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  bool once_in(std::int64_t count) { return below(count) == 0; }
  std::string pick(std::vector<std::string> choices) {
    return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(choices.size())))];
  }

  void nest(const std::string& tid, std::int64_t begin, std::int64_t end, int depth) {
    add(tid, begin, end, depth);
    if (depth > 7) return;
    for (std::int64_t at = begin + below(3); at < end;) {
      const std::int64_t length = job_.points && once_in(6) ? 0 : 1 + below(end - at);
      nest(tid, at, at + length, depth + 1);
      at += length + below(6);
    }
    if (job_.points && once_in(3)) nest(tid, end, end, depth + 1);
    if (job_.overlapping && once_in(8)) add(tid, begin + (end - begin) / 2, end + 1 + below(9), depth);
  }

  void add(const std::string& tid, std::int64_t begin, std::int64_t end, int depth) {
    const std::int64_t length = end - begin;
    const std::int64_t kind = below(10);
    if (depth > 0 && kind == 0) return launch(tid, begin, length);
    if (job_.frames && kind < 4) {
      const std::string name = pick({"nn.Module: A", "nn.Module: B", "nn.Module: C", "f.py(1): f"});
      events_.slice(TrackClass::cpu, "python_function", name, begin, length, tid);
      return;
    }
    if (kind == 4) {
      const std::string name = pick({"mine", "outer", "ProfilerStep#7"});
      events_.slice(TrackClass::cpu, "user_annotation", name, begin, length, tid);
      return;
    }
    const bool backward = tid == "2" && once_in(3);
    events_.op(backward ? "autograd::engine::evaluate_function: F"
                        : pick({"outer", "outer", "aten::mm", "aten::mm", "aten::is_leaf", "Optimizer.step"}),
               begin, length, tid);
    if (once_in(2))
      events_.numbered(static_cast<std::uint32_t>(below(6)), static_cast<std::uint16_t>(tid == "2" ? 1 : 0));
    if (once_in(2)) {
      std::vector<std::pair<char, std::string>> facts{{'I', pick({"[[2, 3], [3, 4]]", "[[5, 3], [3, 4]]"})}};
      if (job_.hierarchy) facts.emplace_back('M', pick({"TOP(Net).a(A)", "TOP(Net).a(A).b(B)", "TOP(Net)"}));
      if (once_in(2)) facts.emplace_back('S', pick({"a.py(1): a;b.py(2): b", "c.py(3): c"}));
      events_.told(facts);
    }
    events_.external(++last_operator_);
  }

  void launch(const std::string& tid, std::int64_t begin, std::int64_t length) {
    const auto external = static_cast<std::uint32_t>(1 + below(60));
    events_.slice(TrackClass::cpu, "cuda_runtime", pick({"cudaLaunchKernel", "cudaLaunchKernel", "outer"}),
                  begin, length, tid, ++last_launch_);
    if (job_.foreign_external_ids && once_in(2)) events_.external(external);
    const std::int64_t works = below(3);
    for (std::int64_t i = 0; i < works; ++i) {
      events_.kernel(pick({"gemm", "copy"}), gpu_now_, below(20), last_launch_, pick({"7", "8"}));
      if (job_.foreign_external_ids && once_in(2)) events_.external(external);
      gpu_now_ += below(25);
    }
  }

  std::mt19937 random_;
  OddJob job_;
  EventFixture events_;
  std::uint32_t last_operator_ = 0;
  std::uint32_t last_launch_ = 0;
  std::int64_t gpu_now_ = 5;
};

/// Checks random ranges, whose edges are those of slices in half of the cases.
void check_ranges(const Trace& trace, unsigned seed, int count) {
  std::mt19937 random(seed);
  const RangeAnalyses analyses(trace);
  const auto time = [&] {
    if (random() % 2 != 0 || trace.slice_count() == 0) return static_cast<std::int64_t>(random() % 140) - 10;
    const kino::SliceId slice{static_cast<std::uint32_t>(random() % trace.slice_count())};
    return random() % 2 == 0 ? trace.start_ns(slice) : trace.end_ns(slice);
  };
  kino_test::check_range_tables(*analyses.of(kino::whole_range(trace)));
  for (int i = 0; i < count; ++i) {
    const auto [begin, end] = std::minmax({time(), time()});
    kino_test::check_range_tables(*analyses.of({begin, end}));
  }
}

}  // namespace

TEST_CASE("tables of any range of any trace equal those of the range alone" * doctest::test_suite("serial")) {
  for (unsigned seed = 0; seed < 64; ++seed) {
    CAPTURE(seed);
    OddJob job;
    job.frames = (seed & 1U) != 0;
    job.hierarchy = (seed & 2U) != 0;
    job.foreign_external_ids = (seed & 4U) != 0;
    job.points = (seed & 8U) != 0;
    job.overlapping = (seed & 16U) != 0;
    job.hostile = seed % 16 == 5;
    check_ranges(*OddTrace(seed, job).build(), seed, 12);
  }
}

TEST_CASE("a range that leaves an operator one child of its name merges it") {
  const auto trace = EventFixture()
                         .op("aten::to", 0, 100)
                         .op("aten::to", 10, 20)
                         .launch(15, 5, 1)
                         .op("aten::copy", 50, 20)
                         .kernel("copy", 200, 30, 1)
                         .build();
  const RangeAnalyses analyses(*trace);
  const auto rows_in = [&](TimeRange range) { return analyses.of(range)->operators(); };
  CHECK(rows_in(kino::whole_range(*trace)).front().calls == 2);
  const auto rows = rows_in({0, 40});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calls == 1);
  CHECK(rows[0].host_ns == 40);
  CHECK(rows[0].host_self_ns == 35);  // without the call that was the child's
  CHECK(rows[0].device_ns == 30);
  CHECK(rows[0].device_self_ns == 30);
}

TEST_CASE("an indivisible tree is built again, with the indices of the whole tree") {
  EventFixture events;
  events.op("before", 0, 10).op("aten::mm", 20, 100, "2").external(5).launch(30, 10, 1, "1").external(5);
  const auto trace = events.build();
  const RangeAnalyses analyses(*trace);
  const auto analysis = analyses.of({15, 40});
  // The call belongs to the other thread: it may overlap the calls of its operator.
  CHECK(analysis->tree().was_rebuilt());
  CHECK(analysis->key_tree().was_rebuilt());
  const auto simple = EventFixture().op("aten::mm", 20, 100).launch(30, 10, 1).build();
  const RangeAnalyses of_simple(*simple);
  CHECK_FALSE(of_simple.of({15, 40})->tree().was_rebuilt());
  const OperatorTreePart& whole = analyses.of(kino::whole_range(*trace))->key_tree();
  const kino::SliceId mm = kino::slice_named(*trace, "aten::mm");
  REQUIRE(analysis->key_tree().find(mm).has_value());
  CHECK(analysis->key_tree().find(mm) == whole.find(mm));
  CHECK_FALSE(analysis->key_tree().find(kino::slice_named(*trace, "before")).has_value());
}
