// A stable sort for nearly sorted data: finds the ascending runs and merges only where they overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace kino {

/// Sorts `[data, data + size)` stably. O(n) for few runs or runs that hardly overlap, O(n log runs) at worst.
/// Scratch memory is the size of the shorter side of an overlap. Once `stop()` is true, returns early with
/// the elements in unspecified order.
template <class T, class Less, class Stop>
void run_merge_sort(T* data, std::size_t size, Less less, Stop stop) {
  std::vector<std::size_t> bounds{0};
  for (std::size_t i = 1; i < size; ++i) {
    if (i % (std::size_t{1} << 16) == 0 && stop()) return;
    if (less(data[i], data[i - 1])) bounds.push_back(i);
  }
  bounds.push_back(size);
  std::vector<T> scratch;
  while (bounds.size() > 2) {
    std::vector<std::size_t> next{0};
    for (std::size_t run = 0; run + 1 < bounds.size(); run += 2) {
      if (stop()) return;
      if (run + 2 >= bounds.size()) {
        next.push_back(bounds[run + 1]);
        break;
      }
      T* const middle = data + bounds[run + 1];
      // The left run is in place up to the right run's first element, and the right run from the left run's
      // last element on.
      T* const first = std::upper_bound(data + bounds[run], middle, *middle, less);
      T* const last = std::lower_bound(middle, data + bounds[run + 2], *(middle - 1), less);
      if (first != middle && middle != last) {
        if (middle - first <= last - middle) {
          scratch.assign(first, middle);
          T* out = first;
          auto left = scratch.begin();
          T* right = middle;
          while (left != scratch.end() && right != last) *out++ = less(*right, *left) ? *right++ : *left++;
          std::copy(left, scratch.end(), out);
        } else {
          scratch.assign(middle, last);
          T* out = last;
          auto right = scratch.end();
          T* left = middle;
          while (right != scratch.begin() && left != first) {
            *--out = less(*(right - 1), *(left - 1)) ? *--left : *--right;
          }
          std::copy_backward(scratch.begin(), right, out);
        }
      }
      next.push_back(bounds[run + 2]);
    }
    bounds = std::move(next);
  }
}

template <class T, class Less>
void run_merge_sort(T* data, std::size_t size, Less less) {
  run_merge_sort(data, size, less, [] { return false; });
}

}  // namespace kino
