#include "core/job/rank_digest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

constexpr std::array<std::string_view, 5> kLibraries{"nccl", "rccl", "hccl", "hcom", "oneccl"};

/// Returns the name up to its parameters, without template arguments.
std::string algorithm_of(std::string_view name) {
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0 && c == '(' && !plain.empty()) break;
    if (depth == 0) plain += c;
    if (c == '>' && depth > 0) --depth;
  }
  return plain;
}

bool is_custom(std::string_view name) {
  return std::ranges::none_of(kLibraries, [&](std::string_view head) { return name.starts_with(head); });
}

/// Returns the library of a kernel of DeepEP, NVSHMEM, MSCCL++ or QuickReduce; for other kernels, the
/// operation.
std::string family_of(std::string_view name, CollectiveKind kind) {
  for (const std::string_view library : {"deep_ep", "nvshmem", "mscclpp", "quickreduce"}) {
    if (name.find(library) != std::string_view::npos) return std::string(library);
  }
  return std::string(text_of(kind));
}

/// Returns the integers of a list such as "[0, 1, 5]"; empty if the text was truncated ("...").
std::vector<std::int64_t> ranks_of(std::string_view text) {
  std::vector<std::int64_t> ranks;
  if (text.find("...") != std::string_view::npos) return ranks;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), rank);
    if (error == std::errc{}) {
      ranks.push_back(rank);
      at = static_cast<std::size_t>(end - text.data());
    } else {
      ++at;
    }
  }
  return ranks;
}

class Digester {
 public:
  explicit Digester(const Trace& trace) : trace_(trace), facts_(decode_facts(trace)) {
    digest_.texts.intern("");
    digest_.rank = trace.job.rank;
    digest_.world_size = trace.job.world_size;
    digest_.first_ns = trace.origin_unix_ns + trace.content.begin_ns;
    digest_.last_ns = trace.origin_unix_ns + trace.content.end_ns;
  }

  RankDigest run(const std::stop_token& stop) {
    const GpuWork work = gpu_work_in(trace_, whole_range(trace_), stop);
    steps_ = find_steps(trace_, stop);
    if (stop.stop_requested()) return {};
    std::vector<TimeRange> compute;
    std::vector<TimeRange> copies;
    for (const StreamWork& stream : work.streams) {
      const std::uint32_t number = digest_.texts.intern(stream_name(trace_, stream.track).str());
      for (const SliceId slice : stream.slices) {
        const SliceKind kind = trace_.kind(slice);
        if (kind == SliceKind::communication) add(slice, number);
        if (kind == SliceKind::compute) compute.push_back(unix_range(slice));
        if (kind == SliceKind::copy) copies.push_back(unix_range(slice));
      }
    }
    if (kernels_.empty()) add_cpu_collectives(stop);
    digest_.compute = PackedRanges(united(std::move(compute)));
    digest_.copies = PackedRanges(united(std::move(copies)));
    const std::vector<MemoryPoint> memory = memory_points_of(trace_, stop);
    digest_.memory = rank_memory(memory);
    for (const Step& step : steps_.steps) {
      const TimeRange range{trace_.origin_unix_ns + step.range.begin_ns,
                            trace_.origin_unix_ns + step.range.end_ns};
      digest_.steps.push_back({step.number, range, peak_within(memory, range.begin_ns, range.end_ns)});
    }
    give_call_numbers();
    std::ranges::sort(kernels_, {}, [](const CommunicationKernel& kernel) {
      return std::tuple(kernel.start_ns, kernel.end_ns(), index_of(kernel.slice));
    });
    digest_.kernel_times = kernel_times_of(trace_, work, steps_, kernels_, stop);
    digest_.stretches = TraceIntervals(intervals_of(trace_, work, kernels_, stop));
    digest_.has_whole_us = std::ranges::all_of(kernels_, [](const CommunicationKernel& kernel) {
      return kernel.start_ns % 1000 == 0 && kernel.duration_ns % 1000 == 0;
    });
    give_groups_of_streams();
    give_only_group();
    digest_.kernels = CommunicationKernels(kernels_);
    return std::move(digest_);
  }

 private:
  TimeRange unix_range(SliceId slice) const {
    const std::int64_t begin = trace_.origin_unix_ns + trace_.start_ns(slice);
    return {begin, begin + trace_.duration_ns(slice)};
  }

