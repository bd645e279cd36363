#include "app/ui/text/shown_bytes.hpp"

#include <atomic>

namespace kino {
namespace {

std::atomic<ByteUnits> shown{ByteUnits::decimal};

}  // namespace

ByteUnits byte_units() { return shown.load(std::memory_order_relaxed); }

void set_byte_units(ByteUnits units) { shown.store(units, std::memory_order_relaxed); }

}  // namespace kino
