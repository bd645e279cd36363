// Which kernels compute on Tensor Cores, or Matrix Cores as AMD calls them, as far as their names tell.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

struct Trace;

enum class TensorCores : std::uint8_t { no, yes, unknown };
/// "yes", "no", "unknown".
msg::Id text_of(TensorCores use);

enum class GpuVendor : std::uint8_t { nvidia, amd, unknown };

/// From the names of the devices, or else of the runtime's calls, of kernels that end in ".kd" (AMD) and of
/// kernels that begin with one of NVIDIA's architectures ("volta_"). Unknown for traces with both or neither.
/// O(names).
GpuVendor gpu_vendor(const Trace& trace);

/// NVIDIA: the TensorBoard plugin's list (HMMA, IMMA, xmma, ...), the names of Ampere to Blackwell (tensorop,
/// tensor16x8x16, sm90, nvjet, wgmma, tcgen05), CUTLASS 3 (cutlass::device_kernel), DeepGEMM, flash and
/// memory-efficient attention, and products in FP8 or FP4, which nothing else can compute, do. PyTorch's own
/// kernels, Inductor's pointwise and reducing ones, cuBLAS's and cuDNN's of float (sgemm, scudnn, winograd),
/// and what names itself a copy, reduction or the like do not. Of the rest, as of Triton's, nothing is known.
/// AMD: matrix instructions have to be named (MFMA, XDL, WMMA, Cijk_..._MI16x16x1); PyTorch's own kernels and
/// Inductor's pointwise and reducing ones have none; of the rest nothing is known. O(length).
TensorCores tensor_cores_of(std::string_view kernel, GpuVendor vendor);

}  // namespace kino
