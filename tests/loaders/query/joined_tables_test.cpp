// Covers: joined_tables
// Joined tables have the figures of the program's tables.
#include "loaders/query/joined_tables.hpp"

#include <string_view>

#include <doctest/doctest.h>

#include "tests/fixtures/query_fixture.hpp"

TEST_CASE("unknown figures of steps are NULL, as they are empty in the table of steps") {
  const std::string_view joined =
      "SELECT number, dur, gpu_work, compute, runtime, data_loading, idle FROM step";
  const std::string_view printed =
      "SELECT NULL, total_ns, gpu_work, compute_ns, runtime_ns, data_loading_ns, idle_ns FROM table_steps";
  const kino_test::TemporaryFolder launched_folder;
  const auto launched = kino_test::query_model_of(launched_folder, R"({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 10},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 2, "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 4, "args": {"correlation": 7, "stream": 7, "device": 0}}]})");
  REQUIRE(launched != nullptr);
  CHECK(kino_test::asked({launched}, joined) == "NULL|4000|1|4000|0|0|0");
  CHECK(kino_test::asked({launched}, printed) == "NULL|4000|1|4000|0|0|0");

  const kino_test::TemporaryFolder gpu_folder;
  const auto gpu = kino_test::query_model_of(gpu_folder, R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 4, "args": {"stream": 7, "device": 0}}]})");
  REQUIRE(gpu != nullptr);
  CHECK(kino_test::asked({gpu}, joined) == "NULL|4000|NULL|4000|NULL|NULL|NULL");
  CHECK(kino_test::asked({gpu}, printed) == "NULL|4000|NULL|4000|NULL|NULL|NULL");

  const kino_test::TemporaryFolder plain_folder;
  const auto plain = kino_test::query_model_of(plain_folder, R"({"traceEvents": [
    {"ph": "X", "cat": "build", "name": "link", "pid": 1, "tid": 1, "ts": 20, "dur": 4}]})");
  REQUIRE(plain != nullptr);
  CHECK(kino_test::asked({plain}, "SELECT COUNT(*) FROM step") == "0");
  CHECK(kino_test::asked({plain}, "SELECT COUNT(*) FROM table_steps") == "0");
}
