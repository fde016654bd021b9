# The tests. All print TAP. Scripts are found by their place: tests/FOLDER/*.lua and *.sh
# (SCRIPT_TESTS comes from configure.ac); a test program needs its two lines here.
TEST_EXTENSIONS = .lua .sh
test_folders = style gen codelets runtime builds
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
LUA_LOG_DRIVER = $(tap_driver)
SH_LOG_DRIVER = $(tap_driver)
LUA_LOG_COMPILER = $(LUA)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(top_srcdir)'; top_builddir='$(top_builddir)'; \
	LUA='$(LUA)'; CC='$(CC)'; export top_srcdir top_builddir LUA CC;

check_PROGRAMS =
TESTS = $(SCRIPT_TESTS) $(check_PROGRAMS)
