#include "app/pages/snapshot_drawer/data_quality_page.hpp"

#include "app/pages/snapshot_drawer/allocator_facts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {

/// Draws the missing or doubtful data of the device's recording, the damage of the file, and the settings of
/// the allocator.
void DataQualityPage::draw_content(const DrawContext& look) {
  const Theme& theme = look.theme;
  const SnapshotQuality& trust = state().device().trust;
  const DamageLog& damage = state().snapshot->damage;
  bool any = false;
  const auto say = [&](bool holds, std::uint32_t color, const std::string& words) {
    if (!holds) return;
    any = true;
    wrapped_text(color, words);
  };
  const auto count = [](Text text, std::uint64_t number) { return filled(text, {grouped(number)}); };
  say(trust.begins_late(), theme.text,
      filled(Text::snapshot_quality_late,
             {grouped(trust.freed_without_alloc), grouped(trust.unseen_in_segments)}));
  say(ring_was_full(state().device()), theme.warning,
      count(Text::snapshot_quality_ring_buffer, state().device().entries.entry_count()));
  for (const SnapshotAction action : trust.missing_actions)
    say(true, theme.warning, filled(Text::snapshot_quality_missing, {text_of(action)}));
  say(trust.ends_at_request, theme.warning, tr(Text::snapshot_quality_free_requests));
  say(trust.entries_without_stack > 0, theme.warning,
      count(Text::snapshot_quality_no_stacks, trust.entries_without_stack));
  say(trust.allocated_twice > 0, theme.warning,
      count(Text::snapshot_quality_allocated_twice, trust.allocated_twice));
  say(trust.not_in_segments > 0, theme.warning,
      count(Text::snapshot_quality_outside_segments, trust.not_in_segments));
  if (const auto gap = reserved_gap(state().device()))
    say(true, theme.warning, in_language(text_of(*gap, byte_units())));
  say(trust.time_backwards > 0, theme.warning,
      count(Text::snapshot_quality_time_order, trust.time_backwards));
  if (trust.residual_bytes && *trust.residual_bytes != 0) {
    const std::int64_t residual = *trust.residual_bytes;
    const auto size =
        residual < 0 ? 0 - static_cast<std::uint64_t>(residual) : static_cast<std::uint64_t>(residual);
    say(true, theme.text, filled(Text::snapshot_quality_residual, {text_from_bytes(size)}));
  }
  for (const Damage& entry : damage.entries()) {
    say(true, drops_event(entry.reason) ? theme.warning : theme.text,
        filled(Text::damage_count_of,
               {grouped(entry.count), in_language(text_of(entry.reason, entry.count))}));
  }
  if (!any) wrapped_text(theme.text_dim, tr(Text::snapshot_quality_complete));
  draw_settings(*state().snapshot, theme, state().scale);
}

}  // namespace kino
