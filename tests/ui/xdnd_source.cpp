// Drags files onto a window like a file manager: the source side of XDND version 5, with text/uri-list.
//
//   xdnd_source WINDOW X Y FILE...
//
// X and Y are relative to the window's corner. Exit codes: 0 if XdndFinished reports success, 1 if the window
// refused or did not answer within 30 s, 2 for wrong arguments.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr long kVersion = 5;
constexpr auto kPatience = std::chrono::seconds(30);

struct DisplayCloser {
  void operator()(Display* display) const { XCloseDisplay(display); }
};

// Escapes all characters that RFC 3986 does not list as unreserved, except slashes.
std::string uri_from_path(const std::string& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  static const std::string kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri = "file://";
  for (const char character : path) {
    if (kPlain.find(character) != std::string::npos) {
      uri += character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    uri += '%';
    uri += kHex[byte >> 4];
    uri += kHex[byte & 15];
  }
  return uri;
}

class DragSource {
 public:
  DragSource(Display* display, Window target, std::string uris)
      : display_(display), target_(target), uris_(std::move(uris)) {
    window_ = XCreateSimpleWindow(display_, DefaultRootWindow(display_), 0, 0, 1, 1, 0, 0, 0);
  }

  // Returns an error, or an empty text on success.
  std::string drop(int x, int y) {
    if (!target_is_aware()) return "the window does not announce XdndAware of version 5";
    XSetSelectionOwner(display_, selection_, window_, CurrentTime);
    if (XGetSelectionOwner(display_, selection_) != window_) return "the selection could not be owned";
    int root_x = 0;
    int root_y = 0;
    Window child = 0;
    XTranslateCoordinates(display_, target_, DefaultRootWindow(display_), x, y, &root_x, &root_y, &child);
    send("XdndEnter", kVersion << 24, static_cast<long>(uri_list_), 0, 0);
    send("XdndPosition", 0, (static_cast<long>(root_x) << 16) | root_y, CurrentTime,
         static_cast<long>(atom("XdndActionCopy")));
    XClientMessageEvent answer{};
    if (!wait_for("XdndStatus", answer)) return "no XdndStatus came";
    if ((answer.data.l[1] & 1) == 0) return "the window does not accept the drop";
    send("XdndDrop", 0, CurrentTime, 0, 0);
    if (!wait_for("XdndFinished", answer)) return "no XdndFinished came";
    // The lowest bit indicates success. GLFW 3.3 stores the length of the data instead, odd or even.
    if (answer.data.l[1] == 0) return "XdndFinished says that the drop failed";
    return served_ ? "" : "the window never asked for the list of files";
  }

 private:
  Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

  bool target_is_aware() const {
    Atom type = None;
    int format = 0;
    unsigned long count = 0;
    unsigned long left = 0;
    unsigned char* data = nullptr;
    const int status = XGetWindowProperty(display_, target_, atom("XdndAware"), 0, 1, False, XA_ATOM, &type,
                                          &format, &count, &left, &data);
    const bool aware = status == Success && type == XA_ATOM && format == 32 && count == 1 &&
                       *reinterpret_cast<const unsigned long*>(data) >= kVersion;
    if (data != nullptr) XFree(data);
    return aware;
  }

  void send(const char* type, long second, long third, long fourth, long fifth) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = atom(type);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(window_);
    event.xclient.data.l[1] = second;
    event.xclient.data.l[2] = third;
    event.xclient.data.l[3] = fourth;
    event.xclient.data.l[4] = fifth;
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  // Answers requests for the list of files while it waits.
  bool wait_for(const char* type, XClientMessageEvent& answer) {
    const Atom wanted = atom(type);
    const Clock::time_point give_up = Clock::now() + kPatience;
    while (Clock::now() < give_up) {
      if (XPending(display_) == 0) {
        pollfd waiting{.fd = ConnectionNumber(display_), .events = POLLIN, .revents = 0};
        poll(&waiting, 1, 100);
        continue;
      }
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) serve(event.xselectionrequest);
      if (event.type == ClientMessage && event.xclient.message_type == wanted) {
        answer = event.xclient;
        return true;
      }
    }
    return false;
  }

  void serve(const XSelectionRequestEvent& request) {
    XEvent reply{};
    reply.xselection.type = SelectionNotify;
    reply.xselection.requestor = request.requestor;
    reply.xselection.selection = request.selection;
    reply.xselection.target = request.target;
    reply.xselection.time = request.time;
    reply.xselection.property = None;
    if (request.selection == selection_ && request.target == uri_list_) {
      XChangeProperty(display_, request.requestor, request.property, uri_list_, 8, PropModeReplace,
                      reinterpret_cast<const unsigned char*>(uris_.data()), static_cast<int>(uris_.size()));
      reply.xselection.property = request.property;
      served_ = true;
    }
    XSendEvent(display_, request.requestor, False, NoEventMask, &reply);
    XFlush(display_);
  }

  Display* display_;
  Window target_;
  std::string uris_;
  Window window_ = 0;
  Atom selection_ = atom("XdndSelection");
  Atom uri_list_ = atom("text/uri-list");
  bool served_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: xdnd_source WINDOW X Y FILE...\n", stderr);
    return 2;
  }
  const std::unique_ptr<Display, DisplayCloser> display(XOpenDisplay(nullptr));
  if (!display) {
    std::fputs("xdnd_source: there is no X display\n", stderr);
    return 2;
  }
  std::string uris;
  for (int i = 4; i < argc; ++i) uris += uri_from_path(argv[i]) + "\r\n";
  DragSource source(display.get(), static_cast<Window>(std::strtoul(argv[1], nullptr, 0)), std::move(uris));
  const std::string problem = source.drop(std::atoi(argv[2]), std::atoi(argv[3]));
  if (problem.empty()) return 0;
  std::fprintf(stderr, "xdnd_source: %s\n", problem.c_str());
  return 1;
}
