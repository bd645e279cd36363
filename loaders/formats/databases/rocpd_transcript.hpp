// Converts a database of rocprofv3 (rocpd, the default since ROCm 7.0) to the events that Kineto would write.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Whether the tables are those of rocpd: rocpd_<kind>, with or without a suffix _<guid>.
bool is_rocpd(const Database& database);

/// Writes kernels, copies, API regions and markers of all processes. rocpd's views would run the
/// file's SQL, so only the tables behind them are read, by their known columns. O(rows).
std::optional<Error> transcribe_rocpd(const Database& database, const Transcription& to);

}  // namespace kino
