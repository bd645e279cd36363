// Covers: job_layer_table
// Layers of hand-made ranks, from the tables that their digests store.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/messages/message.hpp"
#include "core/job/tables/job_tables.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

using kino::Table;
using kino_test::integer;
using kino_test::number;
using kino_test::text;

namespace {

/// Gives a rank one stack with these times of its layers, summed over two passes.
void give_layers(kino_test::MadeRank& digest, const std::vector<std::int64_t>& forward_ns,
                 const std::string& name = "layers.") {
  Table& table = digest.tables.emplace_back();
  table.name = "layers";
  auto& stack = table.add_integers("stack", "", kino::Unit::id, "");
  auto& layer = table.add_integers("layer", "", kino::Unit::id, "");
  auto& module = table.add_texts("module", "", "");
  auto& effect = table.add_numbers("effect", "", kino::Unit::share, "");
  auto& forward = table.add_integers("forward_ns", "", kino::Unit::ns, "");
  auto& odd = table.add_integers("odd", "", kino::Unit::count, "");
  auto& passes = table.add_integers("passes", "", kino::Unit::count, "");
  for (std::size_t i = 0; i < forward_ns.size(); ++i) {
    stack.push_back(0);
    layer.push_back(static_cast<std::int64_t>(i));
    module.push_back(name + std::to_string(i));
    effect.push_back(static_cast<double>(forward_ns[i]) / 2000);
    forward.push_back(forward_ns[i]);
    odd.push_back(0);
    passes.push_back(2);
  }
}

Table layers_of(std::vector<kino_test::MadeRank> digests) {
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  kino::TableRequest request;
  request.name = "layers";
  return kino::job_table({job, {}}, request).value();
}

}  // namespace

TEST_CASE("a layer's row has its sums, its slowest rank and the excess over the median rank") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2, 3}, 4);
  for (kino_test::MadeRank& digest : digests) {
    std::vector<std::int64_t> times{2000, 2000, 2000, 2000, 2000};
    if (digest.rank == 2) times[3] = 4000;
    give_layers(digest, times);
  }
  const Table table = layers_of(std::move(digests));
  REQUIRE(table.row_count() == 5);
  CHECK(integer(table, "layer", 3) == 3);
  CHECK(text(table, "module", 3) == "layers.3");
  CHECK(integer(table, "ranks", 3) == 4);
  CHECK(number(table, "effect", 3) == 1);
  CHECK(integer(table, "median_ns", 3) == 1000);
  CHECK(integer(table, "slowest_rank", 3) == 2);
  CHECK(integer(table, "excess_ns", 3) == 1000);
  CHECK(integer(table, "forward_ns", 3) == 10000);
  CHECK(integer(table, "backward_ns", 3) == kino::kNoInteger);
  CHECK(table.links_of(3)[0].recording() == 2);
  CHECK(kino::english_texts(table.notes) ==
        std::vector<std::string>{"Layer 3 of stack 0 is slower on rank 2 than on most ranks."});
}

TEST_CASE("ranks with other layers are in other rows, and few ranks are not judged") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
  give_layers(digests[0], {2000, 2000, 2000, 2000});
  give_layers(digests[1], {2000, 2000, 2000, 9000});
  give_layers(digests[2], {2000, 2000, 2000}, "blocks.");
  const Table table = layers_of(std::move(digests));
  REQUIRE(table.row_count() == 7);
  CHECK(integer(table, "ranks", 0) == 2);
  CHECK(integer(table, "stack", 4) == 1);
  CHECK(integer(table, "ranks", 4) == 1);
  CHECK(text(table, "module", 4) == "blocks.0");
  CHECK(table.notes.empty());
}
