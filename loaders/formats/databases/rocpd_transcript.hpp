// A database of rocprofv3 (rocpd, the default since ROCm 7.0) as events of a trace, as Kineto would have
// written them.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Whether its tables are those of rocpd: rocpd_<kind>, with or without a _<guid> behind it.
bool is_rocpd(const Database& database);

/// Kernels, copies, regions of the API, markers and memory of all processes. The views that rocpd has for
/// readers run the file's SQL, so the tables behind them are read, by their known columns. O(rows).
std::optional<Error> transcribe_rocpd(const Database& database, const Transcription& to);

}  // namespace kino
