// Covers: name_stacks, anchor_chains, kernel_sequence, odd_copies
// Stacks in sequences of kernel names: by hand, against brute force on random sequences, and none at all.
#include "core/tables/layers/name_stacks.hpp"

#include <map>
#include <random>
#include <set>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/layers/anchor_chains.hpp"
#include "core/tables/layers/odd_copies.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::LayerFold;
using kino::LayerStack;

/// A kernel per letter, 10 ns each; no launches.
std::shared_ptr<const kino::Trace> kernels_of(const std::string& letters) {
  kino::EventFixture events;
  std::int64_t at = 0;
  for (const char letter : letters) events.kernel(std::string(1, letter), at += 100, 10);
  return events.build();
}

LayerFold folded_by_names(const kino::Trace& trace, kino::NameRung rung = kino::NameRung::name) {
  const kino::Steps steps = kino::find_steps(trace);
  const kino::GpuWork work = kino::gpu_work_in(trace, kino::whole_range(trace));
  return kino::fold_by_names(trace, kino::kernel_sequences(trace, work, steps, false), steps, rung,
                             *kino::default_work_rules());
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::vector<std::uint32_t> copies_by_pass(const LayerStack& stack) {
  std::vector<std::uint32_t> copies(stack.passes.size());
  for (const kino::LayerCopy& copy : stack.copies) ++copies[copy.pass];
  return copies;
}

}  // namespace

TEST_CASE("passes of a body of kernels are one stack, whatever is between them") {
  const auto trace = kernels_of("xy" + repeated("abcde", 4) + "zw" + repeated("abcde", 4) + "v");
  const LayerFold fold = folded_by_names(*trace);
  REQUIRE(fold.stacks.size() == 1);
  const LayerStack& stack = fold.stacks[0];
  CHECK(stack.layers == 4);
  CHECK(stack.body_kernels == 5);
  CHECK(copies_by_pass(stack) == std::vector<std::uint32_t>{4, 4});
  CHECK(stack.odd_copies() == 0);
  CHECK(stack.slack == 0);
  CHECK(stack.work_ns == 8 * 50);
  CHECK(fold.placed_ns == 400);
  CHECK(fold.total_ns == 450);
  CHECK(stack.copies[0].cost.work_ns == 50);
  CHECK(stack.copies[3].layer == 3);
}

TEST_CASE("nothing is folded without kernels, below three copies, or for bodies of few symbols") {
  CHECK(folded_by_names(*kernels_of("a")).stacks.empty());
  CHECK(folded_by_names(*kernels_of("abcdefghij")).stacks.empty());
  CHECK(folded_by_names(*kernels_of("x" + repeated("abcdef", 2) + "y")).stacks.empty());
  CHECK(folded_by_names(*kernels_of(repeated("ab", 20))).stacks.empty());
  CHECK(folded_by_names(*kernels_of(repeated("a", 50))).stacks.empty());
  kino::EventFixture events;
  events.op("aten::add", 0, 10);
  CHECK(folded_by_names(*events.build()).stacks.empty());
}

TEST_CASE("random sequences have no stacks") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    std::string letters;
    for (int i = 0; i < 3000; ++i) letters += static_cast<char>('A' + random() % 30);
    CHECK(folded_by_names(*kernels_of(letters)).stacks.empty());
  }
}

TEST_CASE("a round of passes is no stack of layers") {
  // Four microbatches without steps: the microbatch repeats as well.
  const auto trace = kernels_of(repeated("pq" + repeated("abcdef", 6) + "rst", 4));
  const LayerFold fold = folded_by_names(*trace);
  REQUIRE(fold.stacks.size() == 1);
  CHECK(fold.stacks[0].layers == 6);
  CHECK(fold.stacks[0].passes.size() == 4);
  CHECK_FALSE(fold.rounds.empty());
}

TEST_CASE("loops within layers may have different numbers of iterations") {
  std::string letters;
  for (const int turns : {4, 5, 3, 6, 4, 7}) letters += "abcd" + repeated("xyz", turns) + "e";
  const LayerFold fold = folded_by_names(*kernels_of(letters));
  REQUIRE(fold.stacks.size() == 1);
  CHECK(fold.stacks[0].layers == 6);
  CHECK(fold.stacks[0].odd_copies() == 4);  // two of the six have four iterations
}

