// Covers: slice_commands
#include "app/ui/details/slice_commands.hpp"

#include <string>

#include <doctest/doctest.h>

#include "app/ui/details/details_arguments.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace kino;

namespace {

constexpr const char* kTrace = R"({"traceEvents": [
{"ph":"X","cat":"python_function","name":"train.py(3): main","pid":1,"tid":1,"ts":0,"dur":100,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":50,
 "args":{"Input Dims":[[8192,6144],[6144,16]],"Input type":["float","float"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":40,"dur":30,"args": {"correlation": 7, "stream": 7}}
]})";

EventRef named(const Trace& trace, std::string_view name) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name) return {SliceId{i}, kNoInstant};
  }
  return {};
}

Result<OpenedTrace> opened_trace(const kino_test::TemporaryFolder& folder) {
  LoadProgress progress;
  return open_trace(folder.write("trace.json", kTrace), {}, progress, {});
}

}  // namespace

TEST_CASE("name, arguments and stack of an event are copied as in the file") {
  const kino_test::TemporaryFolder folder;
  const auto opened = opened_trace(folder);
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  const EventDetails& details = *opened.value().details;
  const EventRef kernel = named(trace, "gemm");
  CHECK(copied_text(trace, details, kernel, CopiedPart::name) == "gemm");
  CHECK(copied_text(trace, details, kernel, CopiedPart::arguments) == R"({"correlation": 7, "stream": 7})");
  CHECK(copied_text(trace, details, kernel, CopiedPart::stack) == "train.py(3): main\n");
  const std::string all = copied_text(trace, details, kernel, CopiedPart::everything);
  for (const char* part : {"gemm\n", "compute", R"({"correlation": 7, "stream": 7})", "train.py(3): main"}) {
    CAPTURE(part);
    CHECK(all.find(part) != std::string::npos);
  }
  CHECK(copied_text(trace, details, {}, CopiedPart::everything).empty());
}

TEST_CASE("a kernel has the inputs and the Python stack of its operator") {
  const kino_test::TemporaryFolder folder;
  const auto opened = opened_trace(folder);
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  const EventArguments shown = arguments_of(trace, *opened.value().details, named(trace, "gemm"));
  CHECK(trace.name_of(shown.inputs_of) == "aten::mm");
  REQUIRE(shown.inputs.size() == 2);
  CHECK(shown.inputs[0].dims == "[8192, 6144]");
  CHECK(trace.name_of(shown.stack_of) == "aten::mm");
  REQUIRE(shown.stack.size() == 1);
  CHECK(shown.stack[0].text == "train.py(3): main");
  const EventArguments own = arguments_of(trace, *opened.value().details, named(trace, "aten::mm"));
  CHECK(own.inputs_of == kNoSlice);
  CHECK(own.inputs.size() == 2);
}
