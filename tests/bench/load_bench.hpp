// Measures opening: each file plain and compressed, each time in a new process. Also measures
// Perfetto's trace_processor_shell if it is installed, and on request Python's json.load.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kino_test {

struct LoadBenchOptions {
  std::string self;              ///< this program
  std::filesystem::path folder;  ///< for the compressed or decompressed copy of each file
  int runs = 5;
  bool peers = false;      ///< also measure Python's json.load, which is slow
  bool parts = false;      ///< with partial traces, as in the window
  bool snapshots = false;  ///< the files are allocator snapshots
  bool kept = false;       ///< with the trace cache
  bool csv = false;
};

/// Figures of opening one file, one element per run.
struct LoadFigures {
  std::map<std::string, double> last;  ///< output of the last run
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  std::vector<double> peak_rss_bytes;
  std::vector<double> anonymous_bytes;
};

/// Opens the file `options.runs` times, each time in a new process. Returns false if that fails.
bool measure_load(const std::filesystem::path& file, const LoadBenchOptions& options, LoadFigures& figures);

/// Prints the tables. Returns false if a file cannot be opened.
bool run_load_bench(const std::vector<std::filesystem::path>& files, const LoadBenchOptions& options);

/// Runs in the new process: opens the file and prints its figures as lines of "name number". With `kept` it
/// uses the cache and stores the trace there. Returns an exit code.
int run_load_child(const std::filesystem::path& file, const std::filesystem::path& cache_folder, bool parts,
                   bool kept);

}  // namespace kino_test
