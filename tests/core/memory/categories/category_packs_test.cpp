// Covers: category_packs
#include "core/memory/categories/category_packs.hpp"

#include <doctest/doctest.h>

using kino::MemoryCategory;

namespace {

MemoryCategory category_of(std::string_view file, std::string_view function) {
  const std::uint8_t rule = kino::pack_rule_of(file, function);
  return rule == kino::kNoPackRule ? MemoryCategory::unknown : kino::pack_rules()[rule].category;
}

}  // namespace

TEST_CASE("frames of frameworks have the categories of their rules") {
  CHECK(category_of("/x/site-packages/vllm/worker/cache_engine.py", "_allocate_kv_cache") ==
        MemoryCategory::kv_cache);
  CHECK(category_of("/x/megatron/core/optimizer/distrib_optimizer.py",
                    "_build_model_and_main_param_groups") == MemoryCategory::master_weights);
  CHECK(category_of("/x/megatron/core/dist_checkpointing/mapping.py", "anything") ==
        MemoryCategory::checkpoint_loading);
  CHECK(category_of("/x/torch/nn/modules/linear.py", "__init__") == MemoryCategory::parameters);
  CHECK(category_of("/x/torch/optim/adamw.py", "_init_group") == MemoryCategory::optimizer_state);
  CHECK(category_of("/x/torch/distributed/fsdp/_fully_shard/_fsdp_param.py", "init_all_gather_outputs") ==
        MemoryCategory::unsharded_parameters);
  CHECK(category_of("/x/vllm/model_executor/layers/linear.py", "create_weights") ==
        MemoryCategory::parameters);
}

TEST_CASE("a file whose name merely ends like a framework's matches no rule") {
  CHECK(category_of("/x/my_cache_engine.py", "_allocate_kv_cache") == MemoryCategory::unknown);
  CHECK(category_of("/x/cache_engine.py", "allocate") == MemoryCategory::unknown);
  CHECK(category_of("", "") == MemoryCategory::unknown);
}

TEST_CASE("patterns have alternatives, and stars at their ends") {
  CHECK(kino::fits_pattern("a|b*|*c", "b"));
  CHECK(kino::fits_pattern("a|b*|*c", "bcd"));
  CHECK(kino::fits_pattern("a|b*|*c", "xc"));
  CHECK_FALSE(kino::fits_pattern("a|b*|*c", "xb"));
  CHECK(kino::fits_pattern("*ipg*", "get_ipg_buffer"));
  CHECK(kino::fits_pattern("*", ""));
  CHECK_FALSE(kino::fits_pattern("", "x"));
}
