// The benchmark: how fast traces open, in how much memory, and what a frame of the timeline costs. Asserts no
// time.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/bench/load_bench.hpp"
#include "tests/bench/timeline_bench.hpp"
#include "tests/bench/trace_generator.hpp"

namespace {

// A folder that goes with everything in it.
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
  std::string parent;
  std::string load_child;
  std::string only;
  bool quick = false;
  kino_test::LoadBenchOptions load;
  kino_test::TimelineBenchOptions timeline;
};

void describe(CLI::App& app, Options& options) {
  app.add_option("FILE", options.files, "Traces to open; without any, one is made");
  app.add_option("--megabytes", options.megabytes, "Size of the trace that is made")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--runs", options.load.runs, "How often each file is opened")->check(CLI::Range(1, 1000));
  app.add_option("--slices", options.timeline.slices, "Slices of the timeline's trace")
      ->check(CLI::Range(1000LL, 4'000'000'000LL));
  app.add_option("--frames", options.timeline.frames, "Frames measured at each zoom level")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--folder", options.parent, "For temporary files; the system's folder unless told");
  app.add_option("--only", options.only, "load or timeline")->check(CLI::IsMember({"load", "timeline"}));
  app.add_flag("--peers", options.load.peers, "Also time Python's json.load");
  app.add_flag("--parts", options.load.parts, "Open as the window does, which shows what is read so far");
  app.add_flag("--csv", options.load.csv, "Print commas instead of aligned columns");
  app.add_flag("--quick", options.quick, "Little of everything, to see that it works");
  app.add_option("--load-child", options.load_child)->group("");
}

bool run_load(Options& options, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  if (files.empty()) {
    files.push_back(folder / ("made-" + std::to_string(options.megabytes) + "-mb.json"));
    if (const auto problem = kino_test::write_kineto_trace(files.front(), options.megabytes * 1'000'000)) {
      std::fprintf(stderr, "kinetoscope_bench: %s\n", problem->c_str());
      return false;
    }
  }
  options.load.folder = folder;
  return kino_test::run_load_bench(files, options.load);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Prints how fast traces open and what a frame of the timeline costs.", "kinetoscope_bench");
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  if (!options.load_child.empty())
    return kino_test::run_load_child(options.load_child, options.parent, options.load.parts);
  if (options.quick) {
    options.megabytes = 2;
    options.load.runs = 1;
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
  bool ok = true;
  if (options.only != "timeline") ok = run_load(options, scratch.path());
  if (options.only.empty()) std::printf("\n");
  if (options.only != "load") ok = kino_test::run_timeline_bench(options.timeline) && ok;
  return ok ? 0 : 1;
}
