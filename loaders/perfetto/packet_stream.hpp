// The packets of a Perfetto trace one by one, out of a file of any size and out of compressed packets in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"

namespace kino {

/// Calls visit(packet, offset) for each packet in the order of the file; `offset` is where it begins, or
/// where the compressed packet that it lies in does. What is damaged is noted and ends the walk, since
/// nothing says where the next packet begins; a damaged compressed packet costs only itself. False from
/// `visit` ends it, too. Fails when the file cannot be read. Waits for a text that still grows.
std::optional<Error> for_each_packet(
    GrowingText& text, DamageLog& damage, const std::stop_token& stop,
    const std::function<bool(std::string_view packet, std::uint64_t offset)>& visit);

}  // namespace kino
