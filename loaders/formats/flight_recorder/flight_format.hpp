// The format of NCCL flight recorder dumps: one dump, or a folder of them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

#include "loaders/cache/format.hpp"

namespace kino {

/// Returns FormatMatch::surely if the head has the keys of a dump.
FormatMatch flight_dump_match(std::string_view head);
Result<OpenedFile> open_flight_dump(const FormatInput& input);

/// Opens a folder of dumps; nullopt for other folders. For `may_open` see OpenOptions.
std::optional<OpenedHang> open_hang_folder(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<bool(const std::filesystem::path&)>& may_open = {});

inline constexpr Format kFlightDump = {"flight-recorder", "a dump of NCCL's flight recorder",
                                       Format::Holds::hang, flight_dump_match, open_flight_dump};

}  // namespace kino
