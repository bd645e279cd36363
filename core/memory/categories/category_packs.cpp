#include "core/memory/categories/category_packs.hpp"

#include <array>

namespace kino {
namespace {

using enum MemoryCategory;
constexpr Confidence kCertain = Confidence::certain;
constexpr Confidence kLikely = Confidence::likely;

constexpr std::array kRules{
    PackRule{"Megatron-LM", "distrib_optimizer.py", "_build_model_and_main_param_groups", master_weights},
    PackRule{"Megatron-LM", "distrib_optimizer.py", "__init__", master_weights, kLikely, true},
    PackRule{"Megatron-LM", "optimizer/__init__.py", "init_state_fn", optimizer_state},
    PackRule{"Megatron-LM", "dist_checkpointing/*", "*", checkpoint_loading},
    PackRule{"Megatron-LM", "p2p_communication.py", "*", communication_buffers, kLikely},
    PackRule{"DeepSpeed", "stage_1_and_2.py", "initialize_optimizer_states", optimizer_state, kLikely, true},
    PackRule{"DeepSpeed", "stage3.py", "initialize_optimizer_states", optimizer_state, kLikely, true},
    PackRule{"DeepSpeed", "bf16_optimizer.py", "initialize_optimizer_states", optimizer_state, kLikely, true},
    PackRule{"DeepSpeed", "stage_1_and_2.py", "*ipg*|*bucket*|*reduce*", gradient_buffers, kLikely},
    PackRule{"DeepSpeed", "stage3.py", "*ipg*|*bucket*|*reduce*", gradient_buffers, kLikely},
    PackRule{"DeepSpeed", "stage_1_and_2.py", "__init__", master_weights, kLikely, true},
    PackRule{"DeepSpeed", "stage3.py", "_create_fp32_partitions", master_weights, kLikely},
    PackRule{"DeepSpeed", "bf16_optimizer.py", "*", master_weights, kLikely},
    PackRule{"DeepSpeed", "partition_parameters.py", "_partition_param", parameters, kLikely, true},
    PackRule{"DeepSpeed", "partition_parameters.py", "*all_gather*", unsharded_parameters, kLikely},
    PackRule{"FSDP", "fsdp/_flat_param.py", "_alloc_padded_unsharded_flat_param", unsharded_parameters},
    PackRule{"FSDP", "fsdp/flat_param.py", "_alloc_padded_unsharded_flat_param", unsharded_parameters},
    PackRule{"FSDP", "fsdp/_flat_param.py", "_use_low_precision_shard", weight_casts},
    PackRule{"FSDP", "fsdp/flat_param.py", "_use_low_precision_shard", weight_casts},
    PackRule{"FSDP", "fsdp/_flat_param.py", "_get_shard", parameters, kLikely, true},
    PackRule{"FSDP", "fsdp/flat_param.py", "_get_shard", parameters, kLikely, true},
    PackRule{"FSDP", "fsdp/_runtime_utils.py", "_reduce_grad", gradient_buffers},
    PackRule{"FSDP2", "_fsdp_param.py", "init_all_gather_outputs|alloc_all_gather_outputs",
             unsharded_parameters},
    PackRule{"FSDP2", "_fsdp_param.py", "_init_sharded_param", parameters, kCertain, true},
    PackRule{"FSDP2", "_fsdp_collectives.py", "_get_param_all_gather_inputs", weight_casts},
    PackRule{"FSDP2", "_fsdp_collectives.py", "foreach_all_gather", communication_buffers},
    PackRule{"FSDP2", "_fsdp_collectives.py", "foreach_reduce", communication_buffers, kCertain, false,
             unknown, true},
    PackRule{"DDP", "nn/parallel/distributed.py", "_ddp_init_helper", gradient_buffers, kLikely},
    PackRule{"DDP", "nn/parallel/distributed.py", "_rebuild_buckets", gradient_buffers, kLikely, true},
    PackRule{"DataParallel", "comm.py", "broadcast_coalesced", copies_of_parameters, kLikely},
    PackRule{"torch.distributed", "distributed_c10d.py", "*", communication_buffers},
    PackRule{"vLLM", "cache_engine.py", "_allocate_kv_cache", kv_cache},
    PackRule{"vLLM", "gpu_model_runner.py", "_allocate_kv_cache_tensors", kv_cache},
    PackRule{"vLLM", "worker/gpu/attn_utils.py", "*kv_cache*", kv_cache},
    PackRule{"vLLM", "vllm/model_executor/*", "create_weights|load_weights", parameters, kCertain, true},
    PackRule{"vLLM", "vllm/model_executor/*", "__init__", parameters, kLikely, true},
    PackRule{"SGLang", "memory_pool.py", "_create_buffers", kv_cache, kLikely},
    PackRule{"Transformers", "cache_utils.py", "*", kv_cache, kLikely},
    PackRule{"Transformers", "modeling_utils.py", "*load*|from_pretrained", parameters, kLikely, true},
    PackRule{"Transformers", "*", "set_module_tensor_to_device", parameters, kLikely, true},
    PackRule{"bitsandbytes", "bitsandbytes/*", "init_state", optimizer_state, kLikely, true},
    PackRule{"bitsandbytes", "bitsandbytes/*", "dequantize_*", weight_casts, kLikely},
    PackRule{"torch", "nn/modules/module.py", "_apply|convert", parameters, kCertain, false,
             unsharded_parameters},
    PackRule{"torch", "nn/modules/*", "__init__", parameters, kLikely, true},
    PackRule{"torch", "optim/*", "_init_group", optimizer_state},
    PackRule{"torch", "_inductor/*", "benchmark*|pad_mm*", autotuning},
};
static_assert(kRules.size() < kNoPackRule);

bool fits_one(std::string_view pattern, std::string_view text) {
  const bool open = pattern.starts_with('*');
  if (open) pattern.remove_prefix(1);
  if (pattern.empty()) return open || text.empty();
  const bool more = pattern.ends_with('*');
  if (more) pattern.remove_suffix(1);
  if (open && more) return text.find(pattern) != text.npos;
  if (open) return text.ends_with(pattern);
  return more ? text.starts_with(pattern) : text == pattern;
}

/// Returns whether `path` ends in `end`, which is one or several whole path components.
bool is_path_end(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

bool fits_file(std::string_view pattern, std::string_view file) {
  if (pattern == "*") return true;
  if (!pattern.ends_with("/*")) return is_path_end(file, pattern);
  pattern.remove_suffix(1);  // the slash remains
  for (auto at = file.find(pattern); at != file.npos; at = file.find(pattern, at + 1)) {
    if (at == 0 || file[at - 1] == '/') return true;
  }
  return false;
}

}  // namespace

std::span<const PackRule> pack_rules() { return kRules; }

bool fits_pattern(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    const auto bar = pattern.find('|');
    if (fits_one(pattern.substr(0, bar), text)) return true;
    if (bar == pattern.npos) return false;
    pattern.remove_prefix(bar + 1);
  }
  return false;
}

std::uint8_t pack_rule_of(std::string_view file, std::string_view function) {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (fits_pattern(kRules[i].function, function) && fits_file(kRules[i].file, file))
      return static_cast<std::uint8_t>(i);
  }
  return kNoPackRule;
}

bool is_megatron_buffer(std::string_view file, std::string_view function) {
  return function == "__init__" && is_path_end(file, "param_and_grad_buffer.py");
}

Message text_of(const PackRule& rule) {
  std::string place(rule.file);
  if (rule.function != "*") place.append(" ").append(rule.function);
  return {msg::a_frame_of, rule.pack, place};
}

}  // namespace kino
