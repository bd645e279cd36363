// Decodes the argument columns: launch configuration, shapes or collective of a slice, and its operator.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"

namespace kino {

struct Trace;

/// An argument of an event, encoded as a letter. In ArgumentColumns::texts, the letter precedes the
/// argument's value.
enum class Fact : char {
  grid = 'g',
  block = 'b',
  registers = 'r',
  shared_memory = 's',
  blocks_per_sm = 'B',
  occupancy = 'o',
  bytes = 'y',
  bandwidth = 'w',
  input_dims = 'I',
  input_types = 'T',
  concrete_inputs = 'C',
  collective = 'c',
  in_elements = 'n',
  out_elements = 'N',
  group_size = 'z',
  dtype = 'd',
  group_name = 'p',
  group_description = 'D',
  group_ranks = 'R',
  sequence = 'q',
  communication = 'i',
  source = 'f',
  target = 't',
  call_stack = 'S',
  module_hierarchy = 'M',
  push_pop_range = 'x',   ///< of an NVTX range of a thread: "domain:text"; the default domain is empty
  start_end_range = 'X',  ///< of an NVTX range that is started and ended by a handle: "domain:text"
  short_name = 'k',       ///< of a kernel, without parameters
  direction = 'v',        ///< of a copy whose name does not contain it
  launched_kernel = 'K',  ///< of a launch call of HIP: the kernel's name
  in_splits = 'u',        ///< of an all-to-all: rows sent to each rank
  graph_node = 'G',       ///< of replayed work: id of its node in the graph
};

/// Returns the Fact of an argument name, or 0. O(1).
char fact_of_argument(std::string_view key);

/// Value of `dtype` for a message whose size was recorded in bytes, without a type.
inline constexpr std::string_view kOnlyBytes = "bytes";

/// Facts of one event as recorded: a launch configuration, an operator's inputs or a collective. Absent
/// numbers are -1, except `communication`.
struct EventFacts {
  std::array<std::int64_t, 3> grid{-1, -1, -1};
  std::array<std::int64_t, 3> block{-1, -1, -1};
  std::int64_t registers = -1;      ///< per thread
  std::int64_t shared_memory = -1;  ///< bytes
  double blocks_per_sm = -1;
  double occupancy = -1;        ///< estimated percentage, 0..100
  std::int64_t bytes = -1;      ///< of a copy
  double bandwidth = -1;        ///< of a copy, GB/s
  std::string_view input_dims;  ///< as written: [[8, 3], []]
  std::string_view input_types;
  std::string_view concrete_inputs;
  std::string_view collective;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = -1;
  std::string_view dtype;
  std::string_view group_name;
  std::string_view group_description;
  std::string_view group_ranks;
  std::int64_t sequence = -1;  ///< Seq: index of a collective in its group, or of a message between two ranks
  std::uint64_t communication = 0;    ///< Comms Id, equal on all ranks of one collective; 0: none
  std::int64_t source = -1;           ///< source device or rank of a copy or message
  std::int64_t target = -1;           ///< target device or rank of a copy or message
  std::string_view call_stack;        ///< innermost frame first, ';' between
  std::string_view module_hierarchy;  ///< "TOP(Net).conv1(Conv2d)"
  std::string_view push_pop_range;    ///< "domain:text", escaped as in JSON
  std::string_view start_end_range;   ///< as push_pop_range; at most one of the two is set
  std::string_view short_name;        ///< of a kernel, without parameters, escaped as in JSON
  std::string_view direction;         ///< of a copy whose name does not contain it: "DEVICE_TO_HOST"
  std::string_view launched_kernel;   ///< of a launch call of HIP: the kernel's name, escaped as in JSON
  std::string_view in_splits;         ///< of an all-to-all: rows sent to each rank: "[4096, 4096]"
  std::int64_t graph_node = -1;       ///< of replayed work: id of its node in the graph

  std::int64_t threads_per_block() const { return block[0] < 0 ? -1 : block[0] * block[1] * block[2]; }
};

/// Returns the occupancy of a kernel in percent; -1 if unknown. Kineto also writes 0 if it cannot compute the
/// value, as for kernels with much dynamic shared memory. Therefore 0 counts as unknown if the warps per SM
/// amount to at least 1 % of the 64 that an SM can have.
double known_occupancy(const EventFacts& facts);

/// Returns all distinct facts of a trace, by facts_index(); there is always an element 0, without facts. They
/// contain views into the trace. O(length of the texts).
std::vector<EventFacts> decode_facts(const Trace& trace);

/// Returns the index of the slice's facts; 0 if there are none. O(1).
std::uint32_t facts_index(const Trace& trace, SliceId slice);

/// Returns the innermost operator or annotation around a runtime call or around the launch of GPU work;
/// kNoSlice if there is none. O(depth).
SliceId owner_by_nesting(const Trace& trace, SliceId slice);

/// Returns the operator or annotation of a runtime call or of GPU work: the one that the External id names;
/// if there is none, owner_by_nesting(). O(depth + log exceptions).
SliceId owner_of(const Trace& trace, SliceId slice);

}  // namespace kino
