// Covers: flight_dump_reader
// Fuzz target: opens any bytes as a recording of another tool. No database, protobuf or dump may crash the
// loader, let it hang, or make an inconsistent trace.
#include <cstdint>
#include <string>

#include "core/job/flight/hang.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/formats/flight_recorder/flight_dump_reader.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using kino_test::MemoryFile;
using kino_test::require;

void check_trace(const kino::Trace& trace) {
  std::uint64_t in_rows = 0;
  for (const kino::Row& row : trace.rows) {
    in_rows += row.slice_count;
    for (std::uint32_t i = row.first_slice + 1; i < row.first_slice + row.slice_count; ++i) {
      require(trace.slices.start_ns[i] >= trace.slices.start_ns[i - 1] + trace.slices.duration_ns[i - 1],
              "slices of a row overlap");
    }
  }
  require(in_rows == trace.slice_count(), "slices are lost between rows");
  // The JSON that an importer writes is well formed for any input.
  for (const kino::DamageReason reason :
       {kino::DamageReason::repaired_event, kino::DamageReason::repaired_document,
        kino::DamageReason::truncated_event})
    require(trace.damage.count(reason) == 0, "a transcript is no JSON");
  kino::data_quality_report(trace);
}

void check_hang(const kino::HangRecording& hang) {
  require(!kino::hang_verdict(hang.analysis).empty(), "a hang without a verdict");
  for (const kino::FlightDump& dump : hang.dumps) kino::group_cells(dump, hang.analysis.groups);
}

bool is_other_recording(const std::string& bytes) {
  return bytes.starts_with("SQLite format 3") || bytes.starts_with('\x0a') ||
         kino::looks_like_flight_dump(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!is_other_recording(bytes)) return 0;
  const MemoryFile file(data, size);
  kino::OpenOptions options;
  options.threads = 2;
  options.cache_directory = "/tmp";
  kino::LoadProgress progress;
  const auto opened = kino::open_file(file.path(), options, progress, {});
  if (!opened.ok()) {
    require(!opened.error().what.str().empty(), "an error without a sentence");
  } else if (const auto* const trace = std::get_if<kino::OpenedTrace>(&opened.value())) {
    // Bytes that only begin like a recording may be read as damaged JSON.
    if (trace->format != nullptr && trace->format->name != "chrome-trace") check_trace(*trace->trace);
  } else if (const auto* const hang = std::get_if<kino::OpenedHang>(&opened.value())) {
    check_hang(*hang->hang);
  }
  return 0;
}
