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
  std::string_view pack;      ///< name of the framework, such as "Megatron-LM"
  std::string_view file;      ///< end of the path; if it ends in /*, a folder within the path; *: any file
  std::string_view function;  ///< alternatives separated by |; a * at either end matches any text
  MemoryCategory category = MemoryCategory::unknown;
  Confidence sure = Confidence::certain;
  bool outlives_pass_only =
      false;  ///< applies only to allocations that outlive the pass in which they were made
  /// Category below a forward; unknown: `category` also applies there.
  MemoryCategory under_forward = MemoryCategory::unknown;
  /// Whether the category is gradients if the allocation outlives its pass, and `category` otherwise.
  bool gradients_if_outliving = false;
};
/// Returns the rules, sorted by precedence: the first match counts.
std::span<const PackRule> pack_rules();
inline constexpr std::uint8_t kNoPackRule = 0xff;

/// Returns the index of the rule for a Python frame, from its path with slashes and its function; kNoPackRule
/// if there is none. O(rules * length).
std::uint8_t pack_rule_of(std::string_view file, std::string_view function);
/// Returns whether the frame allocates Megatron-LM's buffers of parameters and gradients, which
/// classify_recorded() distinguishes by line.
bool is_megatron_buffer(std::string_view file, std::string_view function);
/// Returns a text such as "frame of Megatron-LM: distrib_optimizer.py _build_model_and_main_param_groups".
Message text_of(const PackRule& rule);

/// Returns whether `text` matches an alternative of `pattern`.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace kino
