// Opens reports of Nsight Systems (.nsys-rep, .qdrep), which the installed nsys converts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "loaders/cache/format.hpp"

namespace kino {

/// Returns `surely` if the head has the first words of a report.
FormatMatch nsight_report_match(std::string_view head);
/// Runs `nsys export` (not through a shell), which writes into the cache folder while the disk has room. The
/// database is then opened and removed. If nsys is missing or cannot read the file, the error contains the
/// command to run.
Result<OpenedFile> open_nsight_report(const FormatInput& input);

/// Returns the nsys program on the PATH; nullopt if there is none.
std::optional<std::filesystem::path> find_nsys();
/// Returns the shell command that converts `report`.
std::string nsys_command(const std::filesystem::path& report);

inline constexpr Format kNsightReport = {"nsight-report", "a report of Nsight Systems", Format::Holds::trace,
                                         nsight_report_match, open_nsight_report};

}  // namespace kino
