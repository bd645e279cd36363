// Finds slices: compiles typed text into a query, and counts, bins, lists and steps through its hits.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/argument_term.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The common data of all searches of one trace: the names in lower case. Immutable. The trace must outlive
/// the index.
class SearchIndex {
 public:
  /// Converts all names to lower case. O(bytes of names).
  explicit SearchIndex(const Trace& trace);

  const Trace& trace() const { return *trace_; }
  /// Returns the name with ASCII letters in lower case. The view is valid as long as the index.
  std::string_view lower_name(NameId name) const;

 private:
  const Trace* trace_;
  std::string lower_names_;                // all names, one after the other
  std::vector<std::uint64_t> name_begin_;  // by NameId: index into lower_names_; last: its size
};

/// Parses a duration such as "1.5ms" to ns; without a unit the value is in us, as in trace files. Returns
/// nullopt if `text` is malformed or negative, or if the value is 9e18 ns or more.
std::optional<double> duration_ns_of(std::string_view text);

/// Some tracks; nullopt means all tracks.
using TrackChoice = std::optional<std::span<const TrackId>>;

/// A compiled query. Immutable; the index must outlive it.
///
/// Terms are separated by spaces, and all must match; "double quotes" keep spaces together.
///   word                      the name contains it; ASCII letters match both cases
///   /regex/                   the name matches anywhere (syntax: NamePattern)
///   name:x cat:x              the name or the category contains x; x may be "quoted" or a /regex/
///   track:x kind:x            the track ("stream 7") or the kind ("compute") contains x; kind:kernel
///                             are compute and communication, kind:gpu all kinds of a GPU
///   dur>1ms dur<=50us         duration in ns, us, ms or s (>, >=, <, <=); without a unit us, as in the file
///   stream:7 correlation:4711 the argument of that name (only letters and digits count) contains the value;
///   inputdims:"[8, 128]"      a number matches as a whole. arg:stream=7 equals stream:7
///   args:x                    any argument contains x
///   shape:[8,128] dims:8x128  an argument about shapes (kShapeKey) contains it; [8, 128] alone is the same
/// "std::vector", "module.py:f" and "key:" are ordinary words. So is text that looks like a field or begins
/// like an expression if a name contains it: "nccl:all_reduce", "/usr/lib". Without terms every slice is a
/// hit. The query itself cannot read arguments: if it has argument_terms(), nothing is a hit before
/// restrict_to().
///
/// Costs below are for 12 M slices with 4,000 names on 2 cores. Compiling takes 0.05 to 0.7 ms.
class SearchQuery {
 public:
  /// Result of looking up the key of an argument field.
  struct Field {
    bool known = true;
    std::string nearest;  ///< key of a field with a similar spelling; may be empty
  };
  /// Looks up a key, which has the form of ArgumentTerm::key.
  using FieldLookup = std::function<Field(const std::string& key)>;

  /// Compiles a query. Fails with `unknown_format`; the error is a sentence on the first invalid term. Its
  /// offset is the first byte of the term in `text`, or of a phrase or regex that is not closed. Without
  /// `fields`, all argument names are accepted. Each distinct name is matched once, in parallel. O(bytes of
  /// distinct names).
  static Result<SearchQuery> compile(std::string_view text, const SearchIndex& index, unsigned threads = 0,
                                     const FieldLookup& fields = {});

  /// Returns the terms on arguments, which the caller must evaluate: see EventDetails::find().
  const std::vector<ArgumentTerm>& argument_terms() const { return argument_terms_; }
  /// Whether the slice matches, ignoring its arguments. O(log rows).
  bool matches_but_arguments(SliceId slice) const;
  /// Restricts the hits to slices of the set, if the query has argument_terms(); otherwise has no effect.
  void restrict_to(std::shared_ptr<const SliceSet> slices);

  /// Whether the query matches all names and has no other condition, so that every slice is a hit.
  bool matches_all() const;
  bool matches_name(NameId name) const {
    return (names_[index_of(name) / 64] >> (index_of(name) % 64) & 1U) != 0;
  }
  /// Whether the slice is a hit. O(log rows), to find its track.
  bool matches(SliceId slice) const;

  /// Returns all hits. O(slices), parallel. Fails with `cancelled`.
  Result<SliceSet> hit_set(const std::stop_token& stop = {}) const;

  /// Returns the first hit, ordered by (start, id), that starts after `time_ns`, or that starts at `time_ns`
  /// and has an id above `after` (kNoSlice: any id). Returns kNoSlice if there is none. O(log n + skipped
  /// slices), parallel over rows; 20 ms if nothing is hit.
  SliceId next_hit(TrackChoice tracks, std::int64_t time_ns, SliceId after = kNoSlice,
                   const std::stop_token& stop = {}) const;
  /// Returns the last hit that starts before `time_ns`, or that starts at `time_ns` and has an id below
  /// `before` (kNoSlice: no id).
  SliceId previous_hit(TrackChoice tracks, std::int64_t time_ns, SliceId before = kNoSlice,
                       const std::stop_token& stop = {}) const;

  /// Returns the number of hits that touch each of `bins` equal bins of `range`. A long hit counts in each
  /// bin that it covers. Bin i is [edge i, edge i + 1) with edges of bin_edge_ns(). O(slices in range),
  /// parallel; 20 to 50 ms.
  std::vector<std::uint32_t> hits_per_bin(TrackChoice tracks, TimeRange range, std::uint32_t bins,
                                          const std::stop_token& stop = {}) const;

 private:
  friend class SearchCompiler;

  static constexpr std::uint32_t kAllKinds = (1U << kSliceKindCount) - 1;

  bool matches_slice(std::uint32_t slice) const;
  bool matches_columns(std::uint32_t slice) const;
  /// Returns one bit for each hit of [begin, end), ignoring tracks. The slices must share one word of a
  /// SliceSet.
  std::uint64_t hits_in_word(std::uint32_t begin, std::uint32_t end) const;
  bool matches_track(TrackId track) const { return tracks_.empty() || tracks_[index_of(track)]; }
  /// Returns the rows of the chosen tracks that match the track terms.
  std::vector<RowId> rows_of(TrackChoice tracks) const;

  const SearchIndex* index_ = nullptr;
  unsigned threads_ = 1;
  std::vector<std::uint64_t> names_;  // one bit per NameId
  bool some_names_ = false;           // whether any bit is not set
  std::vector<bool> categories_;      // by CategoryId; empty: all
  std::vector<bool> tracks_;          // by TrackId; empty: all
  std::uint32_t kinds_ = ~0U;         // one bit per SliceKind
  std::int64_t min_duration_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t max_duration_ns_ = std::numeric_limits<std::int64_t>::max();
  std::vector<ArgumentTerm> argument_terms_;
  std::shared_ptr<const SliceSet> allowed_;  // null before restrict_to(); ignored without argument terms
  bool only_names_ = true;                   // whether nothing but names restricts the hits of a row
};

}  // namespace kino
