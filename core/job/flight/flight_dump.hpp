// Dump of NCCL's flight recorder for one rank: its process groups and last enqueued operations.
//
// PyTorch's ProcessGroupNCCL writes it (TORCH_FR_DUMP_TEMP_FILE), in versions 2.0 to 2.10 of the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kino {

struct FlightFrame {
  std::string function;
  std::string file;
  std::int64_t line = 0;
};

enum class FlightState : std::uint8_t { scheduled, started, completed };

/// An operation that the rank has enqueued. Numbers that are not in the dump are -1.
struct FlightEntry {
  std::uint32_t group = 0;  ///< index into FlightDump::groups
  FlightState state{};
  bool message = false;        ///< whether the operation is a send to or a receive from one peer
  std::int64_t sequence = -1;  ///< number of the collective in its group
  std::string operation;       ///< for example "nccl:all_reduce", or "nccl:send 0->3" with ranks of the group
  std::string input_sizes;     ///< text from the dump, such as "[[8192, 1]]"
  std::string output_sizes;
  std::string dtypes;              ///< "BFloat16", or "BFloat16, Float" for several
  std::int64_t created_ns = -1;    ///< Unix time of the enqueue
  std::int64_t completed_ns = -1;  ///< Unix time at which the watchdog saw that the operation had completed
  std::int64_t timeout_ms = -1;
  std::vector<FlightFrame> frames;  ///< innermost first; empty if not recorded
};

struct FlightGroup {
  std::string name;         ///< valid on this rank only
  std::string description;  ///< "TENSOR_MODEL_PARALLEL_GROUP"
  std::vector<std::int64_t> ranks;
  std::int64_t last_enqueued = -1;  ///< last enqueued sequence number; -1: unknown, as in the next two
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
};

struct FlightDump {
  std::int64_t rank = -1;
  std::string version;       ///< version of the dump format
  std::string nccl_version;  ///< may be empty
  std::string file;
  // PyTorch writes neither of the next two; launchers that collect dumps may add them.
  std::string host;              ///< host of the rank's process; empty: not in the dump
  std::int64_t pid = -1;         ///< id of the rank's process on its host; -1: not in the dump
  std::int64_t written_ns = -1;  ///< Unix time at which the file was last modified; -1: unknown
  bool has_status = false;       ///< whether the dump's pg_status has at least one entry
  std::vector<FlightGroup> groups;
  std::vector<FlightEntry> entries;  ///< in the order of the dump
};

}  // namespace kino
