#include "loaders/formats/databases/nsight_counters.hpp"

#include <map>
#include <string>
#include <utility>

#include "loaders/formats/databases/transcribed_rows.hpp"

namespace kino {

std::uint64_t transcribe_metrics(const Database& database, const Transcription& to) {
  struct Metric {
    std::string name;  // escaped
    std::string pid;   // as JSON
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Metric> metrics;
  for_each_row(database, to, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"},
               [&](const DatabaseRows& rows) {
                 constexpr std::int64_t kDevice = 0xff;  // mask: the lowest byte is the index of the GPU
                 const std::int64_t type = rows.integer_or(0, 0);
                 Metric& metric = metrics[{type, rows.integer_or(1, 0)}];
                 metric.name.clear();
                 append_escaped(metric.name, rows.text(2));
                 metric.pid = json_text("GPU " + std::to_string(type & kDevice) + " metrics");
               });
  std::uint64_t unnamed = 0;
  for_each_row(database, to, "GPU_METRICS", {"timestamp", "typeId", "metricId", "value"},
               [&](const DatabaseRows& rows) {
                 const auto time = rows.integer(0);
                 const auto value = rows.number(3);
                 if (!time || !value) return;
                 const auto metric = metrics.find({rows.integer_or(1, 0), rows.integer_or(2, 0)});
                 if (metric == metrics.end()) {
                   ++unnamed;
                   return;
                 }
                 to.out.counter(metric->second.name, metric->second.pid, *time, *value);
               });
  return unnamed;
}

void transcribe_device_memory(const Database& database, const Transcription& to,
                              RecordedProcesses& processes) {
  std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> totals;
  for_each_row(database, to, "CUDA_GPU_MEMORY_USAGE_EVENTS",
               {"start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType"},
               [&](const DatabaseRows& rows) {
                 constexpr std::int64_t kDeviceMemory = 2;
                 constexpr std::int64_t kArray = 3;
                 const auto start = rows.integer(0);
                 const auto bytes = rows.integer(4);
                 const std::int64_t kind = rows.integer_or(5, kDeviceMemory);
                 if (!start || !bytes || *bytes < 0 || (kind != kDeviceMemory && kind != kArray)) return;
                 const std::uint32_t process =
                     rows.integer(1) ? processes.process(static_cast<std::uint64_t>(*rows.integer(1)))
                                     : processes.only_process();
                 const std::int64_t signed_bytes = rows.integer_or(6, 0) == 1 ? -*bytes : *bytes;
                 std::int64_t& total = totals[{process, rows.integer_or(2, 0)}];
                 if (__builtin_add_overflow(total, signed_bytes, &total)) return;
                 const std::string& pid = processes.pid(process);
                 to.out.instant("cpu_instant_event", "[memory]", {pid, pid}, *start);
                 to.out.argument("Device Type", 1);
                 to.out.argument("Device Id", rows.integer_or(2, 0));
                 to.out.argument("Addr", rows.integer_or(3, 0));
                 to.out.argument("Bytes", signed_bytes);
                 to.out.argument("Total Allocated", total);
               });
}

}  // namespace kino
