// Dumps of NCCL's flight recorder among what opens: one by itself, and a folder of them.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "loaders/cache/format.hpp"

namespace kino {

/// Surely when it has the keys of a dump.
Likeness flight_dump_likeness(std::string_view head);
Result<OpenedFile> open_flight_dump(const FormatInput& input);

/// Of a folder of dumps; nothing for others.
std::optional<OpenedHang> open_hang_folder(const std::filesystem::path& folder, const std::stop_token& stop);

inline constexpr Format kFlightDump = {"flight-recorder", "a dump of NCCL's flight recorder",
                                       Format::Holds::hang, flight_dump_likeness, open_flight_dump};

}  // namespace kino
