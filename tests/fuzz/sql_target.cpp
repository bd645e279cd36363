// Covers: query_session
// Fuzz target: runs any bytes as SQL on a small trace. No query may crash or exceed its time limit. Error
// sentences must be short.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "loaders/formats/open.hpp"
#include "loaders/query/results/query_text.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

constexpr std::string_view kTrace = R"({"traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 10, "args": {"a": [[2, 3], []]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "launch", "pid": 1, "tid": 1, "ts": 2, "dur": 2, "args": {"correlation": 7}},
  {"ph": "i", "cat": "mark", "name": "here", "pid": 1, "tid": 1, "ts": 3, "s": "t"},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 4, "args": {"correlation": 7}},
  {"ph": "C", "name": "load", "pid": 1, "ts": 4, "args": {"cpu": 0.5}}]})";

std::shared_ptr<const kino::QueryModel> small_model() {
  static const kino_test::MemoryFile file(reinterpret_cast<const std::uint8_t*>(kTrace.data()),
                                          kTrace.size());
  kino::LoadProgress progress;
  kino::OpenOptions options;
  options.threads = 1;
  options.cache.look = false;
  const auto opened = kino::open_trace(file.path(), options, progress, {});
  kino_test::require(opened.ok(), "the small trace does not open");
  return std::make_shared<const kino::QueryModel>(opened.value().trace, opened.value().details, "a");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const kino::QueryModel> model = small_model();
  kino::QueryLimits limits;
  limits.seconds = 0.05;
  limits.memory_bytes = std::uint64_t{32} << 20;
  limits.rows = 100;
  std::size_t printed = 0;
  kino::QueryPrinter printer(kino::QueryFormat::json, [&](std::string_view text) { printed += text.size(); });
  const std::shared_ptr<const kino::QueryModel> files[] = {model};
  const auto end = kino::run_query(files, std::string_view(reinterpret_cast<const char*>(data), size), limits,
                                   printer, {});
  printer.finish();
  kino_test::require(end.ok() || (!end.error().what.str().empty() && end.error().what.str().size() < 1000),
                     "an error has no short sentence");
  return 0;
}
