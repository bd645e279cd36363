// Replaces small files as a whole: a reader sees the old text or the new one, never a part.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

enum class Durability { process_crash, power_loss };

/// Replaces the text of a file. Creates missing folders. With `power_loss`, the new text is on the disk
/// before the old text is removed. The target of a symbolic link is replaced, and a replaced file's mode is
/// preserved. Devices, pipes and sockets are written to, never replaced; a pipe may block until it is read.
std::optional<Error> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                           Durability durability);

}  // namespace kino
