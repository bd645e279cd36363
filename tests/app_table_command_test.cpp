// `kinetoscope table`: the keys that programs rely on, orders and limits, and text that cannot steer a
// terminal.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/table_command.hpp"
#include "tests/event_fixture.hpp"

namespace {

using Json = nlohmann::json;
using kino::EventFixture;
using kino::TableRequest;

std::shared_ptr<const kino::Trace> table_trace() {
  return EventFixture()
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000, "1")
      .op("aten::mm", 10, 100)
      .launch(20, 10, 1)
      .kernel("gemm\x1b[31m|red", 50, 200, 1)
      .launch(150, 10, 2)
      .kernel("ncclDevKernel_AllReduce_Sum", 300, 100, 2, "20")
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 500, 50, "7")
      .build();
}

TableRequest request_of(std::string name) {
  TableRequest request;
  request.name = std::move(name);
  request.format = kino::TableFormat::json;
  return request;
}

Json json_of(const kino::Trace& trace, const TableRequest& request) {
  const auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
  REQUIRE(table.ok());
  const auto rows = kino::chosen_rows(table.value(), request);
  REQUIRE(rows.ok());
  return Json::parse(kino::table_json(table.value(), rows.value()));
}

}  // namespace

TEST_CASE("JSON rows have the keys that programs rely on") {
  const auto trace = table_trace();
  const std::pair<const char*, std::vector<const char*>> promised[] = {
      {"kernels", {"name", "kind", "calls", "total_ns", "mean_ns", "min_ns", "max_ns"}},
      {"operators", {"name", "calls", "host_total_ns", "host_self_ns", "device_total_ns", "device_self_ns"}},
      {"breakdown",
       {"kernel_time_ns", "idle_ns", "compute_ns", "non_compute_ns", "communication_ns", "overlap_ns"}},
      {"idle", {"stream", "host_wait_ns", "kernel_wait_ns", "other_ns"}},
      {"steps", {"name", "total_ns", "compute_ns", "communication_ns", "cpu_ns", "idle_ns"}}};
  for (const auto& [name, keys] : promised) {
    CAPTURE(name);
    const Json rows = json_of(*trace, request_of(name));
    REQUIRE(rows.is_array());
    REQUIRE_FALSE(rows.empty());
    for (const char* key : keys) CHECK(rows[0].contains(key));
  }
  const Json kernels = json_of(*trace, request_of("kernels"));
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0]["kind"] == "computation");
  CHECK(kernels[1]["kind"] == "communication");
  CHECK(kernels[2]["kind"] == "memory");
  CHECK(kernels[0]["total_ns"] == 200);
}

TEST_CASE("every table of every trace can be had in every format") {
  const auto empty = EventFixture().build();
  const auto trace = table_trace();
  for (const kino::TableKind& kind : kino::table_kinds()) {
    CAPTURE(std::string(kind.name));
    for (const auto& it : {empty, trace}) {
      TableRequest request = request_of(std::string(kind.name));
      for (std::size_t group = 0; group <= kind.groups.size(); ++group) {
        if (group > 0) request.group = kind.groups[group - 1];
        const auto table = kino::compute_table(kino::RangeAnalyses(*it), request);
        REQUIRE(table.ok());
        CHECK(table.value().name == kind.name);
        const auto rows = kino::chosen_rows(table.value(), request);
        REQUIRE(rows.ok());
        for (const kino::TableColumn& column : table.value().columns) {
          CHECK(column.size() == table.value().row_count());
          CHECK_FALSE(column.definition.empty());
        }
        const std::size_t examples = table.value().examples.size();
        CHECK((examples == 0 || examples == table.value().row_count()));
        CHECK(Json::parse(kino::table_json(table.value(), rows.value())).size() == rows.value().size());
        for (const std::string& text :
             {kino::table_text(table.value(), rows.value()), kino::table_csv(table.value(), rows.value()),
              kino::table_markdown(table.value(), rows.value())}) {
          CHECK_FALSE(text.empty());
          CHECK(text.find('\x1b') == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("rows are sorted, limited, and restricted to a range or step") {
  const auto trace = table_trace();
  TableRequest request = request_of("kernels");
  request.sort = {"total_ns:asc"};
  request.limit = 1;
  const Json shortest = json_of(*trace, request);
  REQUIRE(shortest.size() == 1);
  CHECK(shortest[0]["total_ns"] == 50);
  request = request_of("kernels");
  request.range = kino::TimeRange{100, 320};
  const Json part = json_of(*trace, request);
  REQUIRE(part.size() == 2);
  CHECK(part[0]["total_ns"] == 150);
  CHECK(part[1]["total_ns"] == 20);
  request = request_of("kernels");
  request.step = 7;
  CHECK(json_of(*trace, request).size() == 3);
}

TEST_CASE("what is not there is said in one sentence") {
  const auto trace = table_trace();
  TableRequest request = request_of("kernels");
  request.step = 8;
  CHECK(kino::compute_table(kino::RangeAnalyses(*trace), request).error().what ==
        "There is no step 8 in this trace, only 7");
  request = request_of("nothing");
  CHECK_FALSE(kino::compute_table(kino::RangeAnalyses(*trace), request).ok());
  request = request_of("idle");
  request.group = "name";
  CHECK_FALSE(kino::compute_table(kino::RangeAnalyses(*trace), request).ok());
  request = request_of("kernels");
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  request.sort = {"nothing"};
  CHECK_FALSE(kino::chosen_rows(table.value(), request).ok());
  request.sort = {"calls:sideways"};
  CHECK_FALSE(kino::chosen_rows(table.value(), request).ok());
}

TEST_CASE("Markdown keeps its columns whatever a name holds") {
  const auto trace = table_trace();
  const TableRequest request = request_of("kernels");
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  const auto rows = kino::chosen_rows(table.value(), request);
  REQUIRE(rows.ok());
  CHECK(kino::table_markdown(table.value(), rows.value()).find("[31m\\|red |") != std::string::npos);
}
