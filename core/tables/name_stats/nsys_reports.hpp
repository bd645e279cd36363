// The summary reports of `nsys stats`, with its columns: kernels, API calls, copies by time and by size, NVTX
// ranges on the CPU and projected onto GPUs, calls of the operating system.
#pragma once

#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

/// Where they stand in lists.
inline constexpr msg::Id kNsysHeading = msg::nsys_stats;

// A row is a name; most time first, then by name. The median is the mean of the middle two of an even number,
// the deviation that of a sample (n - 1), as the reports have them.

/// `cuda_gpu_kern_sum`: kernels by their whole or base name.
extern const TableKind<RangeParts> kNsysKernelReport;
/// `cuda_api_sum`: calls of runtime and driver.
extern const TableKind<RangeParts> kNsysApiReport;
/// `cuda_gpu_mem_time_sum` and `cuda_gpu_mem_size_sum`: copies and memsets by direction.
extern const TableKind<RangeParts> kNsysCopyTimeReport;
extern const TableKind<RangeParts> kNsysCopySizeReport;
/// `nvtx_sum`: ranges by domain, text and style.
extern const TableKind<RangeParts> kNsysRangeReport;
/// `nvtx_gpu_proj_sum`: the same by the GPU work launched in them. A range is projected from the first start
/// to the last end of the work of calls that its thread made within it (NVIDIA's recipe notebooks); one
/// without work is not.
extern const TableKind<RangeParts> kNsysProjectionReport;
/// `osrt_sum`: calls of the operating system's libraries.
extern const TableKind<RangeParts> kNsysSystemCallReport;

}  // namespace kino
