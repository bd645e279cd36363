// Allocator settings of a run, read from its snapshot, and the shell assignment that adds a setting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// One option of PYTORCH_CUDA_ALLOC_CONF: "roundup_power2_divisions:[256:1,512:2]".
struct ConfOption {
  std::string_view key;
  std::string_view value;
  bool operator==(const ConfOption&) const = default;
};
/// Splits a text at commas outside of brackets, and trims keys and values. Results are views into `conf`.
/// Options without a key are left out.
std::vector<ConfOption> conf_options(std::string_view conf);

enum class SettingState : std::uint8_t { off, on, unknown };

struct AllocatorSettings {
  bool recorded = false;                                   ///< the file contains settings
  std::string variable = "PYTORCH_CUDA_ALLOC_CONF";        ///< environment variable; from the file if named
  std::string conf;                                        ///< value of the variable; may be empty
  SettingState stated_expandable = SettingState::unknown;  ///< state according to the file's settings
  /// As stated_expandable, but `on` if the recording contains expandable segments: the run can enable them.
  SettingState expandable_segments = SettingState::unknown;
};
/// Returns whether files of this kind can contain settings.
bool has_settings(SnapshotSource source);
AllocatorSettings allocator_settings(const Snapshot& snapshot);

/// Returns the value of a setting; "0" for a list of zeros, as in roundup_power2_divisions.
std::string_view setting_text(std::string_view value);

/// Returns a shell assignment that adds an option to those of the run, or replaces it:
/// PYTORCH_CUDA_ALLOC_CONF=...,key:value. The text is quoted if needed.
std::string assignment_line(const AllocatorSettings& settings, std::string_view key, std::string_view value);
/// Returns a shell assignment that adds several options, each key once.
std::string assignment_line(const AllocatorSettings& settings, std::span<const ConfOption> wanted);

}  // namespace kino
