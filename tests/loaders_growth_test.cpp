// What hostile files need grows no faster than they do: memory is counted, at two sizes.
#include <functional>
#include <string>

#include "counted_memory.hpp"
#include "loader_files.hpp"
#include <doctest/doctest.h>

#include "core/gpu_breakdown.hpp"
#include "core/gpu_metrics.hpp"
#include "core/module_tree.hpp"
#include "core/range_analysis.hpp"

namespace {

/// "[" + event(0) + "," + ... + "]".
std::string events(int count, const std::function<std::string(int)>& event) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\n" : "") + event(i);
  return text + "]";
}

std::string slice(const std::string& category, const std::string& name, const std::string& pid,
                  const std::string& tid, int start, int duration) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" + pid + R"(,"tid":)" +
         tid + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration) +
         R"(,"args":{"stream":7}})";
}

struct Kind {
  const char* name;
  std::function<std::string(int)> file;
  std::size_t most_bytes_each;  // measured, and a third more
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"series of one counter event",
       [](int n) {
         std::string text = R"([{"ph":"C","name":"c","pid":1,"ts":1,"args":{)";
         for (int i = 0; i < n; ++i) text += (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + "\":1";
         return text + "}}]";
       },
       700},
      {"threads",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "a", "1", std::to_string(i), i, 1); });
       },
       800},
      {"GPUs",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k", std::to_string(i), "7", i, 1); });
       },
       2500},
      {"nested modules",
       [](int n) {
         return events(n, [n](int i) {
           return slice("python_function", "nn.Module: L_" + std::to_string(i), "1", "1", i, 2 * (n - i));
         });
       },
       3500}};
  return all;
}

/// Opens it and asks for what grew as a square of it.
void use(const std::filesystem::path& path) {
  const auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const kino::RangeAnalysis analysis(trace, kino::whole_range(trace));
  const kino::Table modules = kino::module_table(analysis.modules());
  const kino::Table breakdown = kino::breakdown_table(trace, analysis.breakdown());
  const kino::Table metrics = kino::gpu_metrics_table(trace, analysis.metrics(), analysis.base());
  CHECK(modules.columns.size() + breakdown.columns.size() + metrics.columns.size() > 10);
}

}  // namespace

TEST_CASE("what a file of many tracks, GPUs or nested modules needs is in proportion to its events") {
  const kino_test::TemporaryFolder folder;
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    constexpr int kFew = 2000;
    constexpr int kMany = 10000;
    const auto few = folder.write("few.json", kind.file(kFew));
    const auto many = folder.write("many.json", kind.file(kMany));
    use(few);  // what stays for ever
    const std::int64_t least = kino_test::peak_bytes_of([&] { use(few); });
    const std::int64_t most = kino_test::peak_bytes_of([&] { use(many); });
    const std::int64_t each = (most - least) / (kMany - kFew);
    MESSAGE(kind.name, ": ", each, " bytes each");
    CHECK(each > 0);
    CHECK(each <= static_cast<std::int64_t>(kind.most_bytes_each));
  }
}
