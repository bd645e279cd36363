// The benchmark. It measures opening and searching (time and memory), frames of the timeline, jobs of many
// ranks, and the instructions of hot loops. It asserts no timing.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/bench/compare_bench.hpp"
#include "tests/bench/growth_bench.hpp"
#include "tests/bench/instruction_bench.hpp"
#include "tests/bench/job_bench.hpp"
#include "tests/bench/layers_bench.hpp"
#include "tests/bench/load_bench.hpp"
#include "tests/bench/query_bench.hpp"
#include "tests/bench/search_bench.hpp"
#include "tests/bench/snapshot_bench.hpp"
#include "tests/bench/timeline_bench.hpp"
#include "tests/bench/trace_generator.hpp"

namespace {

// A temporary folder that is removed with its content.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "kinetoscope-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code code;
    if (!path_.empty()) std::filesystem::remove_all(path_, code);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Options {
  std::vector<std::string> files;
  std::size_t megabytes = 500;
  std::size_t entries = 1'000'000;
  std::string parent;
  std::string load_child;
  std::string snapshot_child;
  std::string only;
  std::string job_child;
  kino_test::JobBenchOptions job;
  bool quick = false;
  std::vector<double> growth;  // millions of slices
  std::vector<double> layers;  // millions of slices
  std::string instruction_child;
  int repeats = 1;
  bool update_baseline = false;
  kino_test::LoadBenchOptions load;
  kino_test::TimelineBenchOptions timeline;
};

void describe(CLI::App& app, Options& options) {
  app.add_option("FILE", options.files,
                 "Traces to open (snapshots with --only snapshot); without any, one is generated");
  app.add_option("--megabytes", options.megabytes, "Size of the generated trace")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--entries", options.entries, "Events of the generated snapshot")
      ->check(CLI::Range(1, 100'000'000));
  app.add_option("--runs", options.load.runs, "How often each file is opened")->check(CLI::Range(1, 1000));
  app.add_option("--slices", options.timeline.slices, "Slices of the timeline's trace")
      ->check(CLI::Range(1000LL, 4'000'000'000LL));
  app.add_option("--frames", options.timeline.frames, "Frames per zoom level")->check(CLI::Range(1, 100'000));
  app.add_option("--folder", options.parent, "Folder for temporary files (default: the system's)");
  app.add_option("--only", options.only,
                 "load, search, query, compare, layers, snapshot, timeline, job or instructions")
      ->check(CLI::IsMember(
          {"load", "search", "query", "compare", "layers", "snapshot", "timeline", "job", "instructions"}));
  app.add_option("--growth", options.growth,
                 "Only measure traces of these sizes, in millions of slices, and print CSV")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 1000.0));
  app.add_option("--layers", options.layers,
                 "With --only layers: sizes of generated traces with repeated layers, in millions of slices")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 1000.0));
  app.add_option("--ranks", options.job.ranks, "Ranks of the generated jobs")
      ->delimiter(',')
      ->check(CLI::Range(2, 100'000));
  app.add_flag("--world-group", options.job.world_group, "One data-parallel group of all ranks");
  app.add_option("--kernels", options.job.kernels, "Communication kernels per rank")
      ->check(CLI::Range(100, 10'000'000));
  app.add_flag("--update-baseline", options.update_baseline,
               "Store the counted instructions as the baseline");
  app.add_flag("--peers", options.load.peers, "Also time Python's json.load and pickle.load");
  app.add_flag("--parts", options.load.parts, "Open with partial traces, as the window does");
  app.add_flag("--csv", options.load.csv, "Print commas instead of aligned columns");
  app.add_flag("--quick", options.quick, "Run all parts with small inputs");
  app.add_option("--load-child", options.load_child)->group("");
  app.add_option("--snapshot-child", options.snapshot_child)->group("");
  app.add_option("--job-child", options.job_child)->group("");
  app.add_option("--instruction-child", options.instruction_child)->group("");
  app.add_option("--repeats", options.repeats)->group("");
  app.add_flag("--kept", options.load.kept)->group("");
}

// Returns the given files, or a generated one. Empty on failure.
std::vector<std::filesystem::path> files_of(const Options& options, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  if (!files.empty()) return files;
  files.push_back(folder / ("made-" + std::to_string(options.megabytes) + "-mb.json"));
  if (const auto problem = kino_test::write_kineto_trace(files.front(), options.megabytes * 1'000'000)) {
    std::fprintf(stderr, "kinetoscope_bench: %s\n", problem->c_str());
    files.clear();
  }
  return files;
}

bool run(Options& options, const std::filesystem::path& folder) {
  options.load.folder = folder;
  if (!options.growth.empty()) {
    return kino_test::run_growth_bench(options.growth, options.load, options.timeline);
  }
  const auto wants = [&](const char* part) { return options.only.empty() || options.only == part; };
  bool ok = true;
  if (options.only == "layers" && !options.layers.empty()) {
    const std::filesystem::path file = options.files.empty() ? "" : options.files.front();
    return kino_test::run_layers_bench(file, {folder, options.layers, options.load.runs, options.load.csv});
  }
  if (wants("load") || wants("search") || wants("query") || wants("compare") || wants("layers")) {
    const std::vector<std::filesystem::path> files = files_of(options, folder);
    if (files.empty()) return false;
    if (wants("load")) {
      ok = kino_test::run_load_bench(files, options.load);
      std::printf("\n");
    }
    if (wants("search")) {
      ok = kino_test::run_search_bench(files.front(), {folder, options.load.runs, options.load.csv}) && ok;
    }
    if (wants("query"))
      ok = kino_test::run_query_bench(files.front(), {options.load.runs, options.load.csv}) && ok;
    if (wants("layers")) {
      ok =
          kino_test::run_layers_bench(files.front(), {folder, {}, options.load.runs, options.load.csv}) && ok;
    }
    if (wants("compare")) {
      ok = kino_test::run_compare_bench(files.front(), {folder, options.load.runs, options.load.csv}) && ok;
    }
  }
  if (wants("snapshot")) {
    // Unless only snapshots are measured, the given files are traces.
    const bool given = options.only == "snapshot";
    ok = kino_test::run_snapshot_bench(
             {options.files.begin(), given ? options.files.end() : options.files.begin()}, options.entries,
             options.load) &&
         ok;
  }
  if (wants("timeline")) ok = kino_test::run_timeline_bench(options.timeline) && ok;
  if (options.only.empty()) std::printf("\n");
  if (wants("job")) {
    options.job.folder = folder;
    options.job.self = options.load.self;
    options.job.runs = options.load.runs;
    options.job.csv = options.load.csv;
    ok = kino_test::run_job_bench(options.job) && ok;
  }
  if (options.only.empty()) std::printf("\n");
  if (wants("instructions")) {
    ok = kino_test::run_instruction_bench({options.load.self, folder, KINETOSCOPE_INSTRUCTIONS,
                                           options.update_baseline, options.load.csv}) &&
         ok;
  }
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures how fast traces open and the timeline draws.", "kinetoscope_bench");
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  if (!options.load_child.empty())
    return kino_test::run_load_child(options.load_child, options.parent, options.load.parts,
                                     options.load.kept);
  if (!options.snapshot_child.empty()) return kino_test::run_snapshot_child(options.snapshot_child);
  if (!options.job_child.empty()) return kino_test::run_job_child(options.job_child);
  if (!options.instruction_child.empty()) {
    if (options.files.size() != 1) return 2;
    return kino_test::run_instruction_child(options.instruction_child, options.repeats,
                                            options.files.front());
  }
  if (options.quick) {
    options.megabytes = 2;
    options.entries = 20'000;
    options.load.runs = 1;
    options.job.ranks = {4};
    options.job.kernels = 500;
    options.timeline.slices = 50'000;
    options.timeline.frames = 3;
    options.timeline.levels = 4;
    options.timeline.width_px = 640;
    options.timeline.height_px = 360;
  }
  options.timeline.csv = options.load.csv;
  std::error_code code;
  options.load.self = std::filesystem::read_symlink("/proc/self/exe", code).string();
  const ScratchFolder scratch(options.parent.empty() ? std::filesystem::temp_directory_path()
                                                     : std::filesystem::path(options.parent));
  if (code || scratch.path().empty()) {
    std::fputs("kinetoscope_bench: there is no folder for temporary files; name one with --folder\n", stderr);
    return 1;
  }
  return run(options, scratch.path()) ? 0 : 1;
}
