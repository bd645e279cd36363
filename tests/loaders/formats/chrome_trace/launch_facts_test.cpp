// Covers: event_fields, event_facts
// Facts of launch calls and of replayed work: only HIP calls name the kernel that they launch.
#include <string>

#include <doctest/doctest.h>

#include "core/trace/event_facts.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

std::string event(const std::string& category, const std::string& name, int ts, const std::string& args) {
  std::string text = R"({"ph":"X","cat":")";
  text.append(category).append(R"(","name":")").append(name).append(R"(","pid":1,"tid":1,"ts":)");
  text.append(std::to_string(ts)).append(R"(,"dur":1,"args":{)").append(args).append("}}");
  return text;
}

}  // namespace

TEST_CASE("only calls of HIP have the name and grid of the kernel that they launch") {
  const std::string args =
      R"("kind": "x", "kernel": "gemm\"1", "grid": [24, 2, 1], "block": [64, 1, 1], "correlation": 7)";
  std::string text = "[";
  text.append(event("cuda_runtime", "hipLaunchKernel", 1, args)).append(",");
  text.append(event("cuda_runtime", "cudaLaunchKernel", 3, args)).append(",");
  text.append(event("cpu_op", "hip_like", 5, args)).append("]");
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const auto facts = kino::decode_facts(trace);
  const auto facts_of = [&](const char* name) {
    return facts[kino::facts_index(trace, kino::slice_named(trace, name))];
  };
  CHECK(facts_of("hipLaunchKernel").launched_kernel == R"(gemm\"1)");
  CHECK(facts_of("hipLaunchKernel").grid[0] == 24);
  CHECK(facts_of("hipLaunchKernel").block[0] == -1);
  CHECK(facts_of("cudaLaunchKernel").launched_kernel.empty());
  CHECK(facts_of("cudaLaunchKernel").grid[0] == -1);
  CHECK(facts_of("hip_like").launched_kernel.empty());
}

TEST_CASE("kernels have split sizes and graph nodes, and operators do not") {
  const std::string args = R"("In split size": "[4, 8]", "graph node id": 12, "stream": 7, "device": 0)";
  const std::string text =
      "[" + event("kernel", "SendRecv", 1, args) + "," + event("cpu_op", "record_param_comms", 3, args) + "]";
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const auto facts = kino::decode_facts(trace);
  const auto kernel = facts[kino::facts_index(trace, kino::slice_named(trace, "SendRecv"))];
  CHECK(kernel.in_splits == "[4, 8]");
  CHECK(kernel.graph_node == 12);
  const auto op = facts[kino::facts_index(trace, kino::slice_named(trace, "record_param_comms"))];
  CHECK(op.in_splits.empty());
}
