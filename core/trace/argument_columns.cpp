#include "core/trace/argument_columns.hpp"

namespace kino {

std::size_t ArgumentColumns::size_bytes() const {
  return facts.size_bytes() + texts.size_bytes() + exceptions.size_bytes() + operators.size_bytes() +
         memory_time_ns.size_bytes() + memory_bytes.size_bytes() + memory_address.size_bytes() +
         memory_device.size_bytes() + memory_track.size_bytes() + memory_total_bytes.size_bytes();
}

}  // namespace kino
