#include "tests/bench/snapshot_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "loaders/formats/open.hpp"
#include "tests/bench/anonymous_peak.hpp"
#include "tests/bench/child_process.hpp"
#include "tests/bench/snapshot_generator.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

void add_python(Table& table, const std::filesystem::path& file, double our_seconds, double megabytes) {
  const auto python = find_program("python3");
  if (!python) return;
  const ChildRun run = run_child(
      {*python, "-c", "import pickle, sys\npickle.load(open(sys.argv[1], 'rb'))\n", file.string()}, true);
  if (run.exit_code != 0) return;
  table.add({"Python pickle.load, " + file.filename().string(), fixed(megabytes, 0), "",
             fixed(run.seconds, 2), fixed(megabytes / run.seconds, 0),
             fixed(run.user_seconds + run.system_seconds, 2),
             fixed(run.peak_rss_bytes / kMega / megabytes, 2), "", fixed(run.seconds / our_seconds, 1)});
}

}  // namespace

bool run_snapshot_bench(std::vector<std::filesystem::path> files, std::size_t entries,
                        LoadBenchOptions options) {
  options.snapshots = true;
  if (files.empty()) {
    files.push_back(options.folder / ("made-" + std::to_string(entries) + "-entries.pickle"));
    if (const auto problem = write_snapshot(files.front(), entries)) {
      std::fprintf(stderr, "kinetoscope_bench: %s\n", problem->c_str());
      return false;
    }
  }
  Table table({"snapshot", "MB", "entries", "median s", "MB/s", "CPU s", "without input / file", "B/entry",
               "times our s"});
  for (const std::filesystem::path& file : files) {
    LoadFigures figures;
    if (!measure_load(file, options, figures)) return false;
    std::error_code code;
    const double megabytes = static_cast<double>(std::filesystem::file_size(file, code)) / kMega;
    const double seconds = std::max(1e-9, median(figures.seconds));
    table.add({file.filename().string(), fixed(megabytes, 1),
               grouped_number(static_cast<unsigned long long>(figures.last["entries"]), options.csv),
               fixed(seconds, 3), fixed(megabytes / seconds, 0), fixed(median(figures.cpu_seconds), 2),
               fixed(median(figures.anonymous_bytes) / kMega / megabytes, 2),
               fixed(figures.last["model_bytes"] / std::max(1.0, figures.last["entries"]), 1), ""});
    if (options.peers) add_python(table, file, seconds, megabytes);
  }
  std::printf("%s\n", table.text(options.csv).c_str());
  std::fflush(stdout);
  return true;
}

int run_snapshot_child(const std::filesystem::path& file) {
  AnonymousPeak peak;
  kino::LoadProgress progress;
  const auto begin = std::chrono::steady_clock::now();
  const auto opened = kino::open_snapshot(file, {}, progress, {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!opened.ok()) {
    std::fprintf(stderr, "kinetoscope_bench: %s: %s\n", opened.error().what.str().c_str(), file.c_str());
    return 1;
  }
  const kino::Snapshot& snapshot = *opened.value().snapshot;
  std::size_t entries = 0;
  for (const kino::SnapshotDevice& device : snapshot.devices) entries += device.entries.entry_count();
  std::printf("seconds %.6f\nentries %zu\nmodel_bytes %zu\nanonymous_bytes %.0f\n", seconds, entries,
              snapshot.size_bytes(), peak.bytes());
  return 0;
}

}  // namespace kino_test
