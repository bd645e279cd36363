// Recordings that are SQLite databases as one of the formats that open: their tables tell whose they are.
#pragma once

#include <memory>

#include "loaders/bytes/text_source.hpp"
#include "loaders/cache/format.hpp"

namespace kino {

/// Maybe with SQLite's first bytes: any program may have written it.
Likeness database_likeness(std::string_view head);
Result<OpenedFile> open_database(const FormatInput& input);
/// The same of a database that lies elsewhere than in the content.
Result<OpenedFile> open_database_text(const FormatInput& input, std::shared_ptr<const TextSource> text);

inline constexpr Format kDatabase = {"database", "a database of Nsight Systems or rocprofv3",
                                     Format::Holds::trace, database_likeness, open_database};

}  // namespace kino
