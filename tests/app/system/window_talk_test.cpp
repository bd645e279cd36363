// Covers: window_talk
#include "app/system/window_talk.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("a requested frame is due once, after its time has passed") {
  while (std::isfinite(seconds_to_requested_frame()))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  request_frame_after(60);
  CHECK(seconds_to_requested_frame() > 50);
  CHECK(seconds_to_requested_frame() <= 60);
  request_frame_after(0);
  CHECK(seconds_to_requested_frame() == doctest::Approx(0.02));
  CHECK(std::isinf(seconds_to_requested_frame()));
}
