#include "core/tables/serving/work_names.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "core/base/ascii.hpp"
#include "core/tables/gpu/collective_facts.hpp"

namespace kino {
namespace {

using NameWords = std::initializer_list<std::string_view>;

bool has_any(std::string_view name, NameWords words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains(name, word); });
}

/// Returns whether `word` occurs in `name` without one of these beginnings before it: upsampling does not
/// sample tokens.
bool occurs_without(std::string_view name, std::string_view word, NameWords beginnings) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const std::string_view before = name.substr(0, at);
    if (std::ranges::none_of(beginnings, [&](std::string_view begin) { return before.ends_with(begin); }))
      return true;
  }
  return false;
}

bool samples(std::string_view name) {
  if (has_any(name, {"argmax", "top_p", "multinomial", "gumbel", "rejection"})) return true;
  return occurs_without(name, "sampling", {"up", "down", "re"}) ||
         occurs_without(name, "sample_", {"up", "down", "re"});
}

bool is_attention(std::string_view name) {
  return has_any(name, {"attn", "attention", "fmha", "flash", "mla", "mqa", "rotary", "kv_cache", "kvcache",
                        "indexer", "_fwd_kernel", "kv_indices", "paged"}) ||
         occurs_without(name, "rope", {"p"});  // "properties"
}

bool is_matrix_product(std::string_view name) {
  return has_any(name, {"gemm", "cutlass", "nvjet", "cijk", "matmul", "marlin", "machete", "_mm_", "xmma",
                        "gemv", "splitk"});
}

}  // namespace

IterationPart compute_part(std::string_view kernel) {
  const std::string name = lowered(kernel);
  if (samples(name)) return IterationPart::sampling;
  if (has_any(name, {"moe", "expert", "grouped_topk", "grouped_gemm"})) return IterationPart::experts;
  if (is_attention(name)) return IterationPart::attention;
  return is_matrix_product(name) ? IterationPart::matrix : IterationPart::other;
}

IterationPart communication_part(std::string_view kernel, std::string_view collective) {
  if (!collective.empty() && collective_kind(collective) == CollectiveKind::all_to_all)
    return IterationPart::all_to_all;
  switch (collective_kind(kernel)) {
    case CollectiveKind::all_to_all:
      return IterationPart::all_to_all;
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return IterationPart::all_reduce;
    default:
      break;
  }
  const std::string name = lowered(kernel);
  if (has_any(name, {"deep_ep", "nvshmem", "internode", "intranode"})) return IterationPart::all_to_all;
  return contains(name, "cross_device_reduce") ? IterationPart::all_reduce : IterationPart::communication;
}

bool selects_tokens(std::string_view kernel) {
  const std::string name = lowered(kernel);
  if (has_any(name, {"moe", "gating", "expert", "dropout"})) return false;
  return samples(name) || contains(name, "distribution_");
}

bool copies_to_host(std::string_view copy, std::string_view direction) {
  return contains(lowered(copy), "dtoh") || direction == "DEVICE_TO_HOST";
}

bool attends_in_decode(std::string_view kernel) {
  return has_any(lowered(kernel), {"splitkv", "decode", "paged_attention_v1", "paged_attention_v2",
                                   "flash_mla", "mla", "mmha"});
}

bool attends_in_prefill(std::string_view kernel) {
  return has_any(lowered(kernel), {"prefill", "context_attention", "fmha_fwd", "flash_fwd_kernel", "varlen"});
}

bool is_training_kernel(std::string_view kernel) {
  const std::string name = lowered(kernel);
  return has_any(name, {"backward", "_bwd", "bwd_", "wgrad", "adam", "sgd", "_grad_", "gradient"}) ||
         (contains(name, "lamb") && !contains(name, "lambda"));
}

bool is_training_slice(std::string_view slice) {
  return slice.starts_with("autograd::engine::evaluate_function") || slice.starts_with("Optimizer.step#") ||
         slice.starts_with("Optimizer.zero_grad") || slice.ends_with("Backward0") ||
         slice.ends_with("_backward");
}

bool is_training_annotation(std::string_view annotation) {
  const std::string name = lowered(annotation);
  for (const std::string_view end :
       {"backward", "optimizer", "optimizer step", "optimizer_step", "train", "training", "train step",
        "train_step", "training step", "training_step", "train batch", "train_batch", "training batch"}) {
    if (!name.ends_with(end)) continue;
    const std::size_t before = name.size() - end.size();
    if (before == 0 || !is_letter(name[before - 1])) return true;
  }
  return false;
}

bool prepares_code(std::string_view call) {
  return has_any(call, {"StreamBeginCapture", "GraphInstantiate", "ModuleLoad", "LibraryLoad"});
}

}  // namespace kino
