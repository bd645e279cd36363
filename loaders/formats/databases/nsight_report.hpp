// A closed report of Nsight Systems (.nsys-rep, .qdrep): converted by the person's own nsys where there is
// one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "loaders/cache/format.hpp"

namespace kino {

/// Surely with the words that reports begin with.
Likeness nsight_report_likeness(std::string_view head);
/// Runs `nsys export` without a shell, into the cache folder, as long as its disk has room; what it writes is
/// opened and removed. Without an nsys, or without a file that it could read, the error has the command to
/// run.
Result<OpenedFile> open_nsight_report(const FormatInput& input);

/// The nsys on the PATH.
std::optional<std::filesystem::path> find_nsys();
/// What a person would type for it.
std::string nsys_command(const std::filesystem::path& report);

inline constexpr Format kNsightReport = {"nsight-report", "a report of Nsight Systems", Format::Holds::trace,
                                         nsight_report_likeness, open_nsight_report};

}  // namespace kino
