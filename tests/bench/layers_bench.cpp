#include "tests/bench/layers_bench.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/ledger/ledger_report.hpp"
#include "core/tables/operators/module_anchors.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "loaders/formats/open.hpp"
#include "tests/bench/anonymous_peak.hpp"
#include "tests/bench/table.hpp"
#include "tests/bench/trace_generator.hpp"

namespace kino_test {
namespace {

/// Times of all runs in ms, and the memory of the first run in bytes.
struct Phase {
  std::vector<double> ms;
  double bytes = 0;

  /// Runs `body` once.
  template <class Body>
  void measure(Body&& body) {
    AnonymousPeak before;
    const double before_bytes = before.bytes();
    AnonymousPeak peak;
    const auto begin = std::chrono::steady_clock::now();
    body();
    ms.push_back(ms_since(begin));
    if (ms.size() == 1) bytes = peak.bytes() - before_bytes;
  }
};

bool measure_trace(const std::filesystem::path& file, const LayersBenchOptions& options, Table& table) {
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
  Phase tree;
  Phase fold;
  Phase ledger;
  std::size_t stacks = 0;
  std::size_t steps = 0;
  for (int i = 0; i < options.runs; ++i) {
    const kino::RangeAnalysis parts(trace, kino::whole_range(trace));
    tree.measure([&] {
      parts.tree({});
      if (module_source(trace) != kino::ModuleSource::python) return;
      parts.module_placers(kino::ModuleSource::python, {});
    });
    fold.measure([&] { stacks = kino::fold_layers(parts).fold.stacks.size(); });
    ledger.measure([&] {
      const kino::LedgerReport report = kino::ledger_report(parts);
      steps = report.gpus.empty() ? 0 : report.gpus.front().steps.size();
    });
  }
  const auto work = static_cast<double>(gpu_work_in(trace, kino::whole_range(trace)).size());
  table.add({grouped_number(trace.slice_count(), options.csv),
             grouped_number(static_cast<unsigned long long>(work), options.csv), std::to_string(steps),
             std::to_string(stacks), fixed(median(tree.ms), 0), fixed(median(fold.ms), 0),
             fixed(median(ledger.ms), 0), fixed(fold.bytes / work, 0), fixed(ledger.bytes / work, 0)});
  return true;
}

}  // namespace

bool run_layers_bench(const std::filesystem::path& file, const LayersBenchOptions& options) {
  Table table({"slices", "GPU work", "steps", "stacks", "trees ms", "layers ms", "ledger ms",
               "layers bytes per work", "ledger bytes per work"});
  if (!file.empty() && !measure_trace(file, options, table)) return false;
  for (const double million : options.millions) {
    const std::filesystem::path made = options.folder / "layers.json";
    if (const auto problem = write_layered_trace(made, static_cast<std::size_t>(million * 1e6))) {
      std::fprintf(stderr, "kinetoscope_bench: %s\n", problem->c_str());
      return false;
    }
    const bool ok = measure_trace(made, options, table);
    std::error_code code;
    std::filesystem::remove(made, code);
    if (!ok) return false;
  }
  std::fputs(table.text(options.csv).c_str(), stdout);
  return true;
}

}  // namespace kino_test
