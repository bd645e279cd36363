#include "core/tables/analysis/findings.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/communication_advice.hpp"
#include "core/tables/analysis/finding_fixes.hpp"
#include "core/tables/analysis/finding_texts.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/doubtful_work.hpp"

namespace kino {
namespace {

constexpr double kMemory = 0.9;              // share of device memory above which the TensorBoard plugin
                                             // warns
constexpr double kUnknown = 0.02;            // share of the compute time
constexpr double kWithoutLaunch = 0.2;       // share of the GPU time
constexpr std::size_t kLongestFilter = 200;  // maximum bytes of a filter; the window's field holds 255

double ratio(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Table that contains the examples of a finding.
struct ExampleRows {
  const char* table;
  std::optional<msg::Id> filter;  ///< nullopt: the name of the worst example
};
/// By FindingKind.
constexpr std::array<ExampleRows, kFindingKindCount> kExampleRows{{{"gaps", msg::filter_data_loader},
                                                                   {"gaps", msg::word_host_wait},
                                                                   {"gaps", msg::filter_queued},
                                                                   {"gaps", msg::filter_waited},
                                                                   {"gaps", msg::filter_gpu_memory},
                                                                   {"gaps", msg::nothing},
                                                                   {"kernels", std::nullopt},
                                                                   {"kernels", std::nullopt},
                                                                   {"kernels", std::nullopt},
                                                                   {"steps", msg::nothing},
                                                                   {"outliers", msg::nothing},
                                                                   {"operators", std::nullopt},
                                                                   {"memory", msg::nothing}}};

/// Whether one of the devices has Tensor Cores. False for unlisted devices.
bool may_use_tensor_cores(const JobInfo& job) {
  return std::ranges::any_of(job.device_names, has_tensor_cores);
}

class FindingList {
 public:
  FindingList(const GpuParts& parts, ByteUnits units, const std::stop_token& stop)
      : parts_(parts), trace_(parts.trace()), units_(units), stop_(stop), costs_(step_costs(parts, stop)) {}

  Findings run() {
    out_.base = costs_.base;
    if (!costs_.base.windows.empty())
      out_.compute_ns = costs_.compute_ns / static_cast<std::int64_t>(costs_.base.windows.size());
    out_.device = device_word(trace_);
    const DataQualityReport trust = data_quality_report(trace_, stop_);
    if (costs_.of_gpu) out_.caveat = idle_caveat(trust.launches);
    costs_.work_lost = !out_.caveat.empty();
    for (std::size_t kind = 0; kind < kFindingKindCount; ++kind)
      add_timed(static_cast<FindingKind>(kind), trust);
    order();
    add_untimed();
    out_.verdict = verdict_of(out_, costs_, trust, trace_);
    out_.verdict.then(doubtful_note(trace_, doubtful_work(trace_, stop_)));
    if (stop_.stop_requested()) return {};
    return std::move(out_);
  }

 private:
  void add_timed(FindingKind kind, const DataQualityReport& trust) {
    const StepCost& cost = costs_[kind];
    const double share = ratio(cost.ns, costs_.total_ns);
    if (cost.ns <= 0 || share < kMinFindingShare || costs_.base.windows.empty()) return;
    // Lost work may have run in this idle time.
    constexpr std::array kOfIdleTime{FindingKind::launch_bound, FindingKind::launch_gaps,
                                     FindingKind::waiting};
    if (!out_.caveat.empty() && std::ranges::find(kOfIdleTime, kind) != kOfIdleTime.end()) return;
    Finding finding;
    finding.kind = kind;
    finding.won_ns = cost.ns / static_cast<std::int64_t>(costs_.base.windows.size());
    finding.share = share;
    finding.share_of = out_.base.brief(out_.device);
    finding.overlaps = kind == FindingKind::slow_step || kind == FindingKind::outliers;
    if (const auto covered = trust.covered_gpu_time();
        covered && *covered < 1 - kWithoutLaunch && is_late(kind))
      finding.bound = WonBound::at_least;
    if (is_of_none_computing(kind) && count_of_gpus(trace_) > 1) finding.bound = WonBound::neither;
    finding.examples = cost.examples;
    finding.step_ns.reserve(costs_.by_part.size());
    for (const PartCosts& part : costs_.by_part)
      finding.step_ns.push_back(part[static_cast<std::size_t>(kind)]);
    finish(std::move(finding));
  }
  static bool is_late(FindingKind kind) { return kind <= FindingKind::garbage_collection; }
  static bool is_of_none_computing(FindingKind kind) {
    return kind == FindingKind::exposed_communication || kind == FindingKind::copies;
  }

  void finish(Finding finding) {
    finding.effort = effort_of(finding.kind, costs_, out_.device, trace_);
    finding.sentence = sentence_of(finding, costs_, trace_);
    if (is_late(finding.kind)) finding.sentence.then(out_.caveat);
    finding.fix = fix_of(finding.kind, costs_, out_.device, trace_);
    finding.code = code_of(finding.fix);
    const bool of_cpu = finding.kind == FindingKind::data_loading && !costs_.of_gpu;
    const ExampleRows rows = of_cpu ? ExampleRows{"operators", std::nullopt}
                                    : kExampleRows[static_cast<std::size_t>(finding.kind)];
    finding.table = rows.table;
    if (rows.filter) {
      finding.filter = english(*rows.filter);
    } else if (finding.evidence() != kNoSlice) {
      finding.filter = trace_.name_of(finding.evidence()).substr(0, kLongestFilter);
    }
    out_.list.push_back(std::move(finding));
  }

  void order() {
    std::int64_t largest = 0;
    for (const Finding& finding : out_.list) largest = std::max(largest, *finding.won_ns);
    const auto rank = [&](const Finding& finding) {
      const bool close =
          static_cast<double>(*finding.won_ns) * kCloseFindings >= static_cast<double>(largest);
      return std::tuple(close ? 0 : 1, close ? static_cast<int>(finding.effort) : 0, -*finding.won_ns);
    };
    std::ranges::stable_sort(out_.list, {}, rank);
  }

  void add_untimed() {
    look_at_tensor_cores();
    // A server reserves its memory at start-up, so a full device does not limit it.
    if (is_server(trace_) && !is_training(trace_)) return;
    for (const MemoryDevice& device : memory_devices(trace_, parts_.range())) {
      const std::vector<std::int64_t>& memories = trace_.job.device_memory_bytes;
      if (device.device >= memories.size() || memories[device.device] <= 0) continue;
      const double share = ratio(device.peak_bytes, memories[device.device]);
      if (share <= kMemory) continue;
      add_untimed(FindingKind::memory_limit, share, msg::the_devices_memory,
                  {msg::close_to_out_of_memory, memory_device_name(trace_, device.device),
                   text_from_share(share), text_from_bytes(static_cast<double>(device.peak_bytes), units_),
                   text_from_bytes(static_cast<double>(memories[device.device]), units_)},
                  device.peak_slice);
    }
  }
  void add_untimed(FindingKind kind, double share, Message share_of, Message sentence, SliceId evidence) {
    Finding finding;
    finding.kind = kind;
    finding.share = share;
    finding.share_of = std::move(share_of);
    finding.sentence = std::move(sentence);
    if (evidence != kNoSlice) {
      finding.examples.push_back({trace_.range_of(evidence), 0, evidence});
    }
    finish(std::move(finding));
  }

  /// Adds the finding on eligible operators if no kernel uses Tensor Cores. There is no finding unless a
  /// device is known to have Tensor Cores. There is also none if the kernel names of an eligible operator, or
  /// of 2 % of the compute time, do not show whether Tensor Cores are used.
  void look_at_tensor_cores() {
    if (!may_use_tensor_cores(trace_.job)) return;
    std::int64_t compute_ns = 0;
    std::int64_t unknown_ns = 0;
    std::vector<std::uint8_t> unknown(trace_.names.size());
    for (const KernelRow& row : parts_.kernels(stop_)) {
      if (row.kind != SliceKind::compute) continue;
      if (row.tensor_cores == TensorCores::yes) return;
      add_saturating(compute_ns, row.spread.total_ns);
      if (row.tensor_cores == TensorCores::unknown) {
        add_saturating(unknown_ns, row.spread.total_ns);
        unknown[index_of(row.name)] = 1;
      }
    }
    if (compute_ns <= 0 || ratio(unknown_ns, compute_ns) >= kUnknown) return;
    const SliceSet& eligible = parts_.tensor_core_work(stop_);
    std::int64_t total_ns = 0;
    std::int64_t longest_ns = -1;
    SliceId longest = kNoSlice;
    const TimeRange range = parts_.gpu_range(stop_);
    for (const StreamWork& stream : parts_.work(stop_).streams) {
      for (const SliceId slice : stream.slices) {
        if (!eligible.contains(index_of(slice))) continue;
        if (unknown[index_of(trace_.name(slice))] != 0) return;
        const TimeRange part = clipped(range, trace_.start_ns(slice), trace_.end_ns(slice));
        add_saturating(total_ns, part.length_ns());
        if (part.length_ns() <= longest_ns) continue;
        longest_ns = part.length_ns();
        longest = slice;
      }
    }
    if (longest == kNoSlice) return;
    const double share = ratio(total_ns, compute_ns);
    add_untimed(FindingKind::no_tensor_cores, share, msg::the_computing_kernels_time_summed_up,
                {msg::no_kernel_uses_tensor_cores_though, text_from_share(share)}, owner_of(trace_, longest));
  }

  const GpuParts& parts_;
  const Trace& trace_;
  ByteUnits units_;
  const std::stop_token& stop_;
  StepCosts costs_;
  Findings out_;
};

}  // namespace

Findings find_findings(const GpuParts& parts, ByteUnits units, const std::stop_token& stop) {
  return FindingList(parts, units, stop).run();
}

}  // namespace kino
