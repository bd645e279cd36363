#include "core/tables/analysis/finding_fixes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/communication_advice.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/trace_maker.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

/// Whether the three longest examples are half of it.
bool is_of_few_gaps(const StepCost& cost) {
  std::int64_t longest_ns = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, cost.examples.size()); ++i)
    longest_ns += cost.examples[i].ns;
  return 2 * longest_ns >= cost.ns;
}

/// Whether half of it is in gaps that no delay of a launch explains.
bool is_of_long_gaps(const StepCost& cost) { return 2 * cost.long_ns >= cost.ns; }

/// Graphs by the name that the maker of the device gives them.
std::string fewer_launches(std::string_view device, const Trace& trace) {
  if (device != "GPU") return "Larger programs and larger batches need fewer launches for the same work.";
  const GpuVendor vendor = gpu_vendor(trace);
  if (is_compiled(trace)) {
    switch (vendor) {
      case GpuVendor::nvidia:
        return "The program is compiled at least in part: compile the rest, use CUDA graphs "
               "(mode=reduce-overhead), or larger batches.";
      case GpuVendor::amd:
        return "The program is compiled at least in part: compile the rest, use HIP graphs "
               "(mode=reduce-overhead), or larger batches.";
      case GpuVendor::unknown:
        break;
    }
    return "The program is compiled at least in part: compile the rest, or use larger batches.";
  }
  switch (vendor) {
    case GpuVendor::nvidia:
      return "torch.compile or CUDA graphs need fewer launches; larger batches need fewer for the same work.";
    case GpuVendor::amd:
      return "torch.compile or HIP graphs need fewer launches; larger batches need fewer for the same work.";
    case GpuVendor::unknown:
      break;
  }
  return "torch.compile needs fewer launches; larger batches need fewer for the same work.";
}

constexpr std::string_view kStartUpFix =
    "Start-up happens once: warm up before recording. It is calls that load code, and first calls that take "
    "far longer than later ones.";

constexpr std::string_view kMovesFix =
    "Work before the first kernel, as when a model is moved to the device, happens once: record after it.";

std::string fix_of_late_launches(const StepCosts& costs, std::string_view device, const Trace& trace) {
  constexpr FindingKind kKind = FindingKind::launch_bound;
  if (costs.capturing_ns > costs[kKind].ns) return "Graphs are captured once: record the steps after that.";
  if (is_start_up(kKind, costs)) return std::string(kStartUpFix);
  if (is_before_kernels(kKind, costs)) return std::string(kMovesFix);
  const bool pytorch = is_pytorch(trace);
  if (is_silent(kKind, costs)) {
    if (is_kineto(trace) && !has_operators(trace))
      return "Record operators as well (ProfilerActivity.CPU) to see what the CPU does in these gaps.";
    if (pytorch && has_operators(trace) && !has_kind(trace, SliceKind::python))
      return "Record with with_stack=True to see what the CPU does in these gaps.";
    constexpr std::int64_t kTenth = 10;
    if (!costs.silent_work.name.empty() && costs.silent_work.ns >= costs.silent_ns / kTenth) {
      return "Other threads work in these gaps, most in " + costs.silent_work.name + " (" +
             text_from_duration(costs.silent_work.ns) +
             " summed over threads): the launching thread may wait for them.";
    }
    if (std::ranges::any_of(trace.tracks, [&](const Track& it) { return is_sampled_thread(trace, it); })) {
      return "The threads that launch have neither calls nor CPU samples in these gaps: look at what they "
             "wait for.";
    }
    return "The recording shows at most enclosing ranges in these gaps: record CPU samples, or finer ranges "
           "of your own.";
  }
  if (is_of_few_gaps(costs[kKind]))
    return "A few gaps are most of it: look at what the CPU does in the worst example.";
  if (graph_share(trace) >= kMostlyGraphs)
    return "Most work is in graphs already: look at what the CPU does between them.";
  if (device == "GPU" && !pytorch)
    return "Graphs (CUDA or HIP), or fewer and larger kernels, need fewer launches.";
  return fewer_launches(device, trace);
}

struct MemoryFix {
  std::string_view text;
  Effort effort = Effort::code;
};

/// A setting of the allocator is an argument. To warm up, to reuse memory or to leave out a call is none.
MemoryFix fix_of_memory_calls(const StepCosts& costs, std::string_view device, const Trace& trace) {
  if (is_start_up(FindingKind::driver_memory, costs))
    return {"Warm up before recording: the first calls set up the device and its memory."};
  const std::string& call = costs.memory_call;
  if (!is_pytorch(trace) || contains(call, "Host"))
    return {"Allocate memory once and reuse it, or take it from a pool."};
  const bool frees = contains(call, "Free") || contains(call, "Unmap") || contains(call, "Release");
  const bool gets = !frees && !call.empty();
  // Calls that get and calls that free, and neither has most of it.
  if (call.empty()) return {"Let the allocator keep its memory: warm up before recording."};
  if (device != "GPU" || gpu_vendor(trace) != GpuVendor::nvidia) {
    return {gets ? "The allocator still gets new memory: warm up before recording."
                 : "Let the allocator keep its memory: leave out empty_cache() if the program calls it."};
  }
  if (gets) {
    return {
        "The allocator still gets new memory: warm up before recording. If it goes on, set "
        "expandable_segments:True in PYTORCH_CUDA_ALLOC_CONF."};
  }
  return {
      "Let the allocator keep its memory: set expandable_segments:True in PYTORCH_CUDA_ALLOC_CONF, and "
      "leave out empty_cache() if the program calls it.",
      Effort::argument};
}

