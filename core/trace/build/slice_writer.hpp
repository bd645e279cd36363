// Writes the columns of a trace's slices from records sorted by track.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/huge_memory.hpp"
#include "core/base/result.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/build/launch_table.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/record_kinds.hpp"
#include "core/trace/build/track_records.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Relations that one thread found while it wrote slices.
struct SliceFindings {
  std::vector<Correlated> launches;
  std::vector<Correlated> gpu_work;  ///< GPU slices with a correlation id
  std::vector<Correlated>
      foreign_external_ids;  ///< calls whose External id differs from the surrounding operator's
  std::vector<NumberedOperator> numbered;  ///< operators with a sequence number; empty if the file has fwdbwd
  std::uint64_t spilled = 0;
  std::uint64_t first_spill_offset = kNoOffset;
};

struct WrittenSlices {
  std::vector<SliceFindings> findings;  ///< by thread; the distribution is unspecified
  Column<std::uint32_t> external_ids;   ///< by SliceId; 0: none
};

/// Fills the slices, their facts and the LOD index of a trace whose rows are placed; links remain empty.
/// `final_track` is the result of place_tracks(). Frees the records while the columns grow. Parallel over
/// tracks.
WrittenSlices write_slices(TrackRecords records, std::span<const std::uint32_t> final_track,
                           const RecordKinds& kinds, std::int64_t origin_ns, NameKinds& name_kinds,
                           Trace& trace, unsigned threads, const std::stop_token& stop);

}  // namespace kino
