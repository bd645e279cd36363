#include "core/tables/name_stats/nsys_reports.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/tables/name_stats/named_slices.hpp"
#include "core/tables/name_stats/range_projection.hpp"
#include "core/tables/name_stats/report_rows.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::string_view kNameKeys[] = {"name"};
constexpr std::string_view kRangeKeys[] = {"name", "style"};
constexpr std::string_view kGraphCategory = "cuda_graph";
constexpr std::string_view kSystemCategory = "os_runtime";

/// Returns the operation as named by nsys: "[CUDA memcpy Host-to-Device]" for "Memcpy HtoD (Pageable ->
/// Device)".
std::string operation_of(std::string_view name) {
  if (name.starts_with("Memset") || name.starts_with("memset")) return "[CUDA memset]";
  constexpr std::string_view kUnified = " (unified memory)";
  constexpr std::size_t kBegin = 7;  // "Memcpy "
  constexpr std::size_t kDirection = 4;
  if (!name.starts_with("Memcpy ") || name.size() < kBegin + kDirection) return std::string(name);
  const std::string_view direction = name.substr(kBegin, kDirection);
  if (name.ends_with(kUnified)) return "[CUDA Unified Memory memcpy " + std::string(direction) + "]";
  const auto side = [](char letter) -> std::string_view {
    switch (letter) {
      case 'H':
        return "Host";
      case 'D':
        return "Device";
      case 'A':
        return "Array";
      case 'P':
        return "Peer";
      default:
        return {};
    }
  };
  const std::string_view from = side(direction[0]);
  const std::string_view to = side(direction[3]);
  if (from.empty() || to.empty() || direction.substr(1, 2) != "to") return "[CUDA memcpy Unknown]";
  return "[CUDA memcpy " + std::string(from) + "-to-" + std::string(to) + "]";
}

Table report(msg::Id definition, const std::vector<ReportRow>& rows, msg::Id name_title, msg::Id name_about,
             Unit unit) {
  Table table{.definition = definition};
  table.texts_of(rows, "name", name_title, name_about, &ReportRow::name);
  add_report_columns(table, rows, unit);
  return table;
}

/// Returns the durations of slices of these kinds in the range, grouped by name_of(slice). If name_of()
/// returns nullopt, the slice is excluded.
template <class NameOf>
std::vector<ReportRow> rows_of(const Trace& trace, TimeRange range, std::initializer_list<SliceKind> kinds,
                               const std::stop_token& stop, NameOf&& name_of) {
  ReportRows rows;
  for (const SliceKind kind : kinds) {
    for_each_slice(trace, range, kind, stop, [&](SliceId slice) {
      const std::optional<std::string_view> name = name_of(slice);
      if (name) rows.add(*name, "", clipped_ns(trace, index_of(slice), range), slice);
    });
  }
  return rows.finish();
}

bool of_category(const Trace& trace, SliceId slice, std::string_view category) {
  return trace.category_text(trace.category(slice)) == category;
}

Table kernel_report(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::string scratch;
  const auto name_of = [&](SliceId slice) -> std::optional<std::string_view> {
    if (of_category(trace, slice, kGraphCategory)) return std::nullopt;
    if (query.group == 0) return trace.name_of(slice);
    const std::string_view recorded = facts[facts_index(trace, slice)].short_name;
    if (!recorded.empty()) return recorded;
    scratch = short_name(trace.name_of(slice));
    return scratch;
  };
  return report(
      msg::row_per_kernel_by_name,
      rows_of(trace, parts.gpu_range(stop), {SliceKind::compute, SliceKind::communication}, stop, name_of),
      msg::name, msg::as_recorded, Unit::ns);
}

Table api_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  return report(msg::row_per_cuda_call,
                rows_of(trace, parts.range(), {SliceKind::runtime}, stop,
                        [&](SliceId slice) { return std::optional(trace.name_of(slice)); }),
                msg::name, msg::as_recorded, Unit::ns);
}

Table copy_time_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  std::string scratch;
  return report(msg::row_per_copy_direction_time,
                rows_of(trace, parts.gpu_range(stop), {SliceKind::copy}, stop,
                        [&](SliceId slice) {
                          scratch = operation_of(trace.name_of(slice));
                          return std::optional<std::string_view>(scratch);
                        }),
                msg::operation, msg::operation_with_source_and_destination, Unit::ns);
}

Table copy_size_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const std::vector<EventFacts> facts = decode_facts(trace);
  ReportRows rows;
  std::uint64_t unsized_copies = 0;
  for_each_slice(trace, parts.gpu_range(stop), SliceKind::copy, stop, [&](SliceId slice) {
    const std::int64_t bytes = facts[facts_index(trace, slice)].bytes;
    if (bytes < 0) ++unsized_copies;
    if (bytes >= 0) rows.add(operation_of(trace.name_of(slice)), "", bytes, slice);
  });
  Table table = report(msg::row_per_copy_direction_bytes, rows.finish(), msg::operation,
                       msg::operation_with_source_and_destination, Unit::bytes);
  if (unsized_copies > 0) table.notes.emplace_back(msg::copies_without_size_excluded);
  return table;
}