TEST_CASE("layers at the ends of a pass that differ are odd copies of it") {
  const auto trace = kernels_of(std::string("m") + "abcdefghkl" + repeated("abcdefghij", 12) + "m");
  const LayerFold fold = folded_by_names(*trace);
  REQUIRE(fold.stacks.size() == 1);
  CHECK(fold.stacks[0].layers == 13);
  CHECK(fold.stacks[0].odd_copies() == 1);
  CHECK(fold.stacks[0].copies[0].odd);
}

TEST_CASE("the copies of a backward pass are numbered from the end") {
  kino::EventFixture events;
  std::int64_t at = 0;
  const auto add = [&](const char* suffix, int layers) {
    for (int layer = 0; layer < layers; ++layer) {
      for (const char* name : {"norm", "qkv", "flash", "proj", "up", "down"})
        events.kernel(std::string(name) + suffix, at += 100, 10 + layer);
    }
  };
  add("", 5);
  events.kernel("loss", at += 100, 3);
  add("_bwd", 5);
  const auto trace = events.build();
  const LayerFold fold = folded_by_names(*trace);
  REQUIRE(fold.stacks.size() == 2);
  const LayerStack& backward = fold.stacks[fold.stacks[0].backward ? 0 : 1];
  CHECK(backward.backward);
  REQUIRE(backward.forward_stack.has_value());
  CHECK(backward.layers_per_copy == 1);
  CHECK(backward.copies[0].layer == 0);
  CHECK(backward.copies[0].cost.work_ns == 6 * 14);  // the last one that ran
}

TEST_CASE("a pass that nodes of the backward graph launch is a backward pass, also in old traces") {
  const auto is_backward = [](const std::string& node) {
    kino::EventFixture events;
    std::uint32_t correlation = 0;
    for (int layer = 0; layer < 5; ++layer) {
      for (const char* name : {"norm", "qkv", "flash", "proj", "up", "down"}) {
        const std::int64_t at = 100 * std::int64_t{++correlation};
        events.op(node, at, 50).launch(at + 10, 5, correlation).kernel(name, at + 20, 60, correlation);
      }
    }
    const auto trace = events.build();
    const LayerFold fold = folded_by_names(*trace);
    return fold.stacks.size() == 1 && fold.stacks[0].backward;
  };
  CHECK(is_backward("ReluBackward1"));
  CHECK(is_backward("CudnnConvolutionBackward"));
  CHECK(is_backward("torch::autograd::AccumulateGrad"));
  CHECK(is_backward("autograd::engine::evaluate_function: MmBackward0"));
  CHECK_FALSE(is_backward("aten::relu"));
  CHECK_FALSE(is_backward("aten::Backward"));
  CHECK_FALSE(is_backward("BackwardHook"));
}

TEST_CASE("a coarser rung joins names that differ in template arguments") {
  kino::EventFixture events;
  std::int64_t at = 0;
  for (int layer = 0; layer < 8; ++layer) {
    for (const char* name : {"norm", "qkv", "flash", "proj", "up"})
      events.kernel(std::string(name) + "<" + std::to_string(layer) + ">", at += 100, 10);
  }
  const auto trace = events.build();
  CHECK(folded_by_names(*trace).stacks.empty());
  const LayerFold fold = folded_by_names(*trace, kino::NameRung::short_name);
  REQUIRE(fold.stacks.size() == 1);
  CHECK(fold.stacks[0].layers == 8);
  CHECK(kino::name_without_details("void gemm<float, 4>(int) 128x64") == "void gemm(int) *x*");
}

TEST_CASE("chains agree with a search over all periods on random periodic sequences") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    // A body of distinct symbols between random ends; the longest periodic run is known.
    const std::uint32_t period = 5 + random() % 12;
    const std::uint32_t copies = 3 + random() % 9;
    std::vector<kino::SymbolUnit> units;
    const auto add = [&](std::uint32_t symbol) {
      units.push_back({symbol, static_cast<std::uint32_t>(units.size())});
    };
    for (std::uint32_t i = random() % 20; i > 0; --i) add(100 + random() % 1000);
    const auto begin = static_cast<std::uint32_t>(units.size());
    for (std::uint32_t i = 0; i < period * copies; ++i) add(i % period);
    const auto end = static_cast<std::uint32_t>(units.size());
    for (std::uint32_t i = random() % 20; i > 0; --i) add(2000 + random() % 1000);
    // Brute force: the longest run with s[i] = s[i + p], for any p.
    std::uint32_t longest = 0;
    std::uint32_t longest_period = 0;
    for (std::uint32_t p = 5; p <= units.size() / 3; ++p) {
      std::uint32_t run = 0;
      for (std::uint32_t i = 0; i + p < units.size(); ++i) {
        run = units[i].symbol == units[i + p].symbol ? run + 1 : 0;
        if (run > longest) {
          longest = run;
          longest_period = p;
        }
      }
    }
    REQUIRE(longest_period == period);
    const kino::SegmentSums sums(units);
    kino::AnchorSearch search(units, sums);
    std::vector<kino::AnchorChain> chains;
    search.find(1, chains);
    REQUIRE(chains.size() == period);
    for (const kino::AnchorChain& chain : chains) {
      CHECK(chain.period == period);
      CHECK(chain.copies == copies);
      CHECK(chain.first == begin);
      CHECK(chain.end == end);
      CHECK(chain.type == chains[0].type);
      const std::vector<std::uint32_t> starts = search.starts(chain);
      for (std::uint32_t i = 0; i <= copies; ++i) CHECK(starts[i] == begin + i * period);
    }
  }
}