bool is_within_device(const std::string& copy) {
  return contains(copy, "DtoD") || copy.starts_with("Memset") || contains(copy, "MemoryFill");
}
bool is_to_host(const std::string& copy) {
  return contains(copy, "DtoH") || contains(copy, "DeviceToHost") || contains(copy, "DEVICE_TO_HOST");
}

/// Whether work can wait for no other stream.
bool has_one_stream(const Trace& trace) {
  return std::ranges::count_if(trace.tracks, [](const Track& track) {
           return track.kind == TrackKind::gpu_stream && track.row_count > 0;
         }) == 1;
}

/// Whether there is too little compute to hide the copies.
bool is_beyond_compute(const StepCosts& costs) { return costs.compute_ns < costs[FindingKind::copies].ns; }

/// Whether it is enough to pin the memory that copies to the device read.
bool is_mended_by_pinning(const StepCosts& costs, std::string_view device, const Trace& trace) {
  const std::string& copy = costs.copy_name;
  return device == "GPU" && is_pytorch(trace) && !is_before_kernels(FindingKind::copies, costs) &&
         !is_within_device(copy) && !is_to_host(copy) && !contains(copy, "Pinned") &&
         !is_beyond_compute(costs);
}

std::string fix_of_copies(const StepCosts& costs, std::string_view device, const Trace& trace) {
  const std::string& copy = costs.copy_name;
  const bool pytorch = device != "GPU" || is_pytorch(trace);
  if (is_before_kernels(FindingKind::copies, costs)) return std::string(kMovesFix);
  if (device == "GPU" && is_within_device(copy)) {
    return pytorch ? "clone(), contiguous() and zeros() copy and fill within the device: avoid them."
                   : "Avoid copies and fills within the device.";
  }
  if (costs.compute_ns == 0)
    return "No compute is recorded that could hide them: copy less, or keep the data on the device.";
  if (is_beyond_compute(costs)) {
    const auto windows = std::max<std::int64_t>(1, static_cast<std::int64_t>(costs.base.windows.size()));
    return std::string("Overlap with ") + (costs.work_lost ? "the recorded compute" : "compute") +
           " could hide at most " + text_from_duration(costs.compute_ns / windows) +
           " of them: copy less, or keep the data on the device.";
  }
  if (device != "GPU") return "Avoid them, or let them overlap with compute.";
  if (contains(copy, "Pinned")) {
    if (is_to_host(copy))
      return "Issue them on another stream and wait for them later, so that they overlap with compute.";
    return pytorch ? "Issue them ahead on another stream with non_blocking=True, so that they overlap with "
                     "compute."
                   : "Issue them ahead on another stream, so that they overlap with compute.";
  }
  if (is_to_host(copy)) {
    return pytorch ? "Copy into pinned memory with non_blocking=True and wait for it later, so that copies "
                     "overlap with compute."
                   : "Copy into pinned memory on another stream and wait for it later, so that copies "
                     "overlap with compute.";
  }
  return pytorch ? "pin_memory=True and non_blocking=True let copies between host and device overlap with "
                   "compute."
                 : "Copy from pinned memory on a stream of its own, so that copies overlap with compute.";
}

/// For programs without PyTorch; empty if the usual advice fits them as well.
std::string neutral_fix(FindingKind kind) {
  switch (kind) {
    case FindingKind::waiting:
      return "Keep results on the device or read them later: synchronisation and copies to the host wait.";
    case FindingKind::no_tensor_cores:
      return "Lower precision (FP16, BF16, TF32) uses them.";
    case FindingKind::memory_limit:
      return "Smaller batches or offloading make room.";
    default:
      return {};
  }
}

}  // namespace

std::string slowest_step(const StepCosts& costs) {
  const FindingBase& base = costs.base;
  const StepCost& cost = costs[FindingKind::slow_step];
  if (cost.examples.empty()) return "?";
  const auto at = std::ranges::find(base.windows, cost.examples.front().range);
  const auto step = static_cast<std::size_t>(at - base.windows.begin());
  return step < base.names.size() ? base.names[step] : "?";
}

bool is_compiled(const Trace& trace) {
  constexpr std::array<std::string_view, 5> kBegins{"triton_poi_fused", "triton_red_fused",
                                                    "triton_per_fused", "triton_tem_fused",
                                                    "Torch-Compiled Region"};
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    if (contains(name, "CompiledFxGraph") ||
        std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); }))
      return true;
  }
  return false;
}

