// The kind of a slice, determined by its category and name, with the meanings that Kineto and HTA give them.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

/// Kind of a slice, which determines its color, track titles and tables. Legends show the kinds in this
/// order.
enum class SliceKind : std::uint8_t {
  compute,         ///< GPU kernel that computes
  communication,   ///< GPU kernel of a collective (NCCL, RCCL, HCCL, NVSHMEM, ...; see slice_kind())
  copy,            ///< GPU memcpy and memset
  gpu_sync,        ///< waiting recorded on the GPU side (cuda_sync)
  gpu_annotation,  ///< user annotation mapped onto a stream
  cpu_op,          ///< operator (aten::, autograd)
  runtime,         ///< runtime and driver calls of any device: CUDA, HIP, XPU, MUSA, MTIA, ...
  python,          ///< Python function
  annotation,      ///< user annotation on the CPU, ProfilerStep
  overhead,        ///< the profiler's own time
  other,
};

inline constexpr int kSliceKindCount = static_cast<int>(SliceKind::other) + 1;

/// Returns the name of a kind for legends and tables.
msg::Id shown_name(SliceKind kind);
/// Returns the name of a kind for JSON and SQL: "compute", "communication", ...
std::string_view text_of(SliceKind kind);

/// The category of all work of MTIA: kernels, copies (dma_request), waits and event marks.
inline constexpr std::string_view kMtiaWork = "mtia_ccp_events";

/// Word for waits in Track::contents, for GPUs and other devices.
inline constexpr std::string_view kWaitsOfStream = "waits";

/// Whether a slice of this category runs on an accelerator. These are kernel, gpu_memcpy, gpu_memset,
/// cuda_sync, gpu_user_annotation, cuda_graph, mtia_ccp_events, gpu_op (unitrace), and the spellings of torch
/// 1.8 to 1.11.
bool is_gpu_category(std::string_view category);

/// Returns the kind of a slice. Communication is recognized by HTA's patterns (`^nccl`, `ncclKernel`,
/// `^hccl`) and by further names, which HTA counts as computation. These include symmetric memory (ncclSymk),
/// RCCL, MSCCL, MSCCL++, NVSHMEM, rocSHMEM, and expert parallelism (DeepEP, dpsk::ep, *all_to_all*). They
/// also include the all-reduce kernels of vLLM, SGLang, TensorRT-LLM and PyTorch's symmetric memory
/// (cross_device_reduce, quickreduce, one_shot and two_shot, multimem_*). Kernels fused by Inductor count as
/// compute, whatever their names contain. O(length).
SliceKind slice_kind(std::string_view category, std::string_view name);

/// Whether a slice is a kernel, copy or memset: work that keeps a GPU busy.
constexpr bool is_gpu_work(SliceKind kind) {
  return kind == SliceKind::compute || kind == SliceKind::communication || kind == SliceKind::copy;
}

/// Whether a slice is GPU work or a wait recorded on the GPU. The link of such a slice is its launch.
constexpr bool is_on_gpu(SliceKind kind) { return is_gpu_work(kind) || kind == SliceKind::gpu_sync; }

}  // namespace kino
