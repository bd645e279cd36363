// Linked into programs that sanitizers check, so that libraries stay loaded. If a graphics driver is unloaded
// before the leak check, its tables look lost, and its frames have no names that a suppression could match.
extern "C" int dlclose(void* /*library*/) { return 0; }

// fontconfig links its patterns by offsets instead of pointers, so its cache looks lost at exit.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig.so"; }
// Do not print suppressions to stderr, since tests check it.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
