// Reads the argument columns: a slice's launch configuration, shapes or collective, and the operator it
// belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"

namespace kino {

struct Trace;

/// Which argument a piece of EventFacts comes from; the letters stand in ArgumentColumns::texts.
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
  push_pop_range = 'x',   ///< of NVTX: "domain:text", the default domain is empty
  start_end_range = 'X',  ///< the same of a range that is started and ended by its handle
  short_name = 'k',       ///< of a kernel, without parameters
  direction = 'v',        ///< of a copy whose name does not tell it
};

/// Which fact an argument of this name is; 0 for others. O(1).
char fact_of_argument(std::string_view key);

/// The `dtype` of a message whose size was recorded in bytes, without a type: its elements are bytes.
inline constexpr std::string_view kOnlyBytes = "bytes";

/// A launch configuration, an operator's inputs or a collective, whichever the event tells. Numbers that are
/// absent are -1.
struct EventFacts {
  std::array<std::int64_t, 3> grid{-1, -1, -1};
  std::array<std::int64_t, 3> block{-1, -1, -1};
  std::int64_t registers = -1;      ///< per thread
  std::int64_t shared_memory = -1;  ///< bytes
  double blocks_per_sm = -1;
  double occupancy = -1;        ///< estimated, 0..100
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
  std::int64_t sequence = -1;  ///< Seq: of a collective in its group, or of a message between its two ranks
  std::uint64_t communication = 0;    ///< Comms Id, equal on all ranks of one collective; 0: none
  std::int64_t source = -1;           ///< device or rank that a copy or message comes from
  std::int64_t target = -1;           ///< and the one that it goes to
  std::string_view call_stack;        ///< innermost frame first, ';' between
  std::string_view module_hierarchy;  ///< "TOP(Net).conv1(Conv2d)"
  std::string_view push_pop_range;    ///< "domain:text", escaped as in JSON
  std::string_view start_end_range;   ///< likewise; of a range at most one of both
  std::string_view short_name;        ///< likewise
  std::string_view direction;         ///< of a copy whose name does not tell it: "DEVICE_TO_HOST"

  std::int64_t threads_per_block() const { return block[0] < 0 ? -1 : block[0] * block[1] * block[2]; }
};

/// Returns the occupancy of a kernel, in percent; -1 if it is not known. Kineto also writes 0 if it cannot
/// compute the value, as for kernels with much dynamic shared memory: 0 is not believed if the warps per SM
/// amount to 1 % of the 64 that an SM has at most.
double known_occupancy(const EventFacts& facts);

/// All distinct facts of a trace, by number; views into the trace. O(distinct texts).
std::vector<EventFacts> decode_facts(const Trace& trace);

/// The number of the slice's facts, 0: none. O(1).
std::uint32_t facts_number(const Trace& trace, SliceId slice);

/// The innermost operator or annotation around a runtime call or around the launch of GPU work; kNoSlice
/// without. O(depth).
SliceId owner_by_nesting(const Trace& trace, SliceId slice);

/// The operator or annotation a runtime call or GPU work belongs to: the one its External id names, else the
/// innermost around it or around its launch; kNoSlice without. O(depth + log exceptions).
SliceId owner_of(const Trace& trace, SliceId slice);

}  // namespace kino
