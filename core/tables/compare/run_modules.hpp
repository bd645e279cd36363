// Path of the nn.Module of work, with instances of a type merged: "Net > Block > Linear".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/event_facts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Separator of the modules of a path.
inline constexpr std::string_view kBetweenModules = " > ";

/// Module name without the instance number, so that names of two runs agree: "nn.Module: Linear_12" and
/// "layers.3" become "Linear" and "layers.*".
std::string folded_module(std::string_view name);

/// Work of the backward pass belongs to the module whose operator its fwdbwd arrow starts from.
class RunModules {
 public:
  /// `trace` must outlive it.
  explicit RunModules(const Trace& trace);

  /// Index of the path; 0: none. O(depth), cached by operator.
  std::uint32_t of(SliceId slice);
  const std::string& path(std::uint32_t index) const { return paths_[index]; }

 private:
  std::uint32_t around(SliceId cpu);
  std::uint32_t add_path(std::string path);

  const Trace& trace_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint8_t> module_;  // by NameId
  std::vector<std::string> paths_{""};
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::unordered_map<std::uint32_t, std::uint32_t> known_;  // by SliceId of the innermost event around
};

}  // namespace kino
