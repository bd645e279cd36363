#include "tests/bench/growth_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "tests/bench/table.hpp"
#include "tests/bench/trace_generator.hpp"

namespace kino_test {
namespace {

constexpr double kBytesPerSlice = 243;  // in traces from write_kineto_trace()

// Maximum over all zoom levels of the median and of the 99th percentile.
struct Frames {
  double median_ms = 0;
  double percentile_99_ms = 0;
  double jump_ms = 0;
};

Frames worst_of(const TimelineFigures& figures) {
  Frames worst;
  for (const TimelineLevel& level : figures.levels) {
    worst.median_ms = std::max(worst.median_ms, median(level.frame_ms));
    worst.percentile_99_ms = std::max(worst.percentile_99_ms, percentile(level.frame_ms, 0.99));
    worst.jump_ms = std::max(worst.jump_ms, median(level.tiles_ms));
  }
  return worst;
}

}  // namespace

bool run_growth_bench(const std::vector<double>& millions, const LoadBenchOptions& load,
                      const TimelineBenchOptions& timeline) {
  std::puts(
      "slices,JSON MB,load s,MB/s,peak without input MB,timeline slices,frame ms median,frame ms 99 %,"
      "tiles of a jump ms");
  for (const double million : millions) {
    const std::filesystem::path file = load.folder / "growth.json";
    if (write_kineto_trace(file, static_cast<std::size_t>(million * 1e6 * kBytesPerSlice))) return false;
    LoadFigures opened;
    const bool ok = measure_load(file, load, opened);
    std::error_code code;
    std::filesystem::remove(file, code);
    if (!ok) return false;
    TimelineBenchOptions options = timeline;
    options.slices = static_cast<std::size_t>(million * 1e6);
    // Filling pixels takes minutes with a software driver, and no figure includes it.
    options.pixels = false;
    const auto drawn = measure_timeline(options);
    if (!drawn) return false;
    const Frames frames = worst_of(*drawn);
    const double seconds = median(opened.seconds);
    std::printf("%.0f,%.1f,%.3f,%.0f,%.0f,%zu,%.3f,%.3f,%.1f\n", opened.last["slices"],
                opened.last["text_bytes"] / 1e6, seconds, opened.last["text_bytes"] / 1e6 / seconds,
                median(opened.anonymous_bytes) / 1e6, drawn->slices, frames.median_ms,
                frames.percentile_99_ms, frames.jump_ms);
    std::fflush(stdout);
  }
  return true;
}

}  // namespace kino_test
