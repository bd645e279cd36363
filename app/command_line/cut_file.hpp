// What the commands say, and how they end, when a file stops before its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// What was found wrong with the trace or snapshot.
const DamageLog& damage_of(const OpenedFile& file);

/// One sentence, without a full stop, on the first place from where on a file is missing or unreadable;
/// nullopt for a file that is whole. Damage to single events is no cut.
std::optional<std::string> cut_sentence(const DamageLog& damage);

/// Says on stderr that a file is cut. Returns whether the command must end with exit code 1 for it: only when
/// the person asked for `strict`, and then before anything is written.
bool refuses_cut(const DamageLog& damage, std::string_view file, bool strict);

}  // namespace kino
