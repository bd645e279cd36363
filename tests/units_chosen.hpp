// The units of bytes while a test wants them.
#pragma once

#include "core/byte_text.hpp"

namespace kino_test {

class UnitsChosen {
 public:
  explicit UnitsChosen(kino::ByteUnits units) : before_(kino::byte_units()) { kino::set_byte_units(units); }
  ~UnitsChosen() { kino::set_byte_units(before_); }
  UnitsChosen(const UnitsChosen&) = delete;
  UnitsChosen& operator=(const UnitsChosen&) = delete;

 private:
  kino::ByteUnits before_;
};

}  // namespace kino_test
