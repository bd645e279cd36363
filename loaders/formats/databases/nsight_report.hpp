// Opens reports of Nsight Systems (.nsys-rep, .qdrep), which the installed nsys converts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "loaders/cache/format.hpp"

namespace kino {

/// Returns `surely` if the head has the first words of a report.
FormatMatch nsight_report_match(std::string_view head);
/// Runs `nsys export` (not through a shell) into the cache folder, as long as the disk has room. Opens the
/// database that nsys writes, and removes its file. If nsys is missing, or the report is not a file, the
/// error contains the command to run.
Result<OpenedFile> open_nsight_report(const FormatInput& input);

/// Returns the nsys program in an absolute folder of the PATH; nullopt if there is none.
std::optional<std::filesystem::path> find_nsys();
/// Returns the shell command that converts `report`.
std::string nsys_command(const std::filesystem::path& report);

inline constexpr Format kNsightReport = {"nsight-report", "a report of Nsight Systems", Format::Holds::trace,
                                         nsight_report_match, open_nsight_report};

}  // namespace kino
