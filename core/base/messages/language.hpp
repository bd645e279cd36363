// Languages in which the texts are available.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kino {

enum class Language : std::uint8_t { english, japanese, chinese };
inline constexpr std::size_t kLanguageCount = 3;

}  // namespace kino
