// Iterates over a list that returns its elements by value.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>

namespace kino {

/// Iterator of a List with `Value operator[](std::size_t) const`. The list must outlive the iterator.
template <class List, class Value>
class IndexedIterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using reference = Value;
  using pointer = void;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category =
      std::input_iterator_tag;  // iterators that return values were input iterators before C++20

  IndexedIterator() = default;
  IndexedIterator(const List& list, std::size_t index)
      : list_(&list), index_(static_cast<std::ptrdiff_t>(index)) {}

  Value operator*() const { return (*list_)[static_cast<std::size_t>(index_)]; }
  Value operator[](difference_type by) const { return *(*this + by); }

  IndexedIterator& operator++() { return *this += 1; }
  IndexedIterator& operator--() { return *this -= 1; }
  IndexedIterator operator++(int) { return std::exchange(*this, *this + 1); }
  IndexedIterator operator--(int) { return std::exchange(*this, *this - 1); }
  IndexedIterator& operator+=(difference_type by) {
    index_ += by;
    return *this;
  }
  IndexedIterator& operator-=(difference_type by) { return *this += -by; }
  friend IndexedIterator operator+(IndexedIterator it, difference_type by) { return it += by; }
  friend IndexedIterator operator+(difference_type by, IndexedIterator it) { return it += by; }
  friend IndexedIterator operator-(IndexedIterator it, difference_type by) { return it -= by; }
  // Both must be iterators of the same list.
  friend difference_type operator-(const IndexedIterator& a, const IndexedIterator& b) {
    return a.index_ - b.index_;
  }
  friend bool operator==(const IndexedIterator& a, const IndexedIterator& b) { return a.index_ == b.index_; }
  friend auto operator<=>(const IndexedIterator& a, const IndexedIterator& b) {
    return a.index_ <=> b.index_;
  }

 private:
  const List* list_ = nullptr;
  std::ptrdiff_t index_ = 0;
};

}  // namespace kino
