// Waiting for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace kino_test {

/// Whether `holds()` became true within a minute.
template <class Holds>
bool eventually(Holds holds) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace kino_test