double graph_share(const Trace& trace) {
  std::vector<std::uint8_t> graph(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    graph[i] = launches_graph(trace.names[i]) ? 1 : 0;
    any = any || graph[i] != 0;
  }
  if (!any) return 0;
  double in_graphs = 0;
  double all = 0;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (!is_gpu_work(trace.slices.kind[i])) continue;
    const auto ns = static_cast<double>(trace.slices.duration_ns[i]);
    all += ns;
    const SliceId launch = trace.slices.link[i];
    if (launch != kNoSlice && graph[index_of(trace.name(launch))] != 0) in_graphs += ns;
  }
  return all > 0 ? in_graphs / all : 0;
}

bool is_start_up(FindingKind kind, const StepCosts& costs) {
  const StartUpCost* const start_up = costs.start_up(kind);
  return start_up != nullptr && start_up->longest != kNoSlice && 2 * start_up->ns >= costs[kind].ns;
}

bool is_before_kernels(FindingKind kind, const StepCosts& costs) {
  constexpr std::uint64_t kLeastMoves = 10;  // one input of a model is moved by fewer copies than its weights
  if (kind == FindingKind::copies && costs.copies_before_kernels < kLeastMoves) return false;
  const std::int64_t before_ns = costs.before_kernels_ns(kind);
  return before_ns > 0 && 2 * before_ns >= costs[kind].ns;
}

bool is_silent(FindingKind kind, const StepCosts& costs) {
  return kind == FindingKind::launch_bound && costs.silent_ns > 0 && 2 * costs.silent_ns >= costs[kind].ns;
}

Effort effort_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace) {
  switch (kind) {
    case FindingKind::driver_memory:
      return fix_of_memory_calls(costs, device, trace).effort;
    case FindingKind::data_loading:
    case FindingKind::garbage_collection:
    case FindingKind::no_tensor_cores:
      return Effort::argument;
    case FindingKind::copies:
      return is_mended_by_pinning(costs, device, trace) ? Effort::argument : Effort::code;
    case FindingKind::slow_step:
    case FindingKind::outliers:
      return Effort::rewrite;
    default:
      return Effort::code;
  }
}

std::string fix_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace) {
  if (device == "GPU" && !is_pytorch(trace)) {
    if (std::string fix = neutral_fix(kind); !fix.empty()) return fix;
  }
  switch (kind) {
    case FindingKind::data_loading:
      if (costs.single_process_loader) {
        return costs.of_gpu
                   ? "num_workers is 0: set num_workers, pin_memory and persistent_workers of the DataLoader."
                   : "num_workers is 0: set num_workers and persistent_workers of the DataLoader.";
      }
      if (costs.data_pipe) return "Load batches ahead with a DataLoader that has workers.";
      return "Use more workers (num_workers) or a larger prefetch_factor, or make a batch cheaper to load.";
    case FindingKind::launch_bound:
      return fix_of_late_launches(costs, device, trace);
    case FindingKind::launch_gaps:
      if (is_of_long_gaps(costs[kind])) {
        if (has_one_stream(trace)) {
          return "Most of it is in long gaps: there is no other stream, so the work waits for the driver. "
                 "Look at the worst example.";
        }
        return "Most of it is in long gaps: the work waits for another stream, another device or the driver. "
               "Look at what runs elsewhere in the worst example.";
      }
      if (has_one_stream(trace)) return "Fewer and larger kernels have fewer gaps.";
      return "Fewer and larger kernels have fewer gaps. Where a gap is long, the work waits for another "
             "stream or another device.";
    case FindingKind::waiting:
      if (costs.wait_asked) {
        return "No operator makes this call: leave out torch.cuda.synchronize() and its like. The profiler "
               "synchronises, too, when it stops.";
      }
      return "Keep values on the device or read them later: .item(), .cpu(), nonzero() and printing a tensor "
             "wait.";
    case FindingKind::driver_memory:
      return std::string(fix_of_memory_calls(costs, device, trace).text);
    case FindingKind::garbage_collection:
      return "Call gc.freeze() once after the start, or collect between steps only.";
    case FindingKind::exposed_communication:
      return communication_fix(trace, costs[kind]);
    case FindingKind::copies:
      return fix_of_copies(costs, device, trace);
    case FindingKind::recompute:
      return "Checkpoint fewer layers, or cheaper ones, as far as memory allows.";
    case FindingKind::slow_step:
      return "Compare step " + slowest_step(costs) + " with step " + costs.usual_step +
             ", the nearest to the median.";
    case FindingKind::outliers:
      return "Look at what else ran then: other streams, other ranks, the device's clocks.";
    case FindingKind::no_tensor_cores:
      return "Mixed precision (torch.autocast) uses them, and so does TF32 from Ampere on.";
    case FindingKind::memory_limit:
      return is_training(trace) ? "Smaller batches, checkpoints or offloading make room."
                                : "Smaller batches or offloading make room.";
  }
  return {};
}

}  // namespace kino
