// A report of Nsight Systems (.nsys-rep, .qdrep). The installed nsys converts it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "loaders/cache/format.hpp"

namespace kino {

/// `surely` for the first words of a report.
FormatMatch nsight_report_match(std::string_view head);
/// Runs `nsys export` without a shell. It writes into the cache folder while the disk has room; the database
/// is opened and removed. If there is no nsys, or it cannot read the file, the error contains the command to
/// run.
Result<OpenedFile> open_nsight_report(const FormatInput& input);

/// Returns the nsys on the PATH.
std::optional<std::filesystem::path> find_nsys();
/// Returns the shell command that converts `report`.
std::string nsys_command(const std::filesystem::path& report);

inline constexpr Format kNsightReport = {"nsight-report", "a report of Nsight Systems", Format::Holds::trace,
                                         nsight_report_match, open_nsight_report};

}  // namespace kino
