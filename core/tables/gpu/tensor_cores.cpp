#include "core/tables/gpu/tensor_cores.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "core/base/ascii.hpp"
#include "core/trace/trace.hpp"

namespace kino {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [text](std::string_view part) { return contains(text, part); });
}

/// Whether `text` contains `part` followed by a number and an x: "tensor16x8x16", "_MI16x16x1".
bool has_shape_after(std::string_view text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    std::size_t i = at + part.size();
    const std::size_t digits = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i > digits && i < text.size() && text[i] == 'x') return true;
  }
  return false;
}

/// Whether the kernel is one of PyTorch's own kernels, or a pointwise or reduction kernel of Inductor: these
/// multiply no matrices.
bool has_no_matrices(std::string_view kernel) {
  const std::string_view name = kernel.starts_with("void ") ? kernel.substr(5) : kernel;
  return name.starts_with("at::native::") || name.starts_with("_ZN2at6native") ||
         name.starts_with("triton_poi_") || name.starts_with("triton_red_") ||
         name.starts_with("triton_per_");
}

/// Whether the kernel is a helper of matrix products (layout, conversion, sums) or computes products on other
/// units. `name` is in lower case.
bool is_helper(std::string_view name) {
  return has_any(name, {"preprocess", "postprocess", "prepare_", "_args_kernel", "fill_tensormaps",
                        "transpose<", "reduction::kernel", "splitkreduce", "splitk_reduce", "convert_dq",
                        "convert_dkv", "dot_do_o", "flash_fwd_splitkv_combine", "ffma", "simt"});
}

/// Whether the kernel computes products or convolutions without Tensor Cores, by its cuBLAS or cuDNN name.
/// `name` is in lower case.
bool computes_without(std::string_view name) {
  return has_any(name, {"sgemm", "gcgemm", "hgemm", "gemv", "gemmsn_", "scudnn", "hcudnn", "winograd",
                        "wgrad_alg", "dgrad_engine", "fft2d", "fft1d"});
}

/// Whether the kernel may compute a matrix product. `name` is in lower case.
bool may_be_product(std::string_view name) {
  return has_any(name, {"gemm", "_mm", "mm_", "bmm", "matmul", "linear_", "dot", "attn", "attention", "flash",
                        "fmha", "mla_", "conv1d", "conv2d", "conv3d", "convol", "lstm", "gru_", "rnn"});
}

/// Whether the kernel performs only layout, lookup, sums, sorting or elementwise operations. `name` is in
/// lower case.
bool is_no_product(std::string_view name) {
  if (may_be_product(name)) return false;
  return has_any(name, {"elementwise", "pointwise", "reduce",
                        "softmax",     "norm",      "bn_fw",
                        "bn_bw",       "cub::",     "thrust::",
                        "copy",        "cast",      "quant",
                        "memset",      "fill",      "transpose",
                        "permute",     "tonchw",    "tonhwc",
                        "im2col",      "col2im",    "offsetskernel",
                        "embedding",   "scan",      "sort",
                        "topk",        "histogram", "multi_tensor_apply",
                        "adam",        "dropout",   "pooling",
                        "rotary",      "rope",      "silu",
                        "swiglu",      "gelu",      "scatter",
                        "gather",      "index",     "bucketize"});
}

/// Whether a CUTLASS attention kernel of xformers or PyTorch uses Tensor Cores. On Volta and Turing, only
/// FP16 does; on older devices nothing does.
bool is_cutlass_attention_on_tensor_cores(std::string_view name) {
  if (has_any(name, {"_sm50", "_sm60", "_sm61"})) return false;
  return !has_any(name, {"_sm70", "_sm75"}) || contains(name, "_f16_");
}

