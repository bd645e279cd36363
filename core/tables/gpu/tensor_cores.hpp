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

/// Returns the vendor, determined by device names. If these show none, the first name of a runtime call or
/// kernel that shows one decides. Kernel names show a vendor if they end in ".kd" (AMD) or start with an
/// NVIDIA architecture ("volta_"). Unknown if device names show both vendors, or if nothing shows one.
/// O(names).
GpuVendor gpu_vendor(const Trace& trace);

/// Returns whether a kernel uses Tensor Cores, judged by its name. O(length). For NVIDIA kernels:
/// - yes: the TensorBoard plugin's list (HMMA, IMMA, xmma, ...), and names of Ampere to Blackwell (tensorop,
/// tensor16x8x16, sm90, nvjet, wgmma, tcgen05).
/// - yes: CUTLASS 3 (cutlass::device_kernel), DeepGEMM, flash and memory-efficient attention, and products in
/// FP8 or FP4, which only Tensor Cores compute.
/// - no: PyTorch's own kernels, pointwise and reduction kernels of Inductor, and float kernels of cuBLAS and
/// cuDNN (sgemm, scudnn, winograd).
/// - no: kernels named as copies, reductions and similar.
/// - unknown: other kernels, such as Triton's.
///
/// For AMD kernels:
/// - yes: names with matrix instructions (MFMA, XDL, WMMA, Cijk_..._MI16x16x1).
/// - no: PyTorch's own kernels, and pointwise and reduction kernels of Inductor.
/// - unknown: other kernels.
///
/// For an unknown vendor, the result is `yes` if it is `yes` for either vendor.
TensorCores tensor_cores_of(std::string_view kernel, GpuVendor vendor);

}  // namespace kino
