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

/// Whether the three longest examples make up at least half of the cost.
bool is_of_few_gaps(const StepCost& cost) {
  std::int64_t longest_ns = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, cost.examples.size()); ++i)
    longest_ns += cost.examples[i].ns;
  return 2 * longest_ns >= cost.ns;
}

/// Whether at least half of the cost is in gaps too long to be launch delays.
bool is_of_long_gaps(const StepCost& cost) { return 2 * cost.long_ns >= cost.ns; }

/// Returns advice on reducing the number of launches. It names the feature of the device's vendor, such as
/// CUDA graphs or HIP graphs.
msg::Id fewer_launches(std::string_view device, const Trace& trace) {
  if (device != "GPU") return msg::larger_programs_and_larger_batches_need;
  constexpr std::array kCompiled{msg::the_program_is_compiled_at_least,
                                 msg::the_program_is_compiled_at_least_in_part,
                                 msg::the_program_is_compiled_at_least_in_part_compile_the};  // by GpuVendor
  constexpr std::array kPlain{msg::use_compile_or_cuda_graphs, msg::use_compile_or_hip_graphs,
                              msg::use_compile};
  return (is_compiled(trace) ? kCompiled : kPlain)[static_cast<std::size_t>(gpu_vendor(trace))];
}

Message start_up_fix() {
  return Message(msg::start_up_happens_once_warm_up).then(msg::it_is_calls_that_load_code);
}

Message fix_of_late_launches(const StepCosts& costs, std::string_view device, const Trace& trace) {
  constexpr FindingKind kKind = FindingKind::launch_bound;
  if (costs.capturing_ns > costs[kKind].ns) return msg::graphs_are_captured_once_record_the;
  if (is_start_up(kKind, costs)) return start_up_fix();
  if (is_before_kernels(kKind, costs)) return msg::work_before_the_first_kernel_as;
  const bool pytorch = is_pytorch(trace);
  if (lacks_launch_thread_events(kKind, costs)) {
    if (is_kineto(trace) && !has_operators(trace)) return msg::record_operators_as_well_profileractivity;
    if (pytorch && has_operators(trace) && !has_kind(trace, SliceKind::python))
      return msg::record_with_with_stack_true_to;
    constexpr std::int64_t kTenth = 10;
    if (!costs.silent_work.name.empty() && costs.silent_work.ns >= costs.untraced_ns / kTenth) {
      return {msg::other_threads_work_in_these_gaps, costs.silent_work.name,
              text_from_duration(costs.silent_work.ns)};
    }
    if (std::ranges::any_of(trace.tracks,
                            [&](const Track& track) { return is_sampled_thread(trace, track); })) {
      return msg::the_threads_that_launch_have_neither;
    }
    return msg::the_recording_shows_at_most_enclosing;
  }
  if (is_of_few_gaps(costs[kKind])) return msg::few_gaps_make_up_most;
  if (graph_share(trace) >= kMostlyGraphs) return msg::most_work_is_in_graphs_already;
  if (device == "GPU" && !pytorch) return msg::graphs_cuda_or_hip_or_fewer;
  return fewer_launches(device, trace);
}

struct MemoryFix {
  Message text;
  Effort effort = Effort::code;
};

/// Returns the advice on allocations and its effort: `Effort::line` if the advice is only an allocator
/// setting, `Effort::code` otherwise.
MemoryFix fix_of_memory_calls(const StepCosts& costs, std::string_view device, const Trace& trace) {
  if (is_start_up(FindingKind::driver_memory, costs)) return {msg::warm_up_before_recording_the_first};
  const std::string& call = costs.memory_call;
  if (!is_pytorch(trace) || contains(call, "Host")) return {msg::allocate_memory_once_and_reuse_it};
  const bool frees = contains(call, "Free") || contains(call, "Unmap") || contains(call, "Release");
  const bool gets = !frees && !call.empty();
  // No call has most of the time, so both allocating and freeing calls may matter.
  if (call.empty()) return {msg::let_the_allocator_keep_its_memory_warm_up};
  if (device != "GPU" || gpu_vendor(trace) != GpuVendor::nvidia) {
    return {gets ? msg::the_allocator_still_gets_new_memory
                 : msg::let_the_allocator_keep_its_memory_leave_out};
  }
  if (gets) {
    return {Message(msg::the_allocator_still_gets_new_memory).then(msg::if_this_continues_set_expandable)};
  }
  return {msg::let_the_allocator_keep_its_memory, Effort::line};
}

