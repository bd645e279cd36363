#include "core/trace/slice_kind.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/step_words.hpp"

namespace kino {
namespace {

bool any_of_texts(std::string_view text, std::initializer_list<std::string_view> options) {
  return std::find(options.begin(), options.end(), text) != options.end();
}

/// Returns the name in lower case without '_', so that all_to_all, AllToAll and alltoall are equal.
std::string plain_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c != '_') out += lower(c);
  }
  return out;
}

/// Whether Inductor fused the kernel. Inductor names kernels after their original operators, so
/// triton_poi_fused_all_gather_... is not a collective: it computes.
bool is_fused_by_inductor(std::string_view name) {
  return name.starts_with("triton_") && contains(name, "_fused_");
}

bool is_collective_name(std::string_view name) {
  if (is_fused_by_inductor(name)) return false;
  const std::string plain = plain_name(name);
  constexpr std::array<std::string_view, 5> kHeads{"nccl", "rccl", "hccl", "hcom", "oneccl"};
  // Libraries are recognized by their namespaces, mangled or demangled, and other kernels by their names.
  constexpr std::array<std::string_view, 29> kParts{
      "ncclkernel",       "nccldevkernel",      "ncclsymk",         "rcclkernel",
      "rccldevkernel",    "mscclkernel",        "mscclpp",          "hcclkernel",
      "deepep::",         "deepep8internode",   "6deepep",          "7deepep",
      "dpsk::ep::",       "4dpsk2ep",           "nvshmem",          "rocshmem",
      "mori::",           "c10d::symmetric",    "userbuffers",      "multimem",
      "crossdevice",      "oneshotallreduce",   "twoshotallreduce", "allreduceoneshot",
      "allreducetwoshot", "allreduceprototype", "allreducefusion",  "quickreduce",
      "alltoall"};
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return plain.starts_with(head); }) ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return contains(plain, part); });
}

/// Whether a category contains the API calls of a device: cuda_runtime, xpu_driver, privateuse1_runtime.
/// Other categories can have the same ending: os_runtime contains calls to the operating system.
bool is_device_call_category(std::string_view category) {
  const std::size_t underscore = category.rfind('_');
  if (underscore == std::string_view::npos) return false;
  return any_of_texts(category.substr(underscore), {"_runtime", "_driver"}) &&
         any_of_texts(category.substr(0, underscore), {"cuda", "hip", "xpu", "musa", "mtia", "privateuse1",
                                                       "npu", "hpu", "gcu", "mlu", "maca", "glow"});
}

/// Returns the kind of an MTIA packet. Waits for an event of another stream, and event marks, are not work.
SliceKind mtia_kind(std::string_view packet) {
  if (packet == "event_wait") return SliceKind::gpu_sync;
  if (packet.starts_with("event_")) return SliceKind::other;
  return packet.starts_with("dma_") ? SliceKind::copy : SliceKind::compute;
}

}  // namespace

msg::Id shown_name(SliceKind kind) {
  constexpr std::array<msg::Id, kSliceKindCount> kNames{
      msg::kind_compute,        msg::kind_communication, msg::kind_copy,    msg::kind_gpu_sync,
      msg::kind_gpu_annotation, msg::kind_cpu_op,        msg::kind_runtime, msg::kind_python,
      msg::kind_annotation,     msg::kind_overhead,      msg::kind_other};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view text_of(SliceKind kind) { return english(shown_name(kind)); }

bool is_gpu_category(std::string_view category) {
  return any_of_texts(category,
                      {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "gpu_user_annotation", kMtiaWork,
                       "concurrent_kernel", "Kernel", "Memcpy", "Memset", "cuda_graph", "gpu_op"});
}

SliceKind slice_kind(std::string_view category, std::string_view name) {
  if (any_of_texts(category, {"kernel", "Kernel", "concurrent_kernel", "gpu_op", kMtiaWork})) {
    if (is_collective_name(name)) return SliceKind::communication;
    return category == kMtiaWork ? mtia_kind(name) : SliceKind::compute;
  }
  if (any_of_texts(category, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})) return SliceKind::copy;
  // A slice of this category covers a whole CUDA graph, whose kernels were not recorded.
  if (category == "cuda_graph") return SliceKind::compute;
  if (category == "cuda_sync") return SliceKind::gpu_sync;
  if (category == "gpu_user_annotation") return SliceKind::gpu_annotation;
  if (any_of_texts(category, {"cpu_op", "Operator", "operator"}))
    return is_step_name(name) ? SliceKind::annotation : SliceKind::cpu_op;
  if (any_of_texts(category, {"Runtime", "runtime"}) || is_device_call_category(category))
    return SliceKind::runtime;
  if (any_of_texts(category, {"python_function", "PythonFunction", "Python"})) return SliceKind::python;
  if (any_of_texts(category, {"user_annotation", "UserAnnotation"})) return SliceKind::annotation;
  if (any_of_texts(category, {"overhead", "Trace", "Overhead"})) return SliceKind::overhead;
  return SliceKind::other;
}

}  // namespace kino
