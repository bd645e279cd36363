// Owners of objects of C libraries, which a function releases.
#pragma once

#include <memory>

namespace kino {

template <auto kRelease>
struct ReleasedBy {
  template <class Object>
  void operator()(Object* object) const {
    kRelease(object);
  }
};

template <class Object, auto kRelease>
using Owned = std::unique_ptr<Object, ReleasedBy<kRelease>>;

}  // namespace kino
