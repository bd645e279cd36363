// Use of Tensor Cores (Matrix Cores on AMD) by kernels, as far as their names show it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

struct Trace;

enum class TensorCores : std::uint8_t { no, yes, unknown };
/// Returns "yes", "no" or "unknown".
msg::Id text_of(TensorCores use);

enum class GpuVendor : std::uint8_t { nvidia, amd, unknown };

/// Returns the vendor, determined by device names. Without these, it is determined by runtime calls, kernel
/// names that end in ".kd" (AMD) and kernel names that start with an NVIDIA architecture ("volta_"). Unknown
/// for traces with both vendors or neither. O(names).
GpuVendor gpu_vendor(const Trace& trace);

/// Returns whether a kernel uses Tensor Cores, judged by its name. NVIDIA, yes: the TensorBoard plugin's list
/// (HMMA, IMMA, xmma, ...), names of Ampere to Blackwell (tensorop, tensor16x8x16, sm90, nvjet, wgmma,
/// tcgen05), CUTLASS 3 (cutlass::device_kernel), DeepGEMM, flash and memory-efficient attention, and products
/// in FP8 or FP4, which only Tensor Cores compute. No: PyTorch's own kernels, pointwise and reduction kernels
/// of Inductor, float kernels of cuBLAS and cuDNN (sgemm, scudnn, winograd), and kernels named as copies,
/// reductions and similar. Other kernels, such as Triton's, are unknown. AMD, yes: names with matrix
/// instructions (MFMA, XDL, WMMA, Cijk_..._MI16x16x1). No: PyTorch's own kernels and pointwise and reduction
/// kernels of Inductor. Others are unknown. O(length).
TensorCores tensor_cores_of(std::string_view kernel, GpuVendor vendor);

}  // namespace kino
