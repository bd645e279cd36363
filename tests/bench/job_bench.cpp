#include "tests/bench/job_bench.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include <sys/resource.h>

#include "app/pages/job/job_loader.hpp"
#include "core/job/collective_matching.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/job_clocks.hpp"
#include "core/job/job_kernels.hpp"
#include "loaders/cache/ranks/rank_file.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/bench/anonymous_peak.hpp"
#include "tests/bench/child_process.hpp"
#include "tests/bench/table.hpp"

namespace kino_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kOriginNs = 1'760'000'000'000'000'000;
constexpr std::int64_t kGroupOfTensors = 8;  // ranks per machine
constexpr std::int64_t kSteps = 4;

double seconds_of(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One collective, executed by all tensor-parallel or all data-parallel groups. Times have no clock offset.
struct Event {
  std::int64_t start_ns = 0;
  std::int64_t transfer_ns = 0;
  std::int64_t elements = 0;
  std::int64_t step = 0;
  std::size_t number = 0;  // sequence number in its group
  bool of_tensors = true;
};

/// Returns the collectives of a training loop: 19 of 20 are tensor parallel. Most have the same size.
std::vector<Event> events_of(std::size_t count) {
  std::mt19937_64 random(5);
  std::vector<Event> events;
  std::int64_t at = 0;
  std::size_t numbers[2] = {0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    Event& event = events.emplace_back();
    at += 300'000 + static_cast<std::int64_t>(random() % 60'000);
    event.start_ns = at;
    event.of_tensors = i % 20 != 19;
    event.number = numbers[event.of_tensors ? 0 : 1]++;
    event.transfer_ns = event.of_tensors ? 80'000 : 150'000;
    event.elements = event.of_tensors ? 4096 * 8192 : (i % 400 == 399 ? 1 : 1 << 24);
    event.step = static_cast<std::int64_t>(i) * kSteps / static_cast<std::int64_t>(count);
  }
  return events;
}

/// Returns the digest of a rank. `numbered`: with sequence numbers, as torch has written them since 2026.
kino::RankDigest digest_of_rank(std::int64_t rank, std::int64_t world, const std::vector<Event>& events,
                                bool numbered, bool world_group) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 100);
  const std::int64_t machine = rank / kGroupOfTensors;
  const std::int64_t offset_ns = (machine * 7919) % 5'000'000;
  kino::RankDigest digest;
  digest.rank = rank;
  digest.world_size = world;
  digest.texts.intern("");
  digest.groups = {{"1", "tp", {}}, {"2", "dp", {}}};
  for (std::int64_t r = machine * kGroupOfTensors; r < std::min(world, (machine + 1) * kGroupOfTensors); ++r)
    digest.groups[0].members.push_back(r);
  const std::int64_t apart = world_group ? 1 : kGroupOfTensors;
  for (std::int64_t r = rank % apart; r < world; r += apart) digest.groups[1].members.push_back(r);
  std::vector<kino::CommunicationKernel> kernels;
  std::vector<kino::TraceInterval> stretches;
  std::vector<kino::TimeRange> compute;
  const std::size_t missed = random() % 6;  // recordings of ranks begin at different times
  for (std::size_t i = missed; i < events.size(); ++i) {
    const Event& event = events[i];
    kino::CommunicationKernel kernel;
    const std::int64_t arrival = event.start_ns + static_cast<std::int64_t>(random() % 40'000);
    const std::int64_t end =
        event.start_ns + 45'000 + event.transfer_ns + static_cast<std::int64_t>(random() % 2'000);
    kernel.start_ns = kOriginNs + offset_ns + arrival;
    kernel.duration_ns = end - arrival;
    kernel.in_elements = kernel.out_elements = event.elements;
    kernel.step = event.step;
    if (numbered) kernel.sequence = static_cast<std::int64_t>(event.number);
    kernel.group = event.of_tensors ? 0 : 1;
    kernel.kind = kino::CollectiveKind::all_reduce;
    kernel.family = digest.texts.intern("all-reduce");
    kernel.algorithm = digest.texts.intern("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    kernel.dtype = digest.texts.intern("BFloat16");
    kernel.evidence = kino::GroupEvidence::kernel;
    kino::TraceInterval& stretch = stretches.emplace_back();
    if (i > missed) {
      const std::int64_t before = kernels.back().end_ns();
      stretch.previous = static_cast<std::uint32_t>(i - missed - 1);
      stretch.length_ns = stretch.times[0] = std::max<std::int64_t>(0, kernel.start_ns - before);
      compute.push_back({before + 1, kernel.start_ns});
    }
    kernels.push_back(kernel);
  }
  digest.first_ns = kernels.front().start_ns;
  digest.last_ns = kernels.back().end_ns();
  digest.kernels = kino::CommunicationKernels(kernels);
  digest.stretches = kino::TraceIntervals(stretches);
  digest.compute = kino::PackedRanges(compute);
  return digest;
}

