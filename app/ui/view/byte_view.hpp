// The vertical camera of a plot of bytes: fits the visible data until the user zooms or pans.
#pragma once

namespace kino {

/// The range of bytes in view. It moves smoothly like Navigation. UI thread only.
class ByteView {
 public:
  double low() const { return low_; }
  double high() const { return high_; }
  double per_px(double height_px) const { return (high_ - low_) / height_px; }
  /// Returns the distance from the bottom edge.
  double px_from_bytes(double bytes, double height_px) const { return (bytes - low_) / per_px(height_px); }
  bool fitted() const { return fitted_; }

  /// Sets the range of the data: 0 to `highest` bytes. While the view is fitted, it follows this range; the
  /// first time without animation.
  void set_content(double highest);
  void fit() { fitted_ = true; }
  /// Zooms around the byte at `share` of the height, measured from the bottom; this byte remains in place.
  void zoom_at(double share, double factor);
  /// Moves by a share of the height.
  void pan(double share);
  void step(double seconds);
  /// Whether both views have the same target, and either both or none are fitted.
  bool same_target(const ByteView& other) const {
    return target_low_ == other.target_low_ && target_high_ == other.target_high_ && fitted_ == other.fitted_;
  }
  bool moving() const { return low_ != target_low_ || high_ != target_high_; }

 private:
  void limit();

  double content_ = 1;
  double low_ = 0;
  double high_ = 0;
  double target_low_ = 0;
  double target_high_ = 1;
  bool fitted_ = true;
};

}  // namespace kino
