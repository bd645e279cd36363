// Owners of sd-bus objects.
#pragma once

#include <systemd/sd-bus.h>

#include "app/system/released_by.hpp"

namespace kino {

using Bus = Owned<sd_bus, sd_bus_flush_close_unref>;
using BusMessage = Owned<sd_bus_message, sd_bus_message_unref>;
using BusSlot = Owned<sd_bus_slot, sd_bus_slot_unref>;

}  // namespace kino
