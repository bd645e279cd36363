// Measures opening: each file plain and compressed, each time in a fresh process, and by other programs on
// request.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kino_test {

struct LoadBenchOptions {
  std::string self;              ///< this program
  std::filesystem::path folder;  ///< for the other form of each file
  int runs = 5;
  bool peers = false;      ///< also Python's json.load, which takes long
  bool parts = false;      ///< with what is read so far being shown, as in the window
  bool snapshots = false;  ///< the files are allocator snapshots
  bool kept = false;       ///< looked for in the cache, and kept there
  bool csv = false;
};

/// What opening one file took, run by run.
struct LoadFigures {
  std::map<std::string, double> last;  ///< what the child said of the last run
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  std::vector<double> peak_rss_bytes;
  std::vector<double> anonymous_bytes;
};

/// Opens the file as often as `options` say, each time in a fresh process; false when it cannot.
bool measure_load(const std::filesystem::path& file, const LoadBenchOptions& options, LoadFigures& figures);

/// Prints the tables; false when a file could not be opened.
bool run_load_bench(const std::vector<std::filesystem::path>& files, const LoadBenchOptions& options);

/// What the fresh process does: opens the file and prints its figures as lines of "name number". With `kept`
/// it looks for the file in the cache and keeps it there. The exit code.
int run_load_child(const std::filesystem::path& file, const std::filesystem::path& cache_folder, bool parts,
                   bool kept);

}  // namespace kino_test
