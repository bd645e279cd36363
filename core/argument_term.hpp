// What a search asks of the arguments of an event.
#pragma once

#include <string>

namespace kino {

struct ArgumentTerm {
  std::string key;    ///< of the argument: lower case, letters and digits only; empty: any
  std::string value;  ///< lower case; what its value contains, as a whole number if it is one
  bool operator==(const ArgumentTerm&) const = default;
};

}  // namespace kino