  /// Adds collectives on CPU threads. The threads of one process take collectives from one queue, so all
  /// collectives are one stream. If there are several process groups, the group of a collective is unknown,
  /// and none is added.
  void add_cpu_collectives(const std::stop_token& stop) {
    if (trace_.job.groups.size() > 1) return;
    const std::vector<SliceId> slices = cpu_collectives(trace_, stop);
    if (slices.empty()) return;
    const std::uint32_t stream = digest_.texts.intern("cpu_threads");
    for (const SliceId slice : slices) add(slice, stream);
    const std::string library(
        trace_.name_of(slices.front()).substr(0, trace_.name_of(slices.front()).find(':')));
    RankGroup group{library, library, {}};
    if (!trace_.job.groups.empty()) group.members = trace_.job.groups.front().ranks;
    std::ranges::sort(group.members);
    const auto number = static_cast<std::uint32_t>(digest_.groups.size());
    digest_.groups.push_back(std::move(group));
    for (CommunicationKernel& kernel : kernels_) {
      kernel.custom = false;
      if (kernel.group == CommunicationKernel::kNoGroup) kernel.group = number;
    }
  }

  void add(SliceId slice, std::uint32_t stream) {
    const std::string_view name = trace_.name_of(slice);
    const CollectiveFacts facts = collective_facts(trace_, facts_, slice);
    CommunicationKernel kernel;
    kernel.start_ns = trace_.origin_unix_ns + trace_.start_ns(slice);
    kernel.duration_ns = trace_.duration_ns(slice);
    kernel.slice = slice;
    kernel.stream = stream;
    kernel.kind = facts.kind;
    kernel.custom = is_custom(name);
    kernel.family = digest_.texts.intern(family_of(name, facts.kind));
    kernel.algorithm = digest_.texts.intern(algorithm_of(name));
    kernel.dtype = digest_.texts.intern(facts.dtype);
    kernel.in_elements = facts.in_elements;
    kernel.out_elements = facts.out_elements;
    kernel.sequence = facts.sequence;
    kernel.communication = facts.communication;
    kernel.step = step_of(slice);
    if (kernel.is_message()) {
      kernel.source = kernel.kind == CollectiveKind::receive ? facts.source : digest_.rank;
      kernel.target = kernel.kind == CollectiveKind::send ? facts.target : digest_.rank;
    }
    if (facts.told)
      kernel.evidence = facts.known_from_kernel ? GroupEvidence::kernel : GroupEvidence::annotation;
    if (!facts.group_name.empty()) kernel.group = group_of(facts);
    if (facts.call_sequence >= 0 && !kernel.custom) {
      calls_[{kernel.group, facts.call_group}].push_back(
          {kernel.start_ns, facts.call_sequence, facts.call, kernels_.size()});
    }
    kernels_.push_back(kernel);
  }

  /// A kernel whose call recorded a sequence number.
  struct NumberedCall {
    std::int64_t start_ns = 0;
    std::int64_t number = -1;
    SliceId call = kNoSlice;
    std::size_t kernel = 0;  // index of kernels_
  };

  /// Sets the sequence numbers of kernels from those of their calls, in groups whose numbers count calls.
  void give_call_numbers() {
    for (auto& [group, calls] : calls_) {
      std::ranges::sort(calls, {},
                        [](const NumberedCall& call) { return std::pair(call.start_ns, call.kernel); });
      if (!count_calls(calls)) continue;
      for (const NumberedCall& call : calls) kernels_[call.kernel].sequence = call.number;
    }
  }

