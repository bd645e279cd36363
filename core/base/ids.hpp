// Distinct integer types for the indices of the model.
#pragma once

#include <cstdint>
#include <type_traits>

namespace kino {

enum class NameId : std::uint32_t {};      ///< Index into Trace::names.
enum class CategoryId : std::uint16_t {};  ///< Index into Trace::categories.
enum class SliceId : std::uint32_t {};     ///< Index into the slice columns.
enum class TrackId : std::uint32_t {};     ///< Index into Trace::tracks.
enum class RowId : std::uint32_t {};       ///< Index into Trace::rows.

inline constexpr SliceId kNoSlice{0xffffffffU};
inline constexpr TrackId kNoTrack{0xffffffffU};

/// Returns the integer of an id.
template <class Id>
requires std::is_enum_v<Id>
constexpr auto index_of(Id id) { return static_cast<std::underlying_type_t<Id>>(id); }

}  // namespace kino
