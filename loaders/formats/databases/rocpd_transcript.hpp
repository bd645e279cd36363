// Converts a database of rocprofv3 (rocpd, the default since ROCm 7.0) to the events that Kineto would write.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Returns whether the tables were written by rocprofv3: rocpd_<kind>, possibly with a suffix _<guid>.
bool is_rocpd(const Database& database);

/// Writes kernels, copies, API regions and markers of all processes. Reads the underlying tables by their
/// known columns, because rocpd's views would run the file's SQL. O(rows).
std::optional<Error> transcribe_rocpd(const Database& database, const Transcription& to);

}  // namespace kino
