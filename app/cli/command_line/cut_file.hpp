// Messages and exit codes of commands for truncated files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Returns one sentence, without a full stop, that names the first byte from which the file is missing or
/// unreadable. Returns nullopt if the file is complete; damage to single events does not count.
std::optional<std::string> truncation_sentence(const DamageLog& damage);

/// Reports on stderr that a file is truncated. Returns whether the command must end with exit code 1: only if
/// `strict`, in which case nothing has been written yet.
bool rejects_truncated(const DamageLog& damage, std::string_view file, bool strict);

}  // namespace kino
