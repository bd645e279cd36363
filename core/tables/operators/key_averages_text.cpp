// The table that PyTorch's key_averages().table() prints.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/operators/key_averages.hpp"

namespace kino {
namespace {

std::string us_text(double us) {
  constexpr double kThousand = 1000;
  char text[64];
  if (us >= kThousand * kThousand) {
    std::snprintf(text, sizeof text, "%.3fs", us / (kThousand * kThousand));
  } else if (us >= kThousand) {
    std::snprintf(text, sizeof text, "%.3fms", us / kThousand);
  } else {
    std::snprintf(text, sizeof text, "%.3fus", us);
  }
  return text;
}

std::string us_text(std::int64_t ns) { return us_text(static_cast<double>(ns) / 1000.0); }

std::string mean_us_text(std::int64_t ns, std::uint64_t count) {
  return us_text(static_cast<double>(ns) / 1000.0 / static_cast<double>(count));
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "NaN";
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%%", static_cast<double>(part) * 100.0 / static_cast<double>(whole));
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr double kKilo = 1024;
  const auto size = static_cast<double>(bytes);
  const double magnitude = std::abs(size);
  char text[64];
  if (magnitude >= kKilo * kKilo * kKilo) {
    std::snprintf(text, sizeof text, "%.2f Gb", size / (kKilo * kKilo * kKilo));
  } else if (magnitude >= kKilo * kKilo) {
    std::snprintf(text, sizeof text, "%.2f Mb", size / (kKilo * kKilo));
  } else if (magnitude >= kKilo) {
    std::snprintf(text, sizeof text, "%.2f Kb", size / kKilo);
  } else {
    std::snprintf(text, sizeof text, "%lld b", static_cast<long long>(bytes));
  }
  return text;
}

std::int64_t value_of(const KeyAverage& row, KeyAverageOrder order) {
  switch (order) {
    case KeyAverageOrder::cpu_time_total:
      return row.cpu_ns;
    case KeyAverageOrder::self_cpu_time_total:
      return row.self_cpu_ns;
    case KeyAverageOrder::cuda_time_total:
      return row.device_ns;
    case KeyAverageOrder::self_cuda_time_total:
      return row.self_device_ns;
    case KeyAverageOrder::cpu_memory_usage:
      return row.cpu_bytes;
    case KeyAverageOrder::self_cpu_memory_usage:
      return row.self_cpu_bytes;
    case KeyAverageOrder::cuda_memory_usage:
      return row.device_bytes;
    case KeyAverageOrder::self_cuda_memory_usage:
      return row.self_device_bytes;
    case KeyAverageOrder::count:
      return static_cast<std::int64_t>(row.count);
    case KeyAverageOrder::none:
      break;
  }
  return 0;
}

/// The end of a path, as PyTorch cuts it.
std::string trimmed_path(std::string_view path, std::size_t width) {
  if (path.size() <= width) return std::string(path);
  path.remove_prefix(path.size() - width);
  return path.size() > 3 ? "..." + std::string(path.substr(3)) : std::string(path);
}

}  // namespace

std::string key_averages_text(const KeyAverages& averages, KeyAverageGrouping grouping,
                              KeyAverageOrder sort_by, std::int64_t row_limit) {
  constexpr std::size_t kWidth = 12;
  constexpr std::size_t kMostName = 80;
  constexpr std::size_t kMostShapes = 80;
  constexpr std::size_t kMostSource = 75;
  if (averages.rows.empty()) return "";
  std::vector<const KeyAverage*> rows;
  std::size_t name_width = 0;
  std::size_t shapes_width = 0;
  std::int64_t all_cpu_ns = 0;
  std::int64_t all_device_ns = 0;
  for (const KeyAverage& row : averages.rows) {
    rows.push_back(&row);
    name_width = std::max(name_width, row.key.size() + 4);
    shapes_width = std::max(shapes_width, row.input_shapes.size() + 4);
    add_saturating(all_cpu_ns, row.self_cpu_ns);
    if (row.on_device) add_saturating(all_device_ns, row.self_device_ns);
  }
  std::size_t source_width = 0;
  for (const KeyAverage* row : rows) {
    for (const std::string& frame : row->stack)
      source_width = std::max(source_width, std::min(frame.size() + 4, kMostSource));
  }
  const bool by_shape = grouping == KeyAverageGrouping::shape &&
                        std::any_of(rows.begin(), rows.end(),
                                    [](const KeyAverage* row) { return row->input_shapes.size() > 2; });
  name_width = std::min(name_width, kMostName);
  shapes_width = std::min(shapes_width, kMostShapes);
  if (sort_by != KeyAverageOrder::none) {
    std::stable_sort(rows.begin(), rows.end(), [sort_by](const KeyAverage* a, const KeyAverage* b) {
      return value_of(*a, sort_by) > value_of(*b, sort_by);
    });
  }
  std::vector<std::pair<msg::Id, std::size_t>> headers{
      {msg::name, name_width},          {msg::self_cpu_percent, kWidth}, {msg::self_cpu, kWidth},
      {msg::cpu_total_percent, kWidth}, {msg::cpu_total, kWidth},        {msg::cpu_time_avg, kWidth}};
  const auto add = [&](std::initializer_list<msg::Id> titles) {
    for (const msg::Id title : titles) headers.emplace_back(title, kWidth);
  };
  if (averages.has_device) add({msg::self_cuda, msg::self_cuda_percent, msg::cuda_total, msg::cuda_time_avg});
  if (averages.has_memory) add({msg::cpu_mem, msg::self_cpu_mem});
  if (averages.has_memory && averages.has_device) add({msg::cuda_mem, msg::self_cuda_mem});
  add({msg::of_calls});
  if (by_shape) headers.emplace_back(msg::input_shapes_other, shapes_width);
  if (source_width > 0) headers.emplace_back(msg::source_location, source_width);
  std::string out;
  const auto cell = [&](std::string_view text, std::size_t width) {
    if (text.size() < width) out.append(width - text.size(), ' ');
    out.append(text).append("  ");
  };
  const auto rule = [&] {
    for (const auto& [title, width] : headers) out.append(width, '-').append("  ");
    out += '\n';
  };
  rule();
  const auto source_cell = [&](std::string_view text) {
    out.append(text).append(source_width - std::min(source_width, text.size()), ' ').append("  ");
  };
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (source_width > 0 && i + 1 == headers.size()) {
      source_cell(english(headers[i].first));
    } else {
      cell(english(headers[i].first), headers[i].second);
    }
  }
  out += '\n';
  rule();
  std::int64_t shown = 0;
  for (const KeyAverage* row : rows) {
    if (shown++ == row_limit) break;
    std::string name = row->key;
    if (name.size() >= kMostName - 3) name = name.substr(0, kMostName - 3) + "...";
    cell(name, name_width);
    cell(share_text(row->self_cpu_ns, all_cpu_ns), kWidth);
    cell(us_text(row->self_cpu_ns), kWidth);
    cell(share_text(row->cpu_ns, all_cpu_ns), kWidth);
    cell(us_text(row->cpu_ns), kWidth);
    cell(mean_us_text(row->cpu_ns, row->count), kWidth);
    if (averages.has_device) {
      cell(us_text(row->self_device_ns), kWidth);
      cell(share_text(row->self_device_ns, all_device_ns), kWidth);
      cell(us_text(row->device_ns), kWidth);
      cell(row->on_device ? us_text(row->device_us / static_cast<double>(row->count))
                          : mean_us_text(row->device_ns, row->count),
           kWidth);
    }
    if (averages.has_memory) {
      cell(bytes_text(row->cpu_bytes), kWidth);
      cell(bytes_text(row->self_cpu_bytes), kWidth);
      if (averages.has_device) {
        cell(bytes_text(row->device_bytes), kWidth);
        cell(bytes_text(row->self_device_bytes), kWidth);
      }
    }
    cell(std::to_string(row->count), kWidth);
    if (by_shape) cell(std::string_view(row->input_shapes).substr(0, shapes_width), shapes_width);
    if (source_width > 0)
      source_cell(row->stack.empty() ? "" : trimmed_path(row->stack.front(), source_width));
    out += '\n';
    if (source_width == 0) continue;
    // The other frames below, then an empty line.
    for (std::size_t frame = 1; frame <= std::max<std::size_t>(1, row->stack.size()); ++frame) {
      for (std::size_t i = 0; i + 1 < headers.size(); ++i) cell("", headers[i].second);
      source_cell(frame < row->stack.size() ? trimmed_path(row->stack[frame], source_width) : "");
      out += '\n';
    }
  }
  rule();
  out += Message(msg::self_cpu_time_total, us_text(all_cpu_ns)).str() + "\n";
  if (averages.has_device) out += Message(msg::self_cuda_time_total, us_text(all_device_ns)).str() + "\n";
  return out;
}

}  // namespace kino
