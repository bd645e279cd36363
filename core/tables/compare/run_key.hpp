// By what the rows of two runs are joined: a kernel's name, its operator, shapes, module, or the step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tables/compare/run_record.hpp"

namespace kino {

enum class RunKey : std::uint8_t {
  name,
  short_name,  ///< without "void ", template arguments and signature
  op,
  shape,  ///< operator and its Input Dims
  module,
  step,  ///< the step's position: pairs of steps
};
inline constexpr std::array<std::string_view, 6> kRunKeyNames{"name",  "short",  "operator",
                                                              "shape", "module", "step"};
std::optional<RunKey> run_key_named(std::string_view name);

/// Of a kernel: "void at::native::f<4, A>(int)" is "at::native::f". Other names are as they are. O(length).
std::string kernel_without_templates(std::string_view name);

/// What a row is called; of RunKey::step, which its cells tell, and of RunKey::module, which ModuleAlignment
/// tells, empty. O(length).
std::string key_text(const RunRow& row, RunKey key);

}  // namespace kino
