// The drawer's page about the selected allocation.
#pragma once

#include "app/pages/snapshot_drawer/allocation_details.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"

namespace kino {

class AllocationPage final : public SnapshotPage {
 public:
  explicit AllocationPage(const SnapshotHost& host) : SnapshotPage(host), details_(host.wake) {}

  std::string_view id() const override { return drawer_page::kSelection; }
  const char* title() const override;
  void handle_keys(bool shown) override;

 protected:
  void draw_content(const DrawerLook& look) override;
  bool scrolls() const override { return true; }
  bool tells_moments() const override { return true; }

 private:
  AllocationDetails details_;
};

}  // namespace kino
