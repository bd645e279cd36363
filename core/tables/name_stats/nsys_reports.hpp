// Summary reports of `nsys stats`, with its columns: kernels, API calls, copies by time and size, NVTX ranges
// and their projection onto GPUs, and system calls.
#pragma once

#include "core/base/messages/message.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

/// Heading of the reports in lists of tables.
inline constexpr msg::Id kNsysHeading = msg::nsys_stats;

// The reports have one row per name (ranges: per name and style), sorted by total, then by name. As in `nsys
// stats`, the median of an even number of values is the mean of the middle two. The standard deviation is
// that of a sample (n - 1).

/// `cuda_gpu_kern_sum`: kernels by full name or base name.
extern const TableKind<RangeParts> kNsysKernelReport;
/// `cuda_api_sum`: calls to the CUDA runtime and driver.
extern const TableKind<RangeParts> kNsysApiReport;
/// `cuda_gpu_mem_time_sum` and `cuda_gpu_mem_size_sum`: copies and memsets by direction.
extern const TableKind<RangeParts> kNsysCopyTimeReport;
extern const TableKind<RangeParts> kNsysCopySizeReport;
/// `nvtx_sum`: ranges by domain, text and style.
extern const TableKind<RangeParts> kNsysRangeReport;
/// `nvtx_gpu_proj_sum`: ranges by the GPU work launched in them. The projection of a range is the interval
/// from the first start to the last end of the work that its thread launched in it (NVIDIA's recipe
/// notebooks). Ranges without work are omitted.
extern const TableKind<RangeParts> kNsysProjectionReport;
/// `osrt_sum`: calls to operating system libraries.
extern const TableKind<RangeParts> kNsysSystemCallReport;

}  // namespace kino
