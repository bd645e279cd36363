// Owners of objects of C libraries that must be released by a function.
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
