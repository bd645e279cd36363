// Profiler databases (SQLite) as file formats. Their tables indicate which profiler wrote the file.
#pragma once

#include <memory>

#include "loaders/bytes/text_source.hpp"
#include "loaders/cache/format.hpp"

namespace kino {

/// Returns `maybe` for SQLite's first bytes: any program may have written the file.
FormatMatch database_match(std::string_view head);
/// Returns whether `begin`, the first 64 KB of a database, contains names of tables of Nsight Systems or
/// rocprofv3. O(length).
bool names_recorded_tables(std::string_view begin);
Result<OpenedFile> open_database(const FormatInput& input);
/// Like open_database(), for a database that is not `input.content` itself.
Result<OpenedFile> open_database_text(const FormatInput& input, std::shared_ptr<const TextSource> text);

inline constexpr Format kDatabase = {"database", "an SQLite database", Format::Holds::trace, database_match,
                                     open_database};
/// Values of OpenedTrace::format for the supported databases. They are not in all_formats().
inline constexpr Format kNsightDatabase = {"nsight-database", "a database of Nsight Systems",
                                           Format::Holds::trace, database_match, open_database};
inline constexpr Format kRocpdDatabase = {"rocpd-database", "a database of rocprofv3", Format::Holds::trace,
                                          database_match, open_database};

}  // namespace kino
