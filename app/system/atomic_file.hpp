// Replaces small files as a whole: a reader sees the old text or the new one, never half of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

enum class Durability { process_crash, power_loss };

/// Creates missing directories. With `power_loss` the text is on the disk before the old one is gone. A
/// symbolic link stays, and what it leads to is replaced; a replaced file's mode stays. A device, pipe or
/// socket is written into, never replaced; that may wait for whoever reads a pipe.
std::optional<Error> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                           Durability durability);

}  // namespace kino
