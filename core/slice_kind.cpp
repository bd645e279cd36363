#include "core/slice_kind.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"

namespace kino {
namespace {

bool any_of_texts(std::string_view text, std::initializer_list<std::string_view> options) {
  return std::find(options.begin(), options.end(), text) != options.end();
}

bool is_collective_name(std::string_view name) {
  if (name.starts_with("nccl") || name.starts_with("rccl") || name.starts_with("hccl") ||
      name.starts_with("hcom_")) {
    return true;
  }
  constexpr std::array<std::string_view, 9> kParts{
      "ncclKernel",          "ncclDevKernel", "rcclKernel", "rcclDevKernel", "multimem_all_reduce",
      "cross_device_reduce", "deep_ep::",     "nvshmem",    "mscclKernel"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [name](std::string_view part) { return contains(name, part); });
}

}  // namespace

std::string_view text_of(SliceKind kind) {
  constexpr std::array<std::string_view, kSliceKindCount> kTexts{
      "compute", "communication", "copy",       "GPU sync", "GPU annotation", "operator",
      "runtime", "Python",        "annotation", "overhead", "other"};
  return kTexts[static_cast<std::size_t>(kind)];
}

bool is_gpu_category(std::string_view category) {
  return any_of_texts(category, {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "gpu_user_annotation",
                                 "mtia_ccp_events", "concurrent_kernel", "Kernel", "Memcpy", "Memset"});
}

SliceKind slice_kind(std::string_view category, std::string_view name) {
  if (any_of_texts(category, {"kernel", "Kernel", "concurrent_kernel", "mtia_ccp_events"})) {
    return is_collective_name(name) ? SliceKind::communication : SliceKind::compute;
  }
  if (any_of_texts(category, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})) return SliceKind::copy;
  if (category == "cuda_sync") return SliceKind::gpu_sync;
  if (category == "gpu_user_annotation") return SliceKind::gpu_annotation;
  if (any_of_texts(category, {"cpu_op", "Operator", "operator"})) {
    return name.starts_with("ProfilerStep#") ? SliceKind::annotation : SliceKind::cpu_op;
  }
  if (any_of_texts(category, {"cuda_runtime", "cuda_driver", "Runtime", "runtime", "hip_runtime",
                              "mtia_runtime", "privateuse1_runtime", "xpu_runtime"})) {
    return SliceKind::runtime;
  }
  if (any_of_texts(category, {"python_function", "PythonFunction", "Python"})) return SliceKind::python;
  if (any_of_texts(category, {"user_annotation", "UserAnnotation"})) return SliceKind::annotation;
  if (any_of_texts(category, {"overhead", "Trace", "Overhead"})) return SliceKind::overhead;
  return SliceKind::other;
}

}  // namespace kino