bool is_within_device(const std::string& copy) {
  return contains(copy, "DtoD") || copy.starts_with("Memset") || contains(copy, "MemoryFill");
}
bool is_to_host(const std::string& copy) {
  return contains(copy, "DtoH") || contains(copy, "DeviceToHost") || contains(copy, "DEVICE_TO_HOST");
}

/// Whether the trace has only one GPU stream, so that work cannot wait for another stream.
bool has_one_stream(const Trace& trace) {
  return std::ranges::count_if(trace.tracks, [](const Track& track) {
           return track.kind == TrackKind::gpu_stream && track.row_count > 0;
         }) == 1;
}

/// Whether there is too little compute to hide the copies.
bool is_beyond_compute(const StepCosts& costs) { return costs.compute_ns < costs[FindingKind::copies].ns; }

/// Whether it is enough to pin the source memory of copies to the device, so that they can overlap with
/// compute.
bool is_mended_by_pinning(const StepCosts& costs, std::string_view device, const Trace& trace) {
  const std::string& copy = costs.copy_name;
  return device == "GPU" && is_pytorch(trace) && !is_before_kernels(FindingKind::copies, costs) &&
         !is_within_device(copy) && !is_to_host(copy) && !contains(copy, "Pinned") &&
         !is_beyond_compute(costs);
}

Message fix_of_copies(const StepCosts& costs, std::string_view device, const Trace& trace) {
  const std::string& copy = costs.copy_name;
  const bool pytorch = device != "GPU" || is_pytorch(trace);
  if (is_before_kernels(FindingKind::copies, costs)) return msg::work_before_the_first_kernel_as;
  if (device == "GPU" && is_within_device(copy)) {
    return pytorch ? msg::clone_contiguous_and_zeros_copy_and : msg::avoid_copies_and_fills_within_the;
  }
  if (costs.compute_ns == 0) return msg::no_compute_is_recorded_that_could_hide_them;
  if (is_beyond_compute(costs)) {
    const auto windows = std::max<std::int64_t>(1, static_cast<std::int64_t>(costs.base.windows.size()));
    return {costs.work_lost ? msg::overlap_with_the_recorded_compute_could
                            : msg::overlap_with_compute_could_hide_at,
            text_from_duration(costs.compute_ns / windows)};
  }
  if (device != "GPU") return msg::avoid_them_or_let_them_overlap;
  if (contains(copy, "Pinned")) {
    if (is_to_host(copy)) return msg::enqueue_on_another_stream;
    return pytorch ? msg::enqueue_earlier_non_blocking : msg::enqueue_earlier_on_another_stream;
  }
  if (is_to_host(copy)) {
    return pytorch ? msg::copy_into_pinned_memory_with_non : msg::copy_into_pinned_memory_on_another;
  }
  return pytorch ? msg::pin_memory_true_and_non_blocking : msg::copy_from_pinned_memory_on_a;
}

/// Returns the advice for programs without PyTorch; msg::nothing if the usual advice applies.
msg::Id neutral_fix(FindingKind kind) {
  switch (kind) {
    case FindingKind::waiting:
      return msg::keep_results_on_the_device_or;
    case FindingKind::no_tensor_cores:
      return msg::lower_precision_fp16_bf16_tf32_uses;
    case FindingKind::memory_limit:
      return msg::smaller_batches_or_offloading_make_room;
    default:
      return msg::nothing;
  }
}

}  // namespace

