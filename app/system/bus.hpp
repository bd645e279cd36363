// Owners of sd-bus objects.
#pragma once

#include <memory>

#include <systemd/sd-bus.h>

namespace kino {

struct BusDeleter {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
struct BusMessageDeleter {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
struct BusSlotDeleter {
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
using Bus = std::unique_ptr<sd_bus, BusDeleter>;
using BusMessage = std::unique_ptr<sd_bus_message, BusMessageDeleter>;
using BusSlot = std::unique_ptr<sd_bus_slot, BusSlotDeleter>;

}  // namespace kino
