// Rules for framework frames with one meaning: file and function determine the memory category.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/memory/categories/memory_category.hpp"

namespace kino {

/// Category of allocations below a frame of a framework.
struct PackRule {
  std::string_view pack;      ///< name of the framework: "Megatron-LM"
  std::string_view file;      ///< end of the path; if it ends in /*, a folder in the path
  std::string_view function;  ///< alternatives separated by |; a * at either end matches anything
  MemoryCategory category = MemoryCategory::unknown;
  Confidence sure = Confidence::certain;
  bool outlives_pass_only =
      false;  ///< applies only to allocations that outlive the pass in which they were made
  /// Category below a forward; unknown: no difference.
  MemoryCategory under_forward = MemoryCategory::unknown;
  /// Gradients if the allocation outlives its backward, else `category`.
  bool gradients_if_outliving = false;
};
/// Sorted by precedence: the first match counts.
std::span<const PackRule> pack_rules();
inline constexpr std::uint8_t kNoPackRule = 0xff;

/// Returns the index of the rule for a Python frame, by its path with slashes and its function, or
/// kNoPackRule. O(rules * length).
std::uint8_t pack_rule_of(std::string_view file, std::string_view function);
/// Megatron-LM's buffers of parameters and gradients are distinguished by line: see AllocationClassifier.
bool is_megatron_buffer(std::string_view file, std::string_view function);
/// "a frame of Megatron-LM: distrib_optimizer.py _build_model_and_main_param_groups".
Message text_of(const PackRule& rule);

/// Returns whether `text` matches an alternative of `pattern`.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace kino
