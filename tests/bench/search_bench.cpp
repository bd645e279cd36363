#include "tests/bench/search_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/search/name_search.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "loaders/formats/open.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the processor time of all threads of this process.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct KeyStroke {
  std::vector<double> ms;
  std::vector<double> cpu_ms;  // of all threads
  std::uint64_t hits = 0;
};

// Compiles the query and finds all hits, as each key stroke does. Returns false on failure.
bool add_stroke(const kino::SearchIndex& index, std::string_view query, KeyStroke& stroke) {
  const Clock::time_point begin = Clock::now();
  const double cpu_begin = cpu_seconds();
  const auto compiled = kino::SearchQuery::compile(query, index);
  if (!compiled.ok()) return false;
  const auto found = compiled.value().hit_set();
  if (!found.ok()) return false;
  stroke.hits = found.value().count();
  stroke.ms.push_back(ms_since(begin));
  stroke.cpu_ms.push_back((cpu_seconds() - cpu_begin) * 1e3);
  return true;
}

bool measure_keys(const kino::Trace& trace, const SearchBenchOptions& options) {
  const kino::SearchIndex index(trace);
  Table table({"typed", "hits", "median ms", "slowest ms", "CPU ms"});
  for (const std::string_view query :
       {"g", "ge", "gem", "gemm", "aten::add", "/^aten::.*mm$/", "kind:compute", "dur>1ms", "zzzz"}) {
    KeyStroke stroke;
    for (int i = 0; i < options.runs; ++i) {
      if (!add_stroke(index, query, stroke)) return false;
    }
    table.add({std::string(query), grouped_number(stroke.hits, options.csv), fixed(median(stroke.ms), 1),
               fixed(*std::max_element(stroke.ms.begin(), stroke.ms.end()), 1),
               fixed(median(stroke.cpu_ms), 1)});
  }
  std::printf("%s\n", table.text(options.csv).c_str());
  return true;
}

bool measure_scan(const kino::OpenedTrace& opened, const SearchBenchOptions& options) {
  const Clock::time_point begin = Clock::now();
  const std::vector<std::uint32_t> order = kino::slices_by_offset(*opened.trace);
  const double order_ms = ms_since(begin);
  const auto bytes = static_cast<double>(opened.text->size_bytes());
  Table table({"arguments with", "hits", "CPU s", "GB per CPU s", "all cores s", "GB/s"});
  for (const kino::ArgumentTerm& term :
       {kino::ArgumentTerm{"", "no such value"}, kino::ArgumentTerm{"correlation", "4711"},
        kino::ArgumentTerm{"stream", "7"}}) {
    std::vector<std::string> cells{(term.key.empty() ? "" : term.key + ":") + term.value};
    for (const unsigned threads : {1U, 0U}) {
      std::vector<double> seconds;
      std::uint64_t hits = 0;
      for (int i = 0; i < options.runs; ++i) {
        kino::ArgumentProgress progress;
        const Clock::time_point start = Clock::now();
        const double cpu_start = cpu_seconds();
        const auto found = kino::find_arguments(
            *opened.trace, *opened.text, order, {&term, 1}, [](kino::SliceId) { return true; }, progress,
            [] {}, {}, threads);
        if (!found.ok()) return false;
        seconds.push_back(threads == 1 ? cpu_seconds() - cpu_start : ms_since(start) / 1e3);
        hits = found.value().count();
      }
      if (threads == 1) cells.push_back(grouped_number(hits, options.csv));
      cells.push_back(fixed(median(seconds), 3));
      cells.push_back(fixed(bytes / 1e9 / std::max(1e-9, median(seconds)), 2));
    }
    table.add(std::move(cells));
  }
  std::printf("%s%.1f ms once, for the order of events in the text\n%s\n", options.csv ? "# " : "", order_ms,
              table.text(options.csv).c_str());
  return true;
}

}  // namespace

bool run_search_bench(const std::filesystem::path& file, const SearchBenchOptions& options) {
  kino::OpenOptions open_options;
  open_options.cache_directory = options.folder;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(file, open_options, progress, {});
  if (!opened.ok()) {
    std::fprintf(stderr, "kinetoscope_bench: %s: %s\n", opened.error().what.str().c_str(), file.c_str());
    return false;
  }
  std::printf("%ssearching %s slices of %s\n", options.csv ? "# " : "",
              grouped_number(opened.value().trace->slice_count(), options.csv).c_str(),
              file.filename().c_str());
  return measure_keys(*opened.value().trace, options) && measure_scan(opened.value(), options);
}

}  // namespace kino_test