bool make_digests(const std::filesystem::path& folder, std::size_t ranks, const JobBenchOptions& options,
                  bool numbered) {
  std::filesystem::create_directory(folder);
  const std::vector<Event> events = events_of(options.kernels);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path trace = folder / ("rank" + std::to_string(rank) + ".json");
    const kino::CachedRank kept{.digest = digest_of_rank(static_cast<std::int64_t>(rank),
                                                         static_cast<std::int64_t>(ranks), events, numbered,
                                                         options.world_group)};
    if (const auto error = kino::write_rank_file(kino::rank_file_beside(trace), {}, kept)) {
      std::fprintf(stderr, "kinetoscope_bench: %s\n", error->what.str().c_str());
      return false;
    }
  }
  return true;
}

/// Measures wall time and processor time of this process since the previous call of next().
class Laps {
 public:
  struct Lap {
    double seconds = 0;
    double processor_seconds = 0;
  };

  Lap next() {
    const Lap lap{seconds_of(begin_), processor_seconds() - used_};
    begin_ = Clock::now();
    used_ = processor_seconds();
    return lap;
  }

 private:
  static double processor_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  Clock::time_point begin_ = Clock::now();
  double used_ = processor_seconds();
};

}  // namespace

int run_job_child(const std::filesystem::path& folder) {
  AnonymousPeak peak;
  Laps laps;
  auto contained = kino::traces_in_folder(folder, {});
  if (!contained.ok()) return 1;
  kino::JobLoader loader(contained->traces, {});
  loader.wait();
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(loader.ranks());
  const Laps::Lap read = laps.next();
  if (jobs.empty()) return 1;
  const double digests_bytes = peak.bytes();
  std::vector<const kino::RankDigest*> ranks;
  std::size_t count = 0;
  for (const kino::Recording& recording : jobs.front().job.recordings) {
    ranks.push_back(recording.digest().get());  // owned by `jobs`
    count += ranks.back()->kernels.size();
  }
  laps.next();
  std::size_t matched = 0;
  {
    const kino::JobKernels kernels = kino::job_kernels(ranks);
    kino::CollectiveMatcher matcher(ranks, kernels, {});
    kino::MatchedJob job = matcher.match();
    kino::JobClocks clocks = kino::fit_clocks(ranks, kernels, job);
    std::vector<double> offsets;
    for (const kino::RankClock& clock : clocks.ranks) offsets.push_back(clock.offset_ns);
    if (matcher.refine(offsets, job)) clocks = kino::fit_clocks(ranks, kernels, job);
    for (const kino::CollectiveInstance& instance : job.instances) {
      if (instance.level <= kino::MatchLevel::proved) matched += instance.kernels.size();
    }
  }
  const Laps::Lap aligned = laps.next();
  const double aligned_bytes = peak.bytes();
  const kino::JobAnalysis job = kino::analyze_job(jobs.front().job);
  const Laps::Lap analyzed = laps.next();
  std::printf("%.4f %.4f %.4f %.4f %.4f %.4f %.0f %.0f %.0f %zu %zu\n", read.seconds, read.processor_seconds,
              aligned.seconds, aligned.processor_seconds, analyzed.seconds, analyzed.processor_seconds,
              digests_bytes, aligned_bytes, peak.bytes(), count, matched);
  return 0;
}

namespace {

bool measure_job(const JobBenchOptions& options, std::size_t ranks, bool numbered, Table& table) {
  const std::filesystem::path folder = options.folder / ("job-" + std::to_string(ranks));
  if (!make_digests(folder, ranks, options, numbered)) return false;
  std::array<std::vector<double>, 6> seconds;
  std::array<double, 3> bytes{};  // peaks: digests, matched and aligned, all
  std::size_t kernels = 0;
  std::size_t matched = 0;
  for (int run = 0; run < options.runs; ++run) {
    const ChildRun child = run_child({options.self, "--job-child", folder.string()});
    std::array<double, 6> laps{};
    if (child.exit_code != 0 ||
        std::sscanf(child.output.c_str(), "%lf %lf %lf %lf %lf %lf %lf %lf %lf %zu %zu", &laps[0], &laps[1],
                    &laps[2], &laps[3], &laps[4], &laps[5], &bytes[0], &bytes[1], &bytes[2], &kernels,
                    &matched) != 11)
      return false;
    for (std::size_t i = 0; i < laps.size(); ++i) seconds[i].push_back(laps[i]);
  }
  std::filesystem::remove_all(folder);
  std::vector<std::string> row{std::to_string(ranks), numbered ? "yes" : "no",
                               grouped_number(kernels, options.csv)};
  for (std::vector<double>& runs : seconds) row.push_back(fixed(median(runs), 2));
  for (const double peak : bytes) row.push_back(fixed(peak / kMega, 0));
  row.push_back(grouped_number(matched, options.csv));
  table.add(row);
  return true;
}

}  // namespace

bool run_job_bench(const JobBenchOptions& options) {
  Table table({"ranks", "numbers", "kernels", "read s", "of processors", "match and align s", "of processors",
               "analyze s", "of processors", "digests MB", "aligned MB", "peak MB", "A and B"});
  for (const std::size_t ranks : options.ranks) {
    for (const bool numbered : {true, false}) {
      if (!measure_job(options, ranks, numbered, table)) return false;
    }
  }
  std::fputs(table.text(options.csv).c_str(), stdout);
  return true;
}

}  // namespace kino_test
