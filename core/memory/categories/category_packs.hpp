// Frames of frameworks that have one meaning: which file and function makes which kind of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/memory/categories/memory_category.hpp"

namespace kino {

/// What a frame of a framework means.
struct PackRule {
  std::string_view pack;      ///< whose: "Megatron-LM"
  std::string_view file;      ///< the end of the path, or a folder in it, where it ends in /*
  std::string_view function;  ///< alternatives between |; a star at an end stands for anything
  MemoryCategory category = MemoryCategory::unknown;
  Sureness sure = Sureness::certain;
  bool only_outliving = false;  ///< only what outlives the pass that it was made in
  /// What it is instead where `when_under_forward` says so, and it was made below a forward.
  MemoryCategory under_forward = MemoryCategory::unknown;
  /// Only gradients when it outlives its backward, `category` else.
  bool gradients_if_outliving = false;
};
/// The first that fits a frame counts.
std::span<const PackRule> pack_rules();
inline constexpr std::uint8_t kNoPackRule = 0xff;

/// The rule for a Python frame, by its path with slashes and its function; kNoPackRule. O(rules * length).
std::uint8_t pack_rule_of(std::string_view file, std::string_view function);
/// Megatron-LM's buffers of parameters and gradients are told apart by their lines: see MemoryMeaning.
bool is_megatron_buffer(std::string_view file, std::string_view function);
/// "a frame of Megatron-LM: distrib_optimizer.py _build_model_and_main_param_groups".
Message text_of(const PackRule& rule);

/// Whether `text` is one of the alternatives of `pattern`.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace kino