std::string code_of(const Message& fix) {
  struct Code {
    msg::Id advice;
    const char* text;
  };
  constexpr const char* kCompile = "model = torch.compile(model, mode=\"reduce-overhead\")";
  constexpr const char* kSegments = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  constexpr std::array kCodes{
      Code{msg::num_workers_is_0_set_num,
           "DataLoader(..., num_workers=4, pin_memory=True, persistent_workers=True)"},
      Code{msg::num_workers_is_0_set_num_workers_and,
           "DataLoader(..., num_workers=4, persistent_workers=True)"},
      Code{msg::use_compile_or_cuda_graphs, kCompile},
      Code{msg::use_compile_or_hip_graphs, kCompile},
      Code{msg::use_compile, "model = torch.compile(model)"},
      Code{msg::record_with_with_stack_true_to, "profile(with_stack=True)"},
      Code{msg::if_this_continues_set_expandable, kSegments},
      Code{msg::let_the_allocator_keep_its_memory, kSegments},
      Code{msg::call_gc_freeze_once_after_the, "gc.freeze()"},
      Code{msg::pin_memory_true_and_non_blocking,
           "DataLoader(..., pin_memory=True); batch.to(device, non_blocking=True)"},
      Code{msg::mixed_precision_torch_autocast_uses_them, "torch.autocast(\"cuda\", dtype=torch.bfloat16)"}};
  const auto code = [&](const Message& sentence) -> std::string {
    const auto found = std::ranges::find(kCodes, sentence.id(), &Code::advice);
    return found != kCodes.end() ? found->text : std::string();
  };
  if (fix.id()) return code(fix);
  const std::vector<Message> sentences = fix.parts();
  for (const Message& sentence : sentences) {
    if (std::string found = code(sentence); !found.empty()) return found;
  }
  return {};
}

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
  for (const std::string_view name : trace.names) {
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
  constexpr std::uint64_t kMinMoves = 10;  // fewer copies may be a model's input instead of its weights
  if (kind == FindingKind::copies && costs.copies_before_kernels < kMinMoves) return false;
  const std::int64_t before_ns = costs.before_kernels_ns(kind);
  return before_ns > 0 && 2 * before_ns >= costs[kind].ns;
}

bool lacks_launch_thread_events(FindingKind kind, const StepCosts& costs) {
  return kind == FindingKind::launch_bound && costs.untraced_ns > 0 &&
         2 * costs.untraced_ns >= costs[kind].ns;
}

Effort effort_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace) {
  switch (kind) {
    case FindingKind::driver_memory:
      return fix_of_memory_calls(costs, device, trace).effort;
    case FindingKind::data_loading:
    case FindingKind::garbage_collection:
    case FindingKind::no_tensor_cores:
      return Effort::line;
    case FindingKind::copies:
      return is_mended_by_pinning(costs, device, trace) ? Effort::line : Effort::code;
    case FindingKind::slow_step:
    case FindingKind::outliers:
      return Effort::investigation;
    default:
      return Effort::code;
  }
}

Message fix_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace) {
  if (device == "GPU" && !is_pytorch(trace)) {
    if (const msg::Id fix = neutral_fix(kind); fix != msg::nothing) return fix;
  }
  switch (kind) {
    case FindingKind::data_loading:
      if (costs.single_process_loader) {
        return costs.of_gpu ? msg::num_workers_is_0_set_num : msg::num_workers_is_0_set_num_workers_and;
      }
      if (costs.data_pipe) return msg::load_batches_ahead_with_a_dataloader;
      return msg::use_more_workers_num_workers_or;
    case FindingKind::launch_bound:
      return fix_of_late_launches(costs, device, trace);
    case FindingKind::launch_gaps:
      if (is_of_long_gaps(costs[kind])) {
        if (has_one_stream(trace)) {
          return Message(msg::most_of_it_is_in_long).then(msg::look_at_the_worst_example);
        }
        return Message(msg::most_of_it_is_in_long_gaps_the).then(msg::look_at_what_runs_elsewhere_in);
      }
      if (has_one_stream(trace)) return msg::fewer_and_larger_kernels_have_fewer;
      return Message(msg::fewer_and_larger_kernels_have_fewer).then(msg::where_a_gap_is_long_the);
    case FindingKind::waiting:
      if (costs.wait_is_explicit) {
        return Message(msg::no_operator_makes_this_call_leave)
            .then(msg::the_profiler_synchronizes_too_when_it);
      }
      return msg::keep_values_on_the_device_or;
    case FindingKind::driver_memory:
      return fix_of_memory_calls(costs, device, trace).text;
    case FindingKind::garbage_collection:
      return msg::call_gc_freeze_once_after_the;
    case FindingKind::exposed_communication:
      return communication_fix(trace, costs[kind]);
    case FindingKind::copies:
      return fix_of_copies(costs, device, trace);
    case FindingKind::recompute:
      return msg::checkpoint_fewer_layers_or_cheaper_ones;
    case FindingKind::slow_step:
      return {msg::compare_step_with_step_the_nearest, slowest_step(costs), costs.usual_step};
    case FindingKind::outliers:
      return msg::look_at_what_else_ran_then;
    case FindingKind::no_tensor_cores:
      return msg::mixed_precision_torch_autocast_uses_them;
    case FindingKind::memory_limit:
      return is_training(trace) ? msg::smaller_batches_checkpoints_or_offloading
                                : msg::smaller_batches_or_offloading_make_room;
  }
  return {};
}

}  // namespace kino
