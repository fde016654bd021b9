# The demo, which tools/demo builds: it needs the libraries of both example specs, so it is no part
# of `make all`, whose specs are the user's.
EXTRA_PROGRAMS = embdist-demo
embdist_demo_SOURCES = \
	examples/demo.c examples/demo.h examples/demo_bags.c examples/demo_call.c \
	examples/demo_help.c examples/demo_history.c bench/limit.c bench/limit.h bench/measure.c \
	bench/measure.h bench/stream.c bench/stream.h bench/team.c bench/team.h \
	tests/reference.c tests/reference.h tests/reference_groups.c tests/reference_groups.h
embdist_demo_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/bench -I$(srcdir)/tests
embdist_demo_LDADD = libembdist_dlrm.la libembdist_history.la libembdist.la $(LIBM)
$(embdist_demo_OBJECTS): $(SPEC_HEADERS)
CLEANFILES += embdist-demo$(EXEEXT)

test_folders += bench examples
