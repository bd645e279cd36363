// Recordings that are SQLite databases as one of the formats that open: their tables tell whose they are.
#pragma once

#include <memory>

#include "loaders/bytes/text_source.hpp"
#include "loaders/cache/format.hpp"

namespace kino {

/// Maybe with SQLite's first bytes: any program may have written it.
Likeness database_likeness(std::string_view head);
/// Whether the first 64 KB of a database name tables of Nsight Systems or rocprofv3. O(length).
bool names_recorded_tables(std::string_view begin);
Result<OpenedFile> open_database(const FormatInput& input);
/// The same of a database that lies elsewhere than in the content.
Result<OpenedFile> open_database_text(const FormatInput& input, std::shared_ptr<const TextSource> text);

inline constexpr Format kDatabase = {"database", "an SQLite database", Format::Holds::trace,
                                     database_likeness, open_database};
/// Formats of databases: OpenedTrace::format of those that open. They are not among
/// all_formats().
inline constexpr Format kNsightDatabase = {"nsight-database", "a database of Nsight Systems",
                                           Format::Holds::trace, database_likeness, open_database};
inline constexpr Format kRocpdDatabase = {"rocpd-database", "a database of rocprofv3", Format::Holds::trace,
                                          database_likeness, open_database};

}  // namespace kino
