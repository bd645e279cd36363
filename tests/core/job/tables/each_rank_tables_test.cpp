// Covers: each_rank_tables
// Tables of a trace over all ranks of a job.
#include "core/job/tables/each_rank_tables.hpp"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/messages/message.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace msg = kino::msg;
using kino::RankDigest;
using kino::Table;
using kino_test::integer;
using kino_test::text;

namespace {

std::shared_ptr<const kino::Trace> trace_with(std::int64_t gemm_ns) {
  return kino::EventFixture()
      .launch(20, 10, 1)
      .kernel("gemm", 50, gemm_ns, 1)
      .launch(150, 10, 2)
      .kernel("ncclDevKernel_AllReduce_Sum", 600, 100, 2, "20")
      .build();
}

Table joined(const kino::JobAnalysis& job, const char* name) {
  kino::TableRequest request;
  request.name = name;
  return kino::job_table({job, {}}, request).value();
}

}  // namespace

TEST_CASE("the table of all ranks has the rows of each rank's trace, linked to the rank") {
  std::vector<RankDigest> digests;
  std::vector<std::shared_ptr<const kino::Trace>> traces;
  for (const std::int64_t rank : {0, 1, 2}) {
    traces.push_back(trace_with(200 + 100 * rank));
    digests.push_back(kino::digest_with_tables(*traces.back(), kino::default_work_rules(),
                                               kino::RankDetails::ledger_and_layers));
    digests.back().rank = rank;
    digests.back().world_size = 3;
  }
  digests[1].tables.clear();  // such as a digest of an older version
  const kino::JobAnalysis job = kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  for (const kino::TableInfo* const kind : kino::each_rank_table_kinds()) {
    CAPTURE(kind->name);
    const Table table = joined(job, std::string(kind->name).c_str());
    std::uint32_t row = 0;
    for (const std::size_t rank : {0U, 2U}) {
      kino::TableRequest request;
      request.name = kind->name;
      const Table alone = kino::compute_table(kino::RangeAnalyses(*traces[rank]), request).value();
      for (std::uint32_t i = 0; i < alone.row_count(); ++i, ++row) {
        CHECK(integer(table, "rank", row) == static_cast<std::int64_t>(rank));
        REQUIRE(table.links_of(row).size() == 1);
        CHECK(table.links_of(row)[0].recording() == rank);
        for (const kino::TableColumn& column : alone.columns) {
          if (column.is_text())
            CHECK(text(table, column.key.c_str(), row) == text(alone, column.key.c_str(), i));
          if (std::holds_alternative<kino::TableColumn::Integers>(column.values))
            CHECK(integer(table, column.key.c_str(), row) == integer(alone, column.key.c_str(), i));
        }
      }
    }
    CHECK(table.row_count() == row);
  }
  const Table categories = joined(job, "categories");
  REQUIRE(categories.row_count() == 4);
  CHECK(integer(categories, "total_ns", 0) + integer(categories, "total_ns", 1) == 300);
  CHECK(integer(categories, "total_ns", 2) + integer(categories, "total_ns", 3) == 500);
}

TEST_CASE("leaves cells empty for ranks whose tables lack a column") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (int rank : {0, 1}) {
    Table& table = digests[static_cast<std::size_t>(rank)].tables.emplace_back();
    table.name = "idle";
    table.add_integers("idle_ns", "Idle", kino::Unit::ns, "") = {5 + rank};
    if (rank == 1) table.add_texts("why", "Why", "") = {"host"};
    const std::string number = std::to_string(rank);
    table.notes = {"Of all.",
                   "Of " + number + ".",
                   {msg::of_pieces_of_gpu_work_have, std::to_string(999 + rank), "1 245"},
                   {msg::rows_in_both, "3", "4", "rank", number}};
  }
  const Table table = joined(kino_test::analysis_of(std::move(digests)), "idle");
  REQUIRE(table.row_count() == 2);
  CHECK(integer(table, "idle_ns", 1) == 6);
  CHECK(text(table, "why", 0).empty());
  CHECK(text(table, "why", 1) == "host");
  CHECK(kino::english_texts(table.notes) ==
        std::vector<std::string>{"Of all.",
                                 "The launches of 1 999 of 2 490 pieces of GPU work are in the trace."});
}

