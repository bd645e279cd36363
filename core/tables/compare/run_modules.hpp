// Path of the nn.Module to which work belongs, with instances of a type merged: "Net > Block > Linear".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/event_facts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Separator between the modules of a path.
inline constexpr std::string_view kBetweenModules = " > ";

/// Returns the module name without its instance number, which differs between runs: "nn.Module: Linear_12"
/// and "layers.3" become "Linear" and "layers.*".
std::string folded_module(std::string_view name);

/// Finds the module paths of work. Work of the backward pass belongs to the module of the forward operator,
/// found by the fwdbwd arrow.
class RunModules {
 public:
  /// `trace` must outlive the object.
  explicit RunModules(const Trace& trace);

  /// Returns the index of the slice's path; 0 if it has no module. O(depth); cached for launches without
  /// recorded arguments.
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
  std::unordered_map<std::uint32_t, std::uint32_t> known_;  // index of the path, by SliceId of the innermost
                                                            // event around the work
};

}  // namespace kino
