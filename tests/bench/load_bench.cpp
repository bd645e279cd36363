#include "tests/bench/load_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stop_token>

#include <zlib.h>

#include "loaders/formats/open.hpp"
#include "tests/bench/anonymous_peak.hpp"
#include "tests/bench/child_process.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

bool is_gzip(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

struct GzCloser {
  void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<gzFile_s, GzCloser>;

// Compresses with zlib's level 6, the default of gzip and most profilers.
bool compress(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::ifstream in(from, std::ios::binary);
  const GzHandle out(gzopen(to.c_str(), "wb6"));
  std::vector<char> buffer(1 << 20);
  bool ok = in.good() && out != nullptr;
  while (ok && in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto count = static_cast<unsigned>(in.gcount());
    ok = count == 0 || gzwrite(out.get(), buffer.data(), count) == static_cast<int>(count);
  }
  return ok;
}

bool decompress(const std::filesystem::path& from, const std::filesystem::path& to) {
  const GzHandle in(gzopen(from.c_str(), "rb"));
  std::ofstream out(to, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  int count = in ? 1 : -1;
  while (count > 0 && out) {
    count = gzread(in.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count > 0) out.write(buffer.data(), count);
  }
  return count == 0 && out.good();
}

std::vector<std::string> cells_of(const std::string& name, const LoadFigures& figures, bool csv) {
  const double json_bytes = figures.last.at("text_bytes");
  const double slices = std::max(1.0, figures.last.at("slices"));
  const double seconds = median(figures.seconds);
  return {name,
          fixed(json_bytes / kMega, 1),
          grouped_number(static_cast<unsigned long long>(figures.last.at("events")), csv),
          grouped_number(static_cast<unsigned long long>(figures.last.at("slices")), csv),
          fixed(seconds, 3),
          fixed(*std::ranges::min_element(figures.seconds), 3),
          fixed(json_bytes / kMega / std::max(1e-9, seconds), 0),
          fixed(median(figures.cpu_seconds), 2),
          fixed(median(figures.peak_rss_bytes) / kMega, 0),
          fixed(median(figures.anonymous_bytes) / std::max(1.0, json_bytes), 3),
          fixed(figures.last.at("model_bytes") / slices, 1),
          fixed(figures.last.at("parts"), 0),
          fixed(figures.last.at("first_part_seconds"), 3),
          fixed(100 * figures.last.at("last_part_share"), 1)};
}

// Measures one run that loads and stores in the cache, then runs that load from the cache.
bool measure_cache(Table& table, const std::filesystem::path& file, const LoadBenchOptions& options,
                   double first_seconds) {
  LoadBenchOptions again = options;
  again.kept = true;
  LoadBenchOptions once = again;
  once.runs = 1;
  LoadFigures keeping;
  LoadFigures cached;
  if (!measure_load(file, once, keeping) || !measure_load(file, again, cached)) return false;
  const bool found = cached.last["from_cache"] > 0;
  const double seconds = median(cached.seconds);
  table.add({file.filename().string(), fixed(first_seconds, 3), fixed(keeping.last["keep_cpu_seconds"], 3),
             fixed(100 * keeping.last["keep_cpu_seconds"] / first_seconds, 1),
             fixed(keeping.last["keep_seconds"], 3), fixed(keeping.last["kept_bytes"] / kMega, 0),
             found ? fixed(seconds, 3) : "not kept", found ? fixed(first_seconds / seconds, 1) : "",
             fixed(median(cached.cpu_seconds), 2), fixed(median(cached.anonymous_bytes) / kMega, 0)});
  return found;
}

void add_peer(Table& table, const std::string& name, const std::filesystem::path& file, const ChildRun& run,
              double json_bytes, double our_seconds) {
  if (run.exit_code != 0) {
    table.add({name, file.filename().string(), "failed", "", "", "", "", ""});
    return;
  }
  table.add({name, file.filename().string(), fixed(run.seconds, 2),
             fixed(json_bytes / kMega / run.seconds, 0), fixed(run.user_seconds + run.system_seconds, 2),
             fixed(run.peak_rss_bytes / kMega, 0), fixed(run.peak_rss_bytes / std::max(1.0, json_bytes), 2),
             fixed(run.seconds / our_seconds, 1)});
}

// Measures trace_processor_shell if it is installed, and Python's json.load on request.
void measure_peers(Table& table, const std::filesystem::path& file, const LoadBenchOptions& options,
                   double json_bytes, double our_seconds) {
  if (const auto shell = find_program("trace_processor_shell")) {
    const std::filesystem::path query = options.folder / "count.sql";
    std::ofstream(query) << "select count(*) from slice;\n";
    const ChildRun run = run_child({*shell, "-q", query.string(), file.string()}, true);
    add_peer(table, "trace_processor_shell", file, run, json_bytes, our_seconds);
  }
  if (!options.peers) return;
  if (const auto python = find_program("python3")) {
    static constexpr char kLoad[] =
        "import gzip, json, sys\n"
        "f = open(sys.argv[1], 'rb')\n"
        "f = gzip.open(f) if f.peek(2)[:2] == b'\\x1f\\x8b' else f\n"
        "json.load(f)\n";
    const ChildRun run = run_child({*python, "-c", kLoad, file.string()}, true);
    add_peer(table, "Python json.load", file, run, json_bytes, our_seconds);
  }
}

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

int print_keeping(const kino::OpenedTrace& opened, const kino::OpenOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = thread_cpu_seconds();
  if (const auto error = kino::store_opened(opened, options, {})) {
    std::fprintf(stderr, "kinetoscope_bench: %s\n", error->what.str().c_str());
    return 1;
  }
  const double cpu_seconds = thread_cpu_seconds() - cpu_begin;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t bytes = 0;
  for (const kino::CacheEntry& entry : kino::cache_entries(options.cache_directory)) {
    if (entry.source == opened.source.path) bytes = entry.size_bytes;
  }
  std::printf("keep_seconds %.6f\nkeep_cpu_seconds %.6f\nkept_bytes %llu\n", seconds, cpu_seconds,
              static_cast<unsigned long long>(bytes));
  return 0;
}

}  // namespace

bool measure_load(const std::filesystem::path& file, const LoadBenchOptions& options, LoadFigures& figures) {
  for (int i = 0; i < options.runs; ++i) {
    std::vector<std::string> command{options.self, options.snapshots ? "--snapshot-child" : "--load-child",
                                     file.string(), "--folder", options.folder.string()};
    if (options.parts) command.emplace_back("--parts");
    if (options.kept) command.emplace_back("--kept");
    const ChildRun run = run_child(command);
    if (run.exit_code != 0) return false;
    std::istringstream lines(run.output);
    std::string name;
    double number = 0;
    while (lines >> name >> number) figures.last[name] = number;
    figures.seconds.push_back(figures.last["seconds"]);
    figures.cpu_seconds.push_back(run.user_seconds + run.system_seconds);
    figures.peak_rss_bytes.push_back(run.peak_rss_bytes);
    figures.anonymous_bytes.push_back(figures.last["anonymous_bytes"]);
  }
  return true;
}

bool run_load_bench(const std::vector<std::filesystem::path>& files, const LoadBenchOptions& options) {
  Table ours({"file", "JSON MB", "events", "slices", "median s", "best s", "MB/s", "CPU s", "peak RSS MB",
              "without input / JSON", "model B/slice", "parts", "first after s", "last has %"});
  Table kept({"file", "first open s", "keeping CPU s", "% of first", "keeping s (disk)", "kept MB",
              "second open s", "times faster", "CPU s", "without files MB"});
  Table peers({"program", "file", "s", "MB/s", "CPU s", "peak RSS MB", "peak RSS / JSON", "times our s"});
  bool any_peer = false;
  bool ok = true;
  for (const std::filesystem::path& file : files) {
    const bool packed = is_gzip(file);
    const std::filesystem::path other =
        options.folder / (packed ? file.stem().string() + ".plain.json" : file.filename().string() + ".gz");
    const bool converted = packed ? decompress(file, other) : compress(file, other);
    if (!converted) std::fprintf(stderr, "kinetoscope_bench: %s cannot be converted\n", file.c_str());
    for (const std::filesystem::path& form : {packed ? other : file, packed ? file : other}) {
      if (!converted && form == other) continue;
      LoadFigures figures;
      if (!measure_load(form, options, figures)) {
        ok = false;
        continue;
      }
      ours.add(cells_of(form.filename().string(), figures, options.csv));
      ok = measure_cache(kept, form, options, median(figures.seconds)) && ok;
      any_peer = any_peer || options.peers || find_program("trace_processor_shell").has_value();
      measure_peers(peers, form, options, figures.last["text_bytes"], median(figures.seconds));
    }
    std::error_code code;
    std::filesystem::remove(other, code);
  }
  std::printf("%s", ours.text(options.csv).c_str());
  std::printf("\n%s", kept.text(options.csv).c_str());
  if (any_peer) std::printf("\n%s", peers.text(options.csv).c_str());
  std::fflush(stdout);
  return ok;
}

int run_load_child(const std::filesystem::path& file, const std::filesystem::path& cache_folder, bool parts,
                   bool kept) {
  AnonymousPeak peak;
  kino::OpenOptions options;
  options.cache_directory = cache_folder;
  bool keep = false;
  options.cache.look = kept;
  options.cache.least_text_bytes = 0;
  if (kept) options.cache.keep = [&keep](const kino::OpenedTrace& /*opened*/) { keep = true; };
  kino::LoadProgress progress;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds_now = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  int part_count = 0;
  double first_part_seconds = 0;
  double last_part_share = 0;
  kino::OpenedTrace shown;  // like the window, holds a partial trace until the next one arrives
  if (parts) {
    options.on_partial = [&](kino::OpenedTrace part, double share) {
      if (part_count++ == 0) first_part_seconds = seconds_now();
      last_part_share = share;
      shown = std::move(part);
    };
  }
  const auto opened = kino::open_trace(file, options, progress, {});
  const double seconds = seconds_now();
  if (!opened.ok()) {
    std::fprintf(stderr, "kinetoscope_bench: %s: %s\n", opened.error().what.str().c_str(), file.c_str());
    return 1;
  }
  const kino::Trace& trace = *opened.value().trace;
  std::printf("seconds %.6f\n", seconds);
  std::printf("text_bytes %llu\n", static_cast<unsigned long long>(opened.value().stats.text_bytes));
  std::printf("events %llu\n", static_cast<unsigned long long>(trace.counts.total()));
  std::printf("slices %zu\n", trace.slice_count());
  std::printf("model_bytes %zu\n", trace.size_bytes());
  std::printf("parts %d\n", part_count);
  std::printf("first_part_seconds %.6f\n", first_part_seconds);
  std::printf("last_part_share %.6f\n", last_part_share);
  std::printf("anonymous_bytes %.0f\n", peak.bytes());
  std::printf("from_cache %d\n", opened.value().from_cache ? 1 : 0);
  if (keep) return print_keeping(opened.value(), options);
  return 0;
}

}  // namespace kino_test
