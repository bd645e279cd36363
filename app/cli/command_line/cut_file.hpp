// Messages and exit codes of commands for truncated files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Returns one sentence, without a full stop, on where and how the file is truncated, or on a wrong checksum.
/// Names the byte if it is known. Returns nullopt if the file is complete and its checksum is right; damage
/// to single events does not count.
std::optional<std::string> truncation_sentence(const DamageLog& damage);

/// If the file is truncated or has a wrong checksum, reports this on stderr. In this case, returns `strict`:
/// whether the command must end with exit code 1, before it writes anything. Otherwise, returns false.
bool rejects_truncated(const DamageLog& damage, std::string_view file, bool strict);

}  // namespace kino