TEST_CASE("texts in tables of ranks are translated in the table of all ranks") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
  for (std::size_t rank : {0U, 1U, 2U}) {
    Table& table = digests[rank].tables.emplace_back();
    table.name = "idle";
    table.add_integers("idle_ns", "Idle", kino::Unit::ns, "") = {5};
    if (rank == 0) continue;
    table.add_texts("why", "Why", "");
    table.columns.back().add_word(rank == 1 ? msg::idle : msg::compute);
  }
  const Table table = joined(kino_test::analysis_of(std::move(digests)), "idle");
  const kino::TableColumn& why = *table.find("why");
  REQUIRE(why.words.size() == 3);
  CHECK(why.words[0].empty());
  CHECK(why.words[1].id() == msg::idle);
  CHECK(why.words[2].id() == msg::compute);
  CHECK(text(table, "why", 2) == "Compute");
}

TEST_CASE("the memory table of a job has every rank, from its snapshot or trace, with the measure") {
  const auto job_with = [](bool both) {
    std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
    for (kino_test::MadeRank& digest : digests) {
      if (digest.rank == 2 && !both) continue;
      digest.memory.peak_bytes = 1000 + digest.rank;
      digest.memory.curve = {{digest.first_ns, digest.memory.peak_bytes}};
      kino::MemoryDevice device;
      device.peak_bytes = digest.memory.peak_bytes;
      digest.tables.push_back(kino::memory_device_table({device}));
    }
    kino::Job job = kino_test::job_of(std::move(digests));
    kino::RankSnapshot snapshot;
    snapshot.memory.peak_bytes = 900;
    snapshot.memory.curve = {{kino_test::kJobOrigin + 70, 900}};
    kino::MemoryDevice& device = snapshot.devices.emplace_back();
    device.device = 5;
    device.peak_bytes = 900;
    device.peak_time_ns = kino_test::kJobOrigin + 70;
    device.allocations = 4;
    for (const std::int64_t rank : {0, 1, 2}) {
      if (rank == 2 || both) job.snapshots[rank] = std::make_shared<const kino::RankSnapshot>(snapshot);
    }
    return kino::analyze_job(job);
  };
  // Two ranks with traces and one with a snapshot.
  const kino::JobAnalysis mixed = job_with(false);
  CHECK(mixed.memory_measure == kino::MemoryMeasure::allocated);
  const Table table = joined(mixed, "memory");
  REQUIRE(table.row_count() == 3);
  CHECK(integer(table, "peak_bytes", 0) == 1000);
  CHECK(text(table, "memory_measure", 0) == "allocated");
  CHECK(integer(table, "rank", 2) == 2);
  CHECK(integer(table, "peak_bytes", 2) == 900);
  CHECK(integer(table, "peak_time_ns", 2) == 70);
  CHECK(integer(table, "allocations", 2) == 4);
  CHECK(text(table, "device", 2) == "GPU 5");
  CHECK(text(table, "memory_measure", 2) == "requested");
  const Table ranks = joined(mixed, "ranks");
  CHECK(ranks.find("peak_bytes")->title == "Peak allocated");
  CHECK(integer(ranks, "peak_bytes", 2) == 900);
  CHECK(text(ranks, "memory_measure", 2) == "requested");

  // If every rank has both, the snapshots' values are shown, as on their own pages.
  const kino::JobAnalysis both = job_with(true);
  CHECK(both.memory_measure == kino::MemoryMeasure::requested);
  const Table all = joined(both, "memory");
  REQUIRE(all.row_count() == 3);
  for (std::uint32_t row = 0; row < 3; ++row) {
    CHECK(integer(all, "rank", row) == row);
    CHECK(integer(all, "peak_bytes", row) == 900);
    CHECK(text(all, "memory_measure", row) == "requested");
  }
  CHECK(joined(both, "ranks").find("peak_bytes")->title == "Peak requested");
}