TensorCores on_nvidia(std::string_view kernel) {
  if (has_no_matrices(kernel)) return TensorCores::no;
  const std::string name = lowered(kernel);
  if (is_helper(name)) return TensorCores::no;
  if (contains(name, "fmha_cutlass"))
    return is_cutlass_attention_on_tensor_cores(name) ? TensorCores::yes : TensorCores::no;
  const bool generations =
      has_any(name, {"884cudnn",   "h884",     "s884",     "d884",      "h1688",        "s1688",
                     "c1688",      "i8816",    "i16832",   "16816",     "hmma",         "imma",
                     "gmma",       "wmma",     "mma_sync", "xmma_gemm", "xmma_fprop",   "xmma_dgrad",
                     "xmma_wgrad", "tensorop", "nvjet",    "tcgen05",   "flash_fwd",    "flash_bwd",
                     "sm90",       "sm100",    "sm103",    "sm120",     "hopperkernel", "compute_attn_ws"});
  if (generations || has_shape_after(name, "tensor")) return TensorCores::yes;
  const bool cutlass3 = contains(name, "cutlass") && contains(name, "device_kernel");
  if (cutlass3) return TensorCores::yes;
  const bool product = has_any(name, {"gemm", "_mma", "bmm", "grouped_mm", "scaled_mm"});
  const bool small_floats = has_any(name, {"fp8", "fp4", "e4m3", "e5m2", "e2m1"});
  if (product && (small_floats || contains(name, "deep_gemm"))) return TensorCores::yes;
  // Triton kernels have arbitrary names, so any other kernel may use tl.dot.
  return computes_without(name) || is_no_product(name) ? TensorCores::no : TensorCores::unknown;
}

TensorCores on_amd(std::string_view kernel) {
  if (has_no_matrices(kernel)) return TensorCores::no;
  const std::string name = lowered(kernel);
  // MFMA is called "xdl" in Composable Kernel and "gtcx" in MIOpen's assembly kernels. RDNA devices have
  // WMMA.
  if (has_any(name, {"mfma", "xdl", "wmma"})) return TensorCores::yes;
  if (name.starts_with("igemm_") && contains(name, "_gtcx")) return TensorCores::yes;
  // Tensile includes the matrix instruction in the name.
  if (kernel.starts_with("Cijk_") && has_shape_after(kernel, "_MI")) return TensorCores::yes;
  return TensorCores::unknown;
}

/// Whether the kernel name starts with an NVIDIA architecture, as in cuBLAS and cuDNN:
/// "volta_sgemm_128x64_nn".
bool is_called_after_architecture(std::string_view kernel) {
  constexpr std::array<std::string_view, 6> kArchitectures{"maxwell_", "pascal_", "volta_",
                                                           "turing_",  "ampere_", "hopper_"};
  return std::ranges::any_of(kArchitectures, [&](std::string_view name) { return kernel.starts_with(name); });
}

}  // namespace

msg::Id text_of(TensorCores use) {
  return use == TensorCores::yes ? msg::yes : use == TensorCores::no ? msg::no : msg::unknown;
}

GpuVendor gpu_vendor(const Trace& trace) {
  bool nvidia = false;
  bool amd = false;
  for (const std::string& device : trace.job.device_names) {
    const bool of_amd = has_any(device, {"AMD", "Radeon", "Instinct", "gfx"});
    amd = amd || of_amd;
    nvidia = nvidia || (!of_amd && has_any(device, {"NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN"}));
  }
  for (std::uint32_t i = 0; !nvidia && !amd && i < trace.name_kind.size(); ++i) {
    // Names of kernel descriptors in AMD's code objects end in ".kd".
    amd = amd || (trace.name_kind[i] == SliceKind::compute && trace.names[i].ends_with(".kd"));
    nvidia =
        nvidia || (trace.name_kind[i] == SliceKind::compute && is_called_after_architecture(trace.names[i]));
    if (trace.name_kind[i] != SliceKind::runtime) continue;
    amd = amd || trace.names[i].starts_with("hip");
    nvidia = nvidia || trace.names[i].starts_with("cu");
  }
  return nvidia == amd ? GpuVendor::unknown : nvidia ? GpuVendor::nvidia : GpuVendor::amd;
}

TensorCores tensor_cores_of(std::string_view kernel, GpuVendor vendor) {
  switch (vendor) {
    case GpuVendor::nvidia:
      return on_nvidia(kernel);
    case GpuVendor::amd:
      return on_amd(kernel);
    case GpuVendor::unknown:
      break;
  }
  // The vendor is unknown: a name that shows matrix instructions of either vendor means yes.
  if (on_nvidia(kernel) == TensorCores::yes || on_amd(kernel) == TensorCores::yes) return TensorCores::yes;
  return has_no_matrices(kernel) ? TensorCores::no : TensorCores::unknown;
}

}  // namespace kino