  /// Returns whether there are at least three calls, and their numbers increase from call to call, at least
  /// half of them by one: calls without kernels leave gaps. Other integers in the inputs, such as ranks, do
  /// not increase. False for groups with messages: some versions of torch also count messages, and only on
  /// the two ranks that take part.
  bool count_calls(std::span<const NumberedCall> calls) const {
    constexpr std::size_t kFewest = 3;
    std::size_t steps = 0;
    std::size_t by_one = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (kernels_[calls[i].kernel].is_message()) return false;
      if (i == 0) continue;
      const NumberedCall& before = calls[i - 1];
      if (calls[i].call == before.call) continue;  // several kernels of one call
      if (calls[i].number <= before.number) return false;
      ++steps;
      by_one += calls[i].number == before.number + 1 ? 1 : 0;
    }
    return steps + 1 >= kFewest && 2 * by_one >= steps;
  }

  /// Returns the number of the step that contains the launch; -1 if the launch is unknown or outside of
  /// steps. CPU collectives launch themselves.
  std::int64_t step_of(SliceId slice) const {
    const bool on_gpu = is_gpu_work(trace_.kind(slice));
    const SliceId launch = on_gpu ? trace_.link(slice) : slice;
    if (launch == kNoSlice) return -1;
    const std::size_t step = steps_.at(trace_.start_ns(launch));
    return step == Steps::kNone ? -1 : steps_.steps[step].number;
  }

  std::uint32_t group_of(const CollectiveFacts& facts) {
    const auto [known, fresh] =
        by_text_.try_emplace({std::string(facts.group_name), std::string(facts.group_ranks)}, 0);
    if (!fresh) return known->second;
    RankGroup group{std::string(facts.group_name), std::string(facts.group), ranks_of(facts.group_ranks)};
    if (group.members.empty()) {
      const auto known = std::ranges::find(trace_.job.groups, facts.group_name, &ProcessGroupInfo::name);
      if (known != trace_.job.groups.end()) group.members = known->ranks;
    }
    std::ranges::sort(group.members);
    known->second = static_cast<std::uint32_t>(digest_.groups.size());
    digest_.groups.push_back(std::move(group));
    return known->second;
  }

  /// Sets the group of kernels from their stream. Kernels of operations from before the recording have no
  /// group, but a communicator keeps its streams. Messages between two ranks have one stream per direction.
  void give_groups_of_streams() {
    struct Known {
      const CommunicationKernel* like = nullptr;
      bool agree = true;
    };
    std::map<std::uint32_t, Known> by_stream;
    for (const CommunicationKernel& kernel : kernels_) {
      if (kernel.group == CommunicationKernel::kNoGroup) continue;
      Known& known = by_stream[kernel.stream];
      const CommunicationKernel* like = std::exchange(known.like, &kernel);
      if (like == nullptr) continue;
      known.agree = known.agree && like->group == kernel.group && like->source == kernel.source &&
                    like->target == kernel.target;
    }
    for (CommunicationKernel& kernel : kernels_) {
      if (kernel.group != CommunicationKernel::kNoGroup || kernel.evidence != GroupEvidence::none ||
          kernel.custom)
        continue;
      const auto known = by_stream.find(kernel.stream);
      if (known == by_stream.end() || !known->second.agree) continue;
      const CommunicationKernel& like = *known->second.like;
      kernel.group = like.group;
      kernel.evidence = GroupEvidence::stream;
      if (!like.is_message()) continue;
      kernel.kind = like.kind;
      kernel.family = like.family;
      kernel.source = like.source;
      kernel.target = like.target;
    }
  }

  void give_only_group() {
    if (digest_.groups.size() != 1) return;
    for (CommunicationKernel& kernel : kernels_) {
      const bool message = kernel.is_message() || kernel.kind == CollectiveKind::send_receive;
      if (kernel.group != CommunicationKernel::kNoGroup || kernel.custom || message) continue;
      kernel.group = 0;
      if (kernel.evidence == GroupEvidence::none) kernel.evidence = GroupEvidence::only_group;
    }
  }

  const Trace& trace_;
  const std::vector<EventFacts> facts_;
  Steps steps_;
  RankDigest digest_;
  std::vector<CommunicationKernel> kernels_;  // moved to digest_ at the end
  std::map<std::pair<std::string, std::string>, std::uint32_t> by_text_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::vector<NumberedCall>> calls_;  // by group
};

// Limit of times, in the year 2067. Two such times can be added without overflow.
constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max() / 3;

bool bearable(std::int64_t time_ns) { return time_ns >= -kMostNs && time_ns <= kMostNs; }
bool bearable_length(std::int64_t length_ns) { return length_ns >= 0 && length_ns <= kMostNs; }
bool is_consistent(const TimeRange& range) {
  return bearable(range.begin_ns) && bearable(range.end_ns) && range.begin_ns <= range.end_ns;
}

bool are_united(const PackedRanges& ranges) {
  if (!ranges.sound()) return false;
  std::int64_t end_ns = -kMostNs - 1;  // end of the previous range
  for (const TimeRange range : ranges) {
    if (!is_consistent(range) || range.begin_ns == range.end_ns || end_ns >= range.begin_ns) return false;
    end_ns = range.end_ns;
  }
  return true;
}

bool is_consistent(const CommunicationOperation& operation, const RankDigest& digest) {
  const std::uint32_t texts = digest.texts.size();
  return (operation.group == CommunicationKernel::kNoGroup || operation.group < digest.groups.size()) &&
         operation.family < texts && operation.algorithm < texts && operation.dtype < texts &&
         operation.stream < texts && operation.kind <= CollectiveKind::other &&
         operation.evidence <= GroupEvidence::none;
}

