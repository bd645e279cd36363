// Sections of the first page of a trace as lines of text: utilization, memory and data quality.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/analysis/known_shares.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One figure of a section. `value` is never empty: an unknown figure is "unknown" or "not recorded".
struct OverviewLine {
  Message label;
  Message value;
  Message note;  ///< text after the value; may be empty
};

/// Returns the text of a label with its first letter in upper case, if it is an ASCII letter: labels can be
/// terms that other texts use within a sentence.
std::string as_label(std::string text);

struct OverviewSection {
  std::vector<OverviewLine> lines;
  std::vector<Message> notes;  ///< sentences below the lines
  std::string code;            ///< Python expression that records the missing data; may be empty
};

/// Facts on one GPU for utilization_section().
struct GpuUse {
  double busy_share = 0;                ///< share of the findings' windows in which the GPU is busy
  const GpuMetrics* metrics = nullptr;  ///< null if no kernel ran
  Utilization flops;                    ///< sum over the windows
};

/// Whether the recorder wrote the shapes of operators' inputs. O(distinct arguments).
bool has_input_shapes(const Trace& trace);

/// Returns the busy share, MFU, FLOP/s, Tensor Cores and occupancy. The notes state why figures are missing.
OverviewSection utilization_section(const Trace& trace, const GpuUse& gpu, const KnownShares& known);

/// Allocated bytes over the time of the trace.
struct MemoryColumns {
  static constexpr std::uint32_t kColumns = 240;

  std::uint32_t device = 0;
  std::vector<double> bytes;  ///< maximum of each column, so that the peak remains; empty without a curve
  double peak_bytes = 0;      ///< maximum of `bytes`
};

/// Returns the curve of the GPU with the highest peak, or of the host if there is no GPU. O(memory events).
MemoryColumns memory_columns(const Trace& trace, const std::vector<MemoryDevice>& devices,
                             const std::stop_token& stop = {});
/// Returns the peak of each device, and the operator that allocated most on it. At most 8 devices, highest
/// peak first.
OverviewSection memory_section(const Trace& trace, std::vector<MemoryDevice> devices, ByteUnits units,
                               const std::stop_token& stop = {});

/// Returns the events that were read, the links between launches and GPU work, and what was not recorded.
OverviewSection quality_section(const Trace& trace, const DataQualityReport& report);

}  // namespace kino
