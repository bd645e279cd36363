// Keys by which rows of two runs are joined: a kernel's name, its operator, shapes, module, or the step.
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
  short_name,  ///< name without "void ", template arguments and signature
  op,
  shape,  ///< operator with its Input Dims
  module,
  step,  ///< position of the step, which joins steps into pairs
};
inline constexpr std::array<std::string_view, 6> kRunKeyNames{"name",  "short",  "operator",
                                                              "shape", "module", "step"};
std::optional<RunKey> run_key_named(std::string_view name);

/// Shortens a kernel's name: "void at::native::f<4, A>(int)" to "at::native::f". Names without a
/// signature and template arguments are unchanged. O(length).
std::string kernel_without_templates(std::string_view name);

/// Returns the key of a row. Empty for RunKey::step, which depends on the row's cells, and for
/// RunKey::module, whose key ModuleAlignment returns. O(length).
std::string key_text(const RunRow& row, RunKey key);

}  // namespace kino
