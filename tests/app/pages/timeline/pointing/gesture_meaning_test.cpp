// Covers: gesture_meaning
#include "app/pages/timeline/pointing/gesture_meaning.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("a drag marks a range or pans, as set; Shift swaps the two, and with Space it always pans") {
  CHECK(drag_meaning(true, {}) == DragMeaning::marks_range);
  CHECK(drag_meaning(false, {}) == DragMeaning::pans);
  CHECK(drag_meaning(true, {.shift = true}) == DragMeaning::pans);
  CHECK(drag_meaning(false, {.shift = true}) == DragMeaning::marks_range);
  for (const bool selects : {false, true}) {
    for (const bool shift : {false, true})
      CHECK(drag_meaning(selects, {.shift = shift, .space = true}) == DragMeaning::pans);
  }
}

TEST_CASE("a click with Ctrl measures from the selected slice to another place, and otherwise selects") {
  CHECK(click_meaning(true, SliceId{1}, SliceId{2}) == ClickMeaning::measures);
  CHECK(click_meaning(true, SliceId{1}, kNoSlice) == ClickMeaning::measures);
  CHECK(click_meaning(true, SliceId{1}, SliceId{1}) == ClickMeaning::selects);
  CHECK(click_meaning(true, kNoSlice, SliceId{2}) == ClickMeaning::selects);
  CHECK(click_meaning(false, SliceId{1}, SliceId{2}) == ClickMeaning::selects);
}