std::string plain(std::string_view escaped) {
  std::string out;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '\\' && i + 1 < escaped.size() && (escaped[i + 1] == '"' || escaped[i + 1] == '\\'))
      ++i;
    out += escaped[i];
  }
  return out;
}

Table range_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  ReportRows rows;
  for_each_marked_range(trace, parts.range(), stop, [&](const MarkedRange& range) {
    rows.add(plain(range.text), range.style, clipped_ns(trace, index_of(range.slice), parts.range()),
             range.slice);
  });
  const std::vector<ReportRow> list = rows.finish();
  Table table = report(msg::row_per_nvtx_range, list, msg::range_other,
                       msg::domain_and_text_the_default_domain, Unit::ns);
  table.texts_of(list, "style", msg::style, msg::pushpop_nests_on_its_thread_startend, &ReportRow::style);
  return table;
}

Table projection_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  ReportRows rows;
  for (const ProjectedRange& projected : projected_ranges(trace, parts.range(), stop)) {
    const MarkedRange& range = projected.range;
    ReportRow& row = rows.add(plain(range.text), range.style,
                              saturating_subtract(projected.gpu.end_ns, projected.gpu.begin_ns), range.slice);
    add_saturating(row.range_total_ns, trace.duration_ns(range.slice));
    add_saturating(row.operations, projected.operations);
  }
  const std::vector<ReportRow> list = rows.finish();
  Table table = report(msg::row_per_nvtx_range_gpu, list, msg::range_other,
                       msg::domain_and_text_the_default_domain, Unit::ns);
  table.texts_of(list, "style", msg::style, msg::pushpop_nests_on_its_thread_startend, &ReportRow::style);
  table.integers_of(list, "range_total_ns", msg::range_total, Unit::ns, msg::the_same_ranges_on_the_cpu,
                    &ReportRow::range_total_ns);
  table.integers_of(list, "gpu_operations", msg::gpu_operations, Unit::count,
                    msg::kernels_copies_and_memsets_in_them, &ReportRow::operations);
  return table;
}

Table system_call_report(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  return report(msg::row_per_os_call,
                rows_of(trace, parts.range(), {SliceKind::other}, stop,
                        [&](SliceId slice) -> std::optional<std::string_view> {
                          if (!of_category(trace, slice, kSystemCategory)) return std::nullopt;
                          return trace.name_of(slice);
                        }),
                msg::name, msg::as_recorded, Unit::ns);
}

constexpr TableGroup kKernelGroups[] = {{"name", msg::by_whole_name, kNameKeys},
                                        {"base", msg::by_base_name, kNameKeys}};

}  // namespace

constexpr TableKind<RangeParts> kNsysKernelReport{{.name = "cuda_gpu_kern_sum",
                                                   .title = msg::cuda_gpu_kern_sum,
                                                   .heading = kNsysHeading,
                                                   .about = msg::about_cuda_gpu_kern_sum,
                                                   .groups = kKernelGroups},
                                                  kernel_report};
constexpr TableKind<RangeParts> kNsysApiReport{{.name = "cuda_api_sum",
                                                .title = msg::cuda_api_sum,
                                                .heading = kNsysHeading,
                                                .about = msg::about_cuda_api_sum,
                                                .keys = kNameKeys},
                                               api_report};
constexpr TableKind<RangeParts> kNsysCopyTimeReport{{.name = "cuda_gpu_mem_time_sum",
                                                     .title = msg::cuda_gpu_mem_time_sum,
                                                     .heading = kNsysHeading,
                                                     .about = msg::about_cuda_gpu_mem_time_sum,
                                                     .keys = kNameKeys},
                                                    copy_time_report};
constexpr TableKind<RangeParts> kNsysCopySizeReport{{.name = "cuda_gpu_mem_size_sum",
                                                     .title = msg::cuda_gpu_mem_size_sum,
                                                     .heading = kNsysHeading,
                                                     .about = msg::about_cuda_gpu_mem_size_sum,
                                                     .keys = kNameKeys},
                                                    copy_size_report};
constexpr TableKind<RangeParts> kNsysRangeReport{{.name = "nvtx_sum",
                                                  .title = msg::nvtx_sum,
                                                  .heading = kNsysHeading,
                                                  .about = msg::about_nvtx_sum,
                                                  .keys = kRangeKeys},
                                                 range_report};
constexpr TableKind<RangeParts> kNsysProjectionReport{{.name = "nvtx_gpu_proj_sum",
                                                       .title = msg::nvtx_gpu_proj_sum,
                                                       .heading = kNsysHeading,
                                                       .about = msg::about_nvtx_gpu_proj_sum,
                                                       .keys = kRangeKeys},
                                                      projection_report};
constexpr TableKind<RangeParts> kNsysSystemCallReport{{.name = "osrt_sum",
                                                       .title = msg::osrt_sum,
                                                       .heading = kNsysHeading,
                                                       .about = msg::about_osrt_sum,
                                                       .keys = kNameKeys},
                                                      system_call_report};

}  // namespace kino