TEST_CASE("sums of segments are equal exactly for equal segments, on random sequences") {
  std::mt19937 random(9);
  std::vector<kino::SymbolUnit> units;
  for (std::uint32_t i = 0; i < 300; ++i) units.push_back({static_cast<std::uint32_t>(random() % 2), i});
  const kino::SegmentSums sums(units);
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t length = 1 + random() % 12;
    const std::uint32_t a = random() % (300 - length);
    const std::uint32_t b = random() % (300 - length);
    bool equal = true;
    std::int64_t ones = 0;
    for (std::uint32_t k = 0; k < length; ++k) {
      equal = equal && units[a + k].symbol == units[b + k].symbol;
      ones += std::int64_t{units[a + k].symbol} - units[b + k].symbol;
    }
    CHECK((sums.sequence(a, a + length) == sums.sequence(b, b + length)) == equal);
    CHECK((sums.multiset(a, a + length) == sums.multiset(b, b + length)) == (ones == 0));
  }
}

TEST_CASE("a body counter counts common and foreign units as multisets do, on random sequences") {
  std::mt19937 random(13);
  std::vector<kino::SymbolUnit> units;
  for (std::uint32_t i = 0; i < 400; ++i)
    units.push_back(
        {random() % 20 == 0 ? kino::kFirstSeparator + i : static_cast<std::uint32_t>(random() % 9), i});
  const std::span<const kino::SymbolUnit> all(units);
  kino::BodyCounter counter;
  for (int i = 0; i < 3000; ++i) {
    const auto body = all.subspan(random() % 380, random() % 20);
    const auto segment = all.subspan(random() % 380, random() % 20);
    std::multiset<std::uint32_t> left;
    for (const kino::SymbolUnit& unit : body) {
      if (unit.symbol < kino::kFirstSeparator) left.insert(unit.symbol);
    }
    kino::SegmentOverlap wanted;
    for (const kino::SymbolUnit& unit : segment) {
      const auto found = left.find(unit.symbol);
      ++(found == left.end() ? wanted.foreign : wanted.common);
      if (found != left.end()) left.erase(found);
    }
    counter.set(body);
    for (int again = 0; again < 2; ++again) {
      const kino::SegmentOverlap overlap = counter.compare(segment);
      CHECK(overlap.common == wanted.common);
      CHECK(overlap.foreign == wanted.foreign);
    }
  }
}

TEST_CASE("chains of longer grams are found among all their occurrences, and none contains a separator") {
  // Each symbol occurs twice in the body with different neighbors, so only grams have the body's period.
  std::vector<kino::SymbolUnit> units;
  const auto add = [&](std::uint32_t symbol) {
    units.push_back({symbol, static_cast<std::uint32_t>(units.size())});
  };
  for (int part = 0; part < 2; ++part) {
    for (int copy = 0; copy < 6; ++copy) {
      for (const std::uint32_t symbol : {1U, 2U, 3U, 1U, 3U, 2U}) add(symbol);
    }
    add(kino::kFirstSeparator + static_cast<std::uint32_t>(part));
  }
  const kino::SegmentSums sums(units);
  for (const std::uint32_t length : {2U, 4U}) {
    kino::AnchorSearch search(units, sums);
    std::vector<kino::AnchorChain> chains;
    search.find(length, chains);
    std::size_t whole = 0;
    for (const kino::AnchorChain& chain : chains) {
      for (std::uint32_t i = chain.first; i < chain.end; ++i) CHECK(units[i].symbol < kino::kFirstSeparator);
      if (chain.period == 6 && chain.copies == 6) ++whole;
    }
    // Grams that cross the end of a body occur once less on each side of the separator.
    CHECK(whole == 2 * (7 - length));
  }
}
