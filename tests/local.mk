# The tests. All print TAP. Scripts are found by their place, tests/FOLDER/*.lua and *.sh (the wildcard
# is SCRIPT_TESTS in configure.ac), all but the helpers named here; a test program is named below.
test_folders = style gen codelets runtime replay_checks builds
test_helpers = %/lib.sh tests/bench/rows.lua

TEST_EXTENSIONS = .lua .sh
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
LUA_LOG_DRIVER = $(tap_driver)
SH_LOG_DRIVER = $(tap_driver)
# A test that hangs is ended, and fails since its plan is not fulfilled.
LOG_COMPILER = $(TIMEOUT)
LUA_LOG_COMPILER = $(TIMEOUT) $(LUA)
SH_LOG_COMPILER = $(TIMEOUT) $(SHELL)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
	LUA='$(LUA)'; CC='$(CC)'; export top_srcdir top_builddir LUA CC;

TESTS = $(SCRIPT_TESTS) $(check_PROGRAMS)
check_PROGRAMS =
check_LIBRARIES =
# What a test program is linked with, if it does not say: the specs of tests/specs, and the runtime.
LDADD = $(test_specs) libembdist.la $(LIBM)
test_specs = tests/generated/libcodelets.a tests/generated/libgroups.a tests/generated/libmatrix.a \
	tests/generated/libsmall.a tests/generated/libtwin.a

# The headers of these specs are made when a test program is, not before: they take a while.
$(check_PROGRAMS:$(EXEEXT)=.o) $(tests_runtime_libhelp_a_OBJECTS): $(TEST_HEADERS)

# The codelets.
check_PROGRAMS += tests/codelets/codecs tests/codelets/versions \
	tests/codelets/versions_of_groups
tests_codelets_codecs_SOURCES = tests/codelets/codecs.c tests/codelets/tap.h
tests_codelets_codecs_LDADD = $(LIBM)
tests_codelets_versions_of_groups_SOURCES = tests/codelets/versions_of_groups.c $(compare_sources)
tests_codelets_versions_SOURCES = tests/codelets/versions.c $(compare_sources)
compare_sources = tests/codelets/compare.c tests/codelets/compare.h tests/codelets/tap.h

# The codecs of groups, by themselves. Their tests share tables of their functions.
check_LIBRARIES += tests/codelets/libgroups.a
tests_codelets_libgroups_a_SOURCES = \
	tests/codelets/group_codecs.c tests/codelets/group_codecs.h \
	tests/codelets/group_truth.c tests/codelets/group_truth.h \
	tests/codelets/recorded_tensors.c tests/codelets/recorded_tensors.h
group_tests = tests/codelets/libgroups.a $(LIBM)
check_PROGRAMS += \
	tests/codelets/group_bounds tests/codelets/group_formats tests/codelets/group_recorded \
	tests/codelets/group_scales tests/codelets/group_stochastic tests/codelets/group_traps \
	tests/codelets/group_versions tests/codelets/random_numbers
tests_codelets_group_bounds_LDADD = $(group_tests)
tests_codelets_group_formats_LDADD = $(group_tests)
tests_codelets_group_recorded_LDADD = $(group_tests)
tests_codelets_group_scales_LDADD = $(group_tests)
tests_codelets_group_stochastic_LDADD = $(group_tests)
tests_codelets_group_traps_LDADD = $(group_tests)
tests_codelets_group_versions_LDADD = $(group_tests)
tests_codelets_random_numbers_LDADD = $(LIBM)

# The runtime. Its tests share a library of helpers.
check_LIBRARIES += tests/runtime/libhelp.a
tests_runtime_libhelp_a_SOURCES = \
	tests/reference.c tests/reference.h tests/reference_groups.c tests/reference_groups.h \
	tests/runtime/cases.c tests/runtime/cases.h tests/runtime/dists.c tests/runtime/dists.h \
	tests/runtime/formats.c tests/runtime/formats.h \
	tests/runtime/refusal.c tests/runtime/refusal.h \
	tests/runtime/support.c tests/runtime/support.h tests/runtime/ways.c tests/runtime/ways.h
runtime_tests = tests/runtime/libhelp.a $(LDADD)
check_PROGRAMS += \
	tests/runtime/allocation tests/runtime/counters tests/runtime/descriptors \
	tests/runtime/disagree tests/runtime/groups tests/runtime/idle_ranks tests/runtime/in_flight \
	tests/runtime/isa tests/runtime/large tests/runtime/lengths tests/runtime/many_ranks \
	tests/runtime/matrix tests/runtime/modes tests/runtime/no_rows tests/runtime/nonfinite \
	tests/runtime/null_comm tests/runtime/owners tests/runtime/requests tests/runtime/time_limit \
	tests/runtime/two_specs tests/runtime/wire tests/runtime/wrong_pooled \
	tests/runtime/wrong_sequence tests/runtime/wrong_table
tests_runtime_allocation_LDADD = $(runtime_tests)
tests_runtime_counters_LDADD = $(runtime_tests)
tests_runtime_descriptors_LDADD = $(runtime_tests)
tests_runtime_disagree_LDADD = $(runtime_tests)
tests_runtime_groups_LDADD = $(runtime_tests)
tests_runtime_idle_ranks_LDADD = $(runtime_tests)
tests_runtime_in_flight_LDADD = $(runtime_tests)
tests_runtime_isa_LDADD = $(runtime_tests)
tests_runtime_large_LDADD = $(runtime_tests)
tests_runtime_lengths_LDADD = $(runtime_tests)
tests_runtime_many_ranks_LDADD = $(runtime_tests)
tests_runtime_matrix_LDADD = $(runtime_tests)
tests_runtime_modes_LDADD = $(runtime_tests)
tests_runtime_no_rows_LDADD = $(runtime_tests)
tests_runtime_nonfinite_LDADD = $(runtime_tests)
tests_runtime_null_comm_LDADD = $(runtime_tests)
tests_runtime_owners_LDADD = $(runtime_tests)
tests_runtime_requests_LDADD = $(runtime_tests)
tests_runtime_time_limit_LDADD = $(runtime_tests)
tests_runtime_two_specs_LDADD = $(runtime_tests)
tests_runtime_wire_LDADD = $(runtime_tests)
tests_runtime_wrong_pooled_LDADD = $(runtime_tests)
tests_runtime_wrong_sequence_LDADD = $(runtime_tests)
tests_runtime_wrong_table_LDADD = $(runtime_tests)
