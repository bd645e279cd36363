#include "tests/bench/instruction_bench.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/build/trace_builder.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/parse_worker.hpp"
#include "tests/bench/child_process.hpp"
#include "tests/bench/table.hpp"
#include "tests/bench/trace_generator.hpp"

namespace kino_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr std::size_t kTextBytes = 4'000'000;
constexpr std::array<const char*, 3> kKernels = {"parse", "build", "tiles"};
// A build consumes its input, so the child parses before each build. The cost of parsing is subtracted.
constexpr std::array<const char*, 3> kMeans = {"text to records, strict", "records to model, one thread",
                                               "model to tiles, all levels"};

// The text of a file from its event array on, followed by the padding that the parser requires.
struct EventText {
  std::string bytes;
  std::size_t begin = 0;
};

std::optional<EventText> read_events(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream whole;
  whole << in.rdbuf();
  EventText text{whole.str(), 0};
  kino::EventArray array;
  if (kino::find_event_array(text.bytes, array) != kino::ArraySearch::found) return std::nullopt;
  text.begin = array.begin;
  text.bytes.append(kino::StrictParser::kRoomAfter, '\0');
  return text;
}

std::unique_ptr<kino::ParseWorker> parse(EventText& text) {
  auto worker = std::make_unique<kino::ParseWorker>();
  const std::size_t size = text.bytes.size() - kino::StrictParser::kRoomAfter - text.begin;
  worker->strict.parse({text.bytes.data() + text.begin, size}, text.begin, worker->interpreter);
  return worker;
}

std::shared_ptr<const kino::Trace> build(kino::ParseWorker& worker) {
  kino::BuildInput input;
  input.counts = worker.interpreter.take_counts();
  input.batches.push_back(std::move(worker.batch));
  input.decode = kino::unescape;
  input.threads = 1;
  auto built = kino::build_trace(std::move(input), {});
  return built.ok() ? built.value() : nullptr;
}

void emit_tiles(const kino::Trace& trace) {
  std::vector<kino::TileInstance> instances;
  std::vector<kino::TileLabel> labels;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const kino::SliceRow row = kino::SliceRow::of(trace, kino::RowId{static_cast<std::uint32_t>(i)});
    if (row.start_ns.empty()) continue;
    for (int level = 0; level < kino::kMaxTileLevel; level += 4) {
      instances.clear();
      labels.clear();
      const std::int64_t middle = row.start_ns[row.start_ns.size() / 2];
      kino::emit_slices(row, kino::TilePlace::at(level, middle), instances, labels);
    }
  }
}

// Counts the instructions of one repetition: those of two repetitions minus those of one.
std::optional<double> count(const std::string& valgrind, const std::string& kernel,
                            const std::filesystem::path& file, const std::string& self) {
  std::array<double, 2> counts{};
  for (int repeats = 0; repeats < 2; ++repeats) {
    const ChildRun run = run_child(
        {valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-fd=1",
         self, "--instruction-child", kernel, "--repeats", std::to_string(repeats + 1), file.string()},
        true);
    // Valgrind prints "I   refs:", and "I refs:" since version 3.21.
    constexpr std::string_view kLabel = " refs:";
    const std::size_t at = run.output.find(kLabel);
    if (run.exit_code != 0 || at == std::string::npos) return std::nullopt;
    double number = 0;
    for (const char c :
         run.output.substr(at + kLabel.size(), run.output.find('\n', at) - at - kLabel.size())) {
      if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    }
    counts.at(static_cast<std::size_t>(repeats)) = number;
  }
  return counts[1] - counts[0];
}

std::map<std::string, double> read_baseline(const std::filesystem::path& path) {
  std::map<std::string, double> baseline;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t comma = line.find(',');
    double number = 0;
    if (comma == std::string::npos) continue;
    std::istringstream(line.substr(comma + 1)) >> number;
    if (number > 0) baseline[line.substr(0, comma)] = number;
  }
  return baseline;
}

}  // namespace

bool run_instruction_bench(const InstructionBenchOptions& options) {
  if (kSanitized) {
    std::puts("Instructions are not counted of a program with sanitizers.");
    return true;
  }
  const auto valgrind = find_program("valgrind");
  if (!valgrind) {
    std::puts("Instructions are counted by valgrind, which is not installed.");
    return true;
  }
  const std::filesystem::path file = options.folder / "instructions.json";
  if (write_kineto_trace(file, kTextBytes)) return false;
  auto text = read_events(file);
  if (!text) return false;
  const auto events = static_cast<double>(parse(*text)->interpreter.take_counts().total());
  const std::map<std::string, double> baseline = read_baseline(options.baseline);
  std::ostringstream written;
  written << "kernel,instructions an event\n";
  Table table({"kernel", "what", "instructions an event", "baseline", "difference %"});
  double parsed = 0;
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    const std::string kernel = kKernels.at(i);
    auto counted = count(*valgrind, kernel, file, options.self);
    if (!counted) {
      std::fprintf(stderr, "kinetoscope_bench: %s does not run under valgrind\n", kernel.c_str());
      return false;
    }
    if (kernel == "parse") parsed = *counted;
    if (kernel == "build") *counted -= parsed;
    const double each = *counted / events;
    written << kernel << ',' << fixed(each, 1) << '\n';
    const auto before = baseline.find(kernel);
    const bool known = before != baseline.end();
    table.add({kernel, kMeans.at(i), fixed(each, 1), known ? fixed(before->second, 1) : "",
               known ? fixed(100 * (each / before->second - 1), 1) : ""});
  }
  std::printf("%s", table.text(options.csv).c_str());
  if (!options.update) return true;
  std::ofstream out(options.baseline);
  out << written.str();
  return out.good();
}

int run_instruction_child(const std::string& kernel, int repeats, const std::filesystem::path& file) {
  auto text = read_events(file);
  if (!text) return 1;
  if (kernel == "parse") {
    for (int i = 0; i < repeats; ++i) parse(*text);
    return 0;
  }
  if (kernel == "build") {
    for (int i = 0; i < repeats; ++i) {
      if (!build(*parse(*text))) return 1;
    }
    return 0;
  }
  const auto trace = build(*parse(*text));
  if (!trace) return 1;
  for (int i = 0; i < repeats; ++i) emit_tiles(*trace);
  return 0;
}

}  // namespace kino_test
