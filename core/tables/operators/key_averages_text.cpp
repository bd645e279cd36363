// Text table as printed by PyTorch's key_averages().table().
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/operators/key_averages.hpp"

namespace kino {
namespace {

std::string us_text(double us) {
  constexpr double kThousand = 1000;
  if (us >= kThousand * kThousand) return formatted("%.3fs", us / (kThousand * kThousand));
  return us >= kThousand ? formatted("%.3fms", us / kThousand) : formatted("%.3fus", us);
}

std::string us_text(std::int64_t ns) { return us_text(static_cast<double>(ns) / 1000.0); }

std::string mean_us_text(std::int64_t ns, std::uint64_t count) {
  return us_text(static_cast<double>(ns) / 1000.0 / static_cast<double>(count));
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "NaN";
  return formatted("%.2f%%", static_cast<double>(part) * 100.0 / static_cast<double>(whole));
}

std::string bytes_text(std::int64_t bytes) {
  constexpr double kKilo = 1024;
  const auto size = static_cast<double>(bytes);
  const double magnitude = std::abs(size);
  if (magnitude >= kKilo * kKilo * kKilo) return formatted("%.2f Gb", size / (kKilo * kKilo * kKilo));
  if (magnitude >= kKilo * kKilo) return formatted("%.2f Mb", size / (kKilo * kKilo));
  return magnitude >= kKilo ? formatted("%.2f Kb", size / kKilo) : std::to_string(bytes) + " b";
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

/// Returns the end of a path in at most `width` characters, shortened as in PyTorch.
std::string trimmed_path(std::string_view path, std::size_t width) {
  if (path.size() <= width) return std::string(path);
  path.remove_prefix(path.size() - width);
  return path.size() > 3 ? "..." + std::string(path.substr(3)) : std::string(path);
}

/// Writes the table in PyTorch's format.
class AveragesWriter {
 public:
  AveragesWriter(const KeyAverages& averages, KeyAverageGrouping grouping) : averages_(averages) {
    bool shapes = false;
    for (const KeyAverage& row : averages.rows) {
      name_width_ = std::max(name_width_, row.key.size() + 4);
      shapes_width_ = std::max(shapes_width_, row.input_shapes.size() + 4);
      shapes = shapes || row.input_shapes.size() > 2;
      for (const std::string& frame : row.stack)
        source_width_ = std::max(source_width_, std::min(frame.size() + 4, kMaxSource));
      add_saturating(all_cpu_ns_, row.self_cpu_ns);
      if (row.on_device) add_saturating(all_device_ns_, row.self_device_ns);
    }
    by_shape_ = grouping == KeyAverageGrouping::shape && shapes;
    name_width_ = std::min(name_width_, kMaxName);
    shapes_width_ = std::min(shapes_width_, kMaxShapes);
    list_columns();
  }

  std::string write(KeyAverageOrder sort_by, std::int64_t row_limit) {
    std::vector<const KeyAverage*> rows;
    rows.reserve(averages_.rows.size());
    for (const KeyAverage& row : averages_.rows) rows.push_back(&row);
    if (sort_by != KeyAverageOrder::none) {
      std::ranges::stable_sort(rows, std::ranges::greater(),
                               [sort_by](const KeyAverage* row) { return value_of(*row, sort_by); });
    }
    rule();
    write_titles();
    rule();
    std::int64_t shown = 0;
    for (const KeyAverage* row : rows) {
      if (shown++ == row_limit) break;
      write_row(*row);
    }
    rule();
    out_ += Message(msg::self_cpu_time_total, us_text(all_cpu_ns_)).str() + "\n";
    if (averages_.has_device)
      out_ += Message(msg::self_cuda_time_total, us_text(all_device_ns_)).str() + "\n";
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kWidth = 12;
  static constexpr std::size_t kMaxName = 80;
  static constexpr std::size_t kMaxShapes = 80;
  static constexpr std::size_t kMaxSource = 75;

  void list_columns() {
    columns_.emplace_back(msg::name, name_width_);
    const auto add = [&](std::initializer_list<msg::Id> titles) {
      for (const msg::Id title : titles) columns_.emplace_back(title, kWidth);
    };
    add({msg::self_cpu_percent, msg::self_cpu, msg::cpu_total_percent, msg::cpu_total, msg::cpu_time_avg});
    if (averages_.has_device)
      add({msg::self_cuda, msg::self_cuda_percent, msg::cuda_total, msg::cuda_time_avg});
    if (averages_.has_memory) add({msg::cpu_mem, msg::self_cpu_mem});
    if (averages_.has_memory && averages_.has_device) add({msg::cuda_mem, msg::self_cuda_mem});
    add({msg::of_calls});
    if (by_shape_) columns_.emplace_back(msg::input_shapes_other, shapes_width_);
    if (source_width_ > 0) columns_.emplace_back(msg::source_location, source_width_);
  }

  void cell(std::string_view text, std::size_t width = kWidth) {
    if (text.size() < width) out_.append(width - text.size(), ' ');
    out_.append(text).append("  ");
  }
  void source_cell(std::string_view text) {
    out_.append(text).append(source_width_ - std::min(source_width_, text.size()), ' ').append("  ");
  }
  void rule() {
    for (const auto& [title, width] : columns_) out_.append(width, '-').append("  ");
    out_ += '\n';
  }

  void write_titles() {
    for (const auto& [title, width] : columns_) {
      if (source_width_ > 0 && &title == &columns_.back().first) {
        source_cell(english(title));
      } else {
        cell(english(title), width);
      }
    }
    out_ += '\n';
  }

  void write_row(const KeyAverage& row) {
    std::string name = row.key;
    if (name.size() >= kMaxName - 3) name = name.substr(0, kMaxName - 3) + "...";
    cell(name, name_width_);
    cell(share_text(row.self_cpu_ns, all_cpu_ns_));
    cell(us_text(row.self_cpu_ns));
    cell(share_text(row.cpu_ns, all_cpu_ns_));
    cell(us_text(row.cpu_ns));
    cell(mean_us_text(row.cpu_ns, row.count));
    if (averages_.has_device) {
      cell(us_text(row.self_device_ns));
      cell(share_text(row.self_device_ns, all_device_ns_));
      cell(us_text(row.device_ns));
      cell(row.on_device ? us_text(row.device_us / static_cast<double>(row.count))
                         : mean_us_text(row.device_ns, row.count));
    }
    if (averages_.has_memory) {
      cell(bytes_text(row.cpu_bytes));
      cell(bytes_text(row.self_cpu_bytes));
    }
    if (averages_.has_memory && averages_.has_device) {
      cell(bytes_text(row.device_bytes));
      cell(bytes_text(row.self_device_bytes));
    }
    cell(std::to_string(row.count));
    if (by_shape_) cell(std::string_view(row.input_shapes).substr(0, shapes_width_), shapes_width_);
    if (source_width_ > 0)
      source_cell(row.stack.empty() ? "" : trimmed_path(row.stack.front(), source_width_));
    out_ += '\n';
    if (source_width_ > 0) write_other_frames(row.stack);
  }

  /// Writes the frames after the first one, one per line, then an empty line.
  void write_other_frames(const std::vector<std::string>& stack) {
    for (std::size_t frame = 1; frame <= std::max<std::size_t>(1, stack.size()); ++frame) {
      for (std::size_t i = 0; i + 1 < columns_.size(); ++i) cell("", columns_[i].second);
      source_cell(frame < stack.size() ? trimmed_path(stack[frame], source_width_) : "");
      out_ += '\n';
    }
  }

  const KeyAverages& averages_;
  std::vector<std::pair<msg::Id, std::size_t>> columns_;  // titles and widths
  std::size_t name_width_ = 0;
  std::size_t shapes_width_ = 0;
  std::size_t source_width_ = 0;
  std::int64_t all_cpu_ns_ = 0;
  std::int64_t all_device_ns_ = 0;
  bool by_shape_ = false;
  std::string out_;
};

}  // namespace

std::string key_averages_text(const KeyAverages& averages, KeyAverageGrouping grouping,
                              KeyAverageOrder sort_by, std::int64_t row_limit) {
  if (averages.rows.empty()) return "";
  return AveragesWriter(averages, grouping).write(sort_by, row_limit);
}

}  // namespace kino