bool is_consistent(const KernelClass& kernel) {
  return bearable_length(kernel.isolated_ns) && bearable_length(kernel.overlapped_ns) &&
         kernel.isolated_median_ns >= 0 && kernel.overlapped_median_ns >= 0 &&
         kernel.isolated_median_ns <= static_cast<double>(kMostNs) &&
         kernel.overlapped_median_ns <= static_cast<double>(kMostNs);
}

bool is_consistent(const KernelTimes& times) {
  const PackedTable& alone = times.alone;
  if (!std::ranges::all_of(times.classes, [](const KernelClass& kernel) { return is_consistent(kernel); }) ||
      !std::ranges::is_sorted(times.classes, {}, &KernelClass::key))
    return false;
  if (alone.empty()) return true;
  // Sums of such durations fit in 64 bits.
  constexpr std::int64_t kMostOfCall = kMostNs >> 16U;
  if (!alone.sound(KernelTimes::kColumns) || !alone.within(KernelTimes::kDuration, 0, kMostOfCall))
    return false;
  for (std::size_t i = 1; i < alone.size(); ++i) {
    if (alone.at(i - 1, KernelTimes::kCall) >= alone.at(i, KernelTimes::kCall)) return false;
  }
  return true;
}

bool is_consistent(const RankMemory& memory) {
  return bearable(memory.peak_ns) && memory.peak_bytes >= -1 &&
         std::ranges::is_sorted(memory.curve, {}, &MemoryPoint::time_ns) &&
         std::ranges::all_of(memory.curve, [](const MemoryPoint& point) {
           return bearable(point.time_ns) && point.bytes >= 0;
         });
}

/// Returns the sum of the rows of all windows. Stops adding once the sum exceeds kMostNs. Rows must be
/// readable.
std::int64_t total_ns(const PackedTable& times) {
  std::int64_t sum_ns = 0;
  for (std::size_t i = 0; i < times.size() && sum_ns <= kMostNs; ++i) sum_ns += times.at(i, 2);
  return sum_ns;
}

bool is_consistent(const RankLedger& ledger, const RankDigest& digest) {
  const auto windows = static_cast<std::int64_t>(ledger.windows.size());
  const auto kernels = static_cast<std::int64_t>(digest.kernels.size());
  const auto holds = [&](const PackedTable& table, std::size_t columns) {
    constexpr std::int64_t kMostRows = 255;
    return table.empty() ||
           (table.sound(columns) && table.within(0, 0, windows - 1) && table.within(1, 0, kMostRows));
  };
  return std::ranges::all_of(ledger.windows,
                             [&](const RankLedger::Window& window) {
                               return window.gpu < digest.texts.size() && is_consistent(window.range);
                             }) &&
         holds(ledger.times, RankLedger::kTimeColumns) && holds(ledger.pieces, RankLedger::kPieceColumns) &&
         (ledger.times.empty() || ledger.times.within(2, 0, kMostNs)) && total_ns(ledger.times) <= kMostNs &&
         (ledger.pieces.empty() ||
          (ledger.pieces.within(2, RankLedger::kNoKernel, kernels - 1) &&
           ledger.pieces.within(3, -kMostNs, kMostNs) && ledger.pieces.within(4, 0, kMostNs)));
}

bool is_consistent(const Table& table) {
  return std::ranges::all_of(table.columns, [&](const TableColumn& column) {
    return column.size() == table.row_count() && column.unit <= Unit::flop &&
           (column.words.empty() || column.words.size() == column.size());
  });
}

}  // namespace

RankDigest digest_of(const Trace& trace, const std::stop_token& stop) { return Digester(trace).run(stop); }

bool is_consistent(const RankDigest& digest) {
  const std::size_t kernels = digest.kernels.size();
  return digest.texts.size() > 0 && digest.texts[0].empty() &&
         is_consistent(TimeRange{digest.first_ns, digest.last_ns}) &&
         std::ranges::all_of(digest.groups,
                             [](const RankGroup& group) { return std::ranges::is_sorted(group.members); }) &&
         digest.kernels.sound(kMostNs) &&
         std::ranges::all_of(digest.kernels.operations(),
                             [&](const auto& entry) { return is_consistent(entry, digest); }) &&
         digest.stretches.size() == kernels && digest.stretches.sound(kernels, kMostNs) &&
         are_united(digest.compute) && are_united(digest.copies) &&
         std::ranges::all_of(digest.steps, [](const RankStep& step) { return is_consistent(step.range); }) &&
         is_consistent(digest.kernel_times) && is_consistent(digest.memory) &&
         is_consistent(digest.ledger, digest) &&
         std::ranges::all_of(digest.tables, [](const Table& table) { return is_consistent(table); });
}

}  // namespace kino
