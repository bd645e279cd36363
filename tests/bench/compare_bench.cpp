#include "tests/bench/compare_bench.hpp"

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "core/tables/compare/run_comparison.hpp"
#include "loaders/formats/open.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

// Processor time of all threads of this process.
double spent_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

bool run_compare_bench(const std::filesystem::path& file, const CompareBenchOptions& options) {
  kino::OpenOptions open;
  open.cache_directory = options.folder;
  open.cache.look = false;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(file, open, progress, {});
  if (!opened.ok()) {
    std::fprintf(stderr, "kinetoscope_bench: %s\n", opened.error().what.str().c_str());
    return false;
  }
  const kino::Trace& trace = *opened.value().trace;
  std::vector<double> ledger_ms;
  std::vector<double> record_ms;
  std::vector<double> compare_ms;
  std::vector<double> all_ms;
  std::size_t rows = 0;
  std::size_t steps = 0;
  for (int i = 0; i < options.runs; ++i) {
    // The same trace is both sides; the times of both are added.
    double ledger = 0;
    double records = 0;
    std::vector<kino::RunRecord> sides;
    for (int side = 0; side < 2; ++side) {
      const double begin = spent_ms();
      const kino::TimeAttribution of(trace, kino::attributed_thread(trace));
      const double middle = spent_ms();
      sides.push_back(kino::run_record(trace, of, {}));
      ledger += middle - begin;
      records += spent_ms() - middle;
    }
    const double begin = spent_ms();
    const kino::RunComparison comparison = kino::compare_runs(sides[0], sides[1], {});
    const double compared = spent_ms() - begin;
    rows = comparison.rows.size();
    steps = comparison.steps_a.size();
    ledger_ms.push_back(ledger);
    record_ms.push_back(records);
    compare_ms.push_back(compared);
    all_ms.push_back(ledger + records + compared);
  }
  Table table({"slices a side", "steps", "rows", "ledgers CPU ms", "records CPU ms", "comparison CPU ms",
               "all CPU ms"});
  table.add({grouped_number(trace.slice_count(), options.csv), std::to_string(steps), std::to_string(rows),
             fixed(median(ledger_ms), 1), fixed(median(record_ms), 1), fixed(median(compare_ms), 1),
             fixed(median(all_ms), 1)});
  std::fputs(table.text(options.csv).c_str(), stdout);
  return true;
}

}  // namespace kino_test
