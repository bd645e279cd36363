// Covers: open
// Fuzz target: opens any bytes as a file. The loader must neither crash nor hang. The trace must be
// consistent and must not depend on the size of the units.
#include <cstdint>

#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using kino::index_of;
using kino_test::MemoryFile;
using kino_test::open_cut;
using kino_test::require;

void check_rows(const kino::Trace& trace) {
  std::uint64_t in_rows = 0;
  for (std::uint32_t r = 0; r < trace.rows.size(); ++r) {
    const kino::SliceRow row = kino::SliceRow::of(trace, kino::RowId{r});
    in_rows += row.start_ns.size();
    for (std::size_t i = 0; i < row.start_ns.size(); ++i) {
      require(row.duration_ns[i] >= 0, "a duration is negative");
      require(index_of(row.name[i]) < trace.names.size(), "a name is missing");
      if (i > 0)
        require(row.start_ns[i] >= row.start_ns[i - 1] + row.duration_ns[i - 1], "slices of a row overlap");
    }
    if (row.start_ns.empty()) continue;
    std::vector<kino::TileInstance> instances;
    std::vector<kino::TileLabel> labels;
    for (const int level : {0, 20, kino::kMaxTileLevel}) {
      kino::emit_slices(row, kino::TilePlace::at(level, row.start_ns.front()), instances, labels);
    }
    require(!instances.empty(), "a slice is in no tile");
  }
  require(in_rows == trace.slice_count(), "slices are lost between rows");
}

bool valid(const kino::Trace& trace) {
  for (const kino::DamageReason reason :
       {kino::DamageReason::repaired_event, kino::DamageReason::unreadable_event,
        kino::DamageReason::repaired_document, kino::DamageReason::not_an_event,
        kino::DamageReason::truncated_event, kino::DamageReason::truncated_file,
        kino::DamageReason::event_lines, kino::DamageReason::unclosed_array,
        kino::DamageReason::unclosed_document, kino::DamageReason::truncated_rest,
        kino::DamageReason::invalid_escape}) {
    if (trace.damage.count(reason) > 0) return false;
  }
  return true;
}

void check_same(const kino::Trace& a, const kino::Trace& b) {
  require(a.slice_count() == b.slice_count(), "units change the number of slices");
  require(a.counts.total() == b.counts.total() &&
              a.counts[kino::EventType::dropped] == b.counts[kino::EventType::dropped],
          "units change the counts");
  for (std::size_t i = 0; i < a.slice_count(); ++i) {
    require(a.slices.start_ns[i] == b.slices.start_ns[i] &&
                a.slices.duration_ns[i] == b.slices.duration_ns[i] &&
                a.slices.source_offset[i] == b.slices.source_offset[i] &&
                a.name_of(kino::SliceId{static_cast<std::uint32_t>(i)}) ==
                    b.name_of(kino::SliceId{static_cast<std::uint32_t>(i)}),
            "units change a slice");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  auto small = open_cut(file.path(), 256);
  auto large = open_cut(file.path(), 1 << 20);
  require(small.ok() == large.ok(), "units decide whether the file opens");
  if (!large.ok()) {
    require(!large.error().what.str().empty(), "an error without a sentence");
    return 0;
  }
  const kino::Trace& trace = *large->trace;
  check_rows(trace);
  // After broken JSON, the offset at which parsing resumes may depend on the units.
  if (valid(trace) && valid(*small->trace)) check_same(trace, *small->trace);
  kino::data_quality_report(trace);
  constexpr std::uint32_t kMostRead = 64;
  for (std::uint32_t i = 0; i < trace.slice_count() && i < kMostRead; ++i) {
    kino::short_name(trace.name_of(kino::SliceId{i}));
    const auto event = kino::read_event(*large->text, trace.slices.source_offset[i]);
    require(event.ok() || !event.error().what.str().empty(), "an event that cannot be read says nothing");
  }
  return 0;
}
