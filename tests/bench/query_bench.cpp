#include "tests/bench/query_bench.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/formats/open.hpp"
#include "loaders/query/query_session.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

double thread_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct RequestedPage {
  const char* what;
  const char* sql;
  double goal_ms;  // 0: none
};
constexpr RequestedPage kAsked[] = {
    {"count", "SELECT COUNT(*) FROM slice", 100},
    {"sum of dur", "SELECT SUM(dur) FROM slice", 0},
    {"group by name", "SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name", 500},
    {"group by category, name", "SELECT category, name, COUNT(*) FROM slice GROUP BY category, name", 0},
    {"the ten that take most",
     "SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name ORDER BY 3 DESC LIMIT 10", 500},
    {"name like", "SELECT COUNT(*) FROM slice WHERE name LIKE '%gemm%'", 60},
    {"kernel - launch join",
     "SELECT COUNT(*), SUM(k.ts - l.ts) FROM slice AS k JOIN slice AS l ON l.id = k.link_id "
     "WHERE k.category IN ('kernel', 'gpu_memcpy', 'gpu_memset')",
     300},
    {"by id", "SELECT name FROM slice WHERE id = 1234", 5},
    {"window of 1 %",
     "SELECT COUNT(*), SUM(dur) FROM slice WHERE ts >= trace_start() + trace_dur() / 2 "
     "AND ts < trace_start() + trace_dur() / 2 + trace_dur() / 100",
     5},
    {"one track", "SELECT COUNT(*) FROM slice WHERE track_id = 1", 5},
    {"first row", "SELECT * FROM slice LIMIT 1", 10},
    {"median by name", "SELECT name, median(dur) FROM slice GROUP BY name", 0},
    {"name_stats", "SELECT COUNT(*) FROM name_stats", 0},
    {"table_kernels", "SELECT COUNT(*) FROM table_kernels", 0}};

class CountedRows : public kino::QueryRows {
 public:
  void columns(std::span<const std::string>) override {}
  void row(std::span<const kino::QueryValue>) override { ++rows; }
  std::uint64_t rows = 0;
};

}  // namespace

bool run_query_bench(const std::filesystem::path& file, const QueryBenchOptions& options) {
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(file, {}, progress, {});
  if (!opened.ok()) return false;
  const std::shared_ptr<const kino::QueryModel> files[] = {
      std::make_shared<const kino::QueryModel>(opened.value().trace, opened.value().details, file.string())};
  std::printf("SQL over %s slices; processor time of one thread, the first run makes what is kept\n",
              grouped_number(files[0]->slice_count(), options.csv).c_str());
  Table table({"query", "rows", "first ms", "median ms", "goal ms"});
  for (const RequestedPage& asked : kAsked) {
    std::vector<double> ms;
    std::uint64_t rows = 0;
    for (int i = 0; i <= options.runs; ++i) {
      CountedRows counted;
      const double begin = thread_ms();
      if (const auto end = kino::run_query(files, asked.sql, {}, counted, {}); !end.ok()) {
        std::fprintf(stderr, "%s: %s\n", asked.what, end.error().what.str().c_str());
        return false;
      }
      ms.push_back(thread_ms() - begin);
      rows = counted.rows;
    }
    const double first = ms.front();
    ms.erase(ms.begin());
    table.add({asked.what, grouped_number(rows, options.csv), fixed(first, 1),
               fixed(ms.empty() ? first : median(ms), 1), asked.goal_ms > 0 ? fixed(asked.goal_ms, 0) : ""});
  }
  std::printf("%s\n", table.text(options.csv).c_str());
  return true;
}

}  // namespace kino_test
