#include "core/base/platform/descriptor.hpp"

#include <unistd.h>

namespace kino {

Descriptor::~Descriptor() {
  if (fd >= 0) ::close(fd);
}

}  // namespace kino
