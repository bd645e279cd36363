// How the allocator of a run was set, as far as its snapshot tells, and the line that sets one thing more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// One of PYTORCH_CUDA_ALLOC_CONF: "roundup_power2_divisions:[256:1,512:2]".
struct ConfOption {
  std::string_view key;
  std::string_view value;
  bool operator==(const ConfOption&) const = default;
};
/// At the commas outside of brackets, without white space around keys and values; views into `conf`. Options
/// without a key are left out.
std::vector<ConfOption> conf_options(std::string_view conf);

enum class SettingState : std::uint8_t { off, on, unknown };

struct AllocatorSettings {
  bool recorded = false;                                 ///< whether the file tells any
  std::string variable = "PYTORCH_CUDA_ALLOC_CONF";      ///< of the environment, as the file calls it
  std::string conf;                                      ///< what it was set to; may be empty
  SettingState told_expandable = SettingState::unknown;  ///< as the file says
  /// On as well where the recording shows expandable segments: it can be switched on while the run goes on.
  SettingState expandable_segments = SettingState::unknown;
};
/// Whether files of this kind tell settings at all.
bool has_settings(SnapshotSource source);
AllocatorSettings allocator_settings(const Snapshot& snapshot);

/// The value of a setting; "0" for a list whose numbers are all 0, as of roundup_power2_divisions.
std::string_view setting_text(std::string_view value);

/// What a shell takes to set `key` besides what the run has set: PYTORCH_CUDA_ALLOC_CONF=...,key:value. What
/// the file says is quoted where a shell could take it for more than a text.
std::string line_to_set(const AllocatorSettings& settings, std::string_view key, std::string_view value);
/// The same of several, each of them once.
std::string line_to_set(const AllocatorSettings& settings, std::span<const ConfOption> wanted);

}  // namespace kino
