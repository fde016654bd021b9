# EMBDIST_C11
# Fails without a compiler for C11 with the parts that the sources use.
AC_DEFUN([EMBDIST_C11], [
  AC_MSG_CHECKING([whether $CC compiles C11])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <stdatomic.h>
#include <stdint.h>
_Static_assert(sizeof(float) == 4 && sizeof(void *) >= 4, "types");
static _Alignas(64) _Atomic int64_t counter;
int64_t next(void);
int64_t next(void) { return atomic_fetch_add(&counter, 1); }
]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CC does not compile C11 with <stdatomic.h>; set CC to a compiler that does (gcc or clang)])])
])

# EMBDIST_PTHREADS
# Fails without POSIX threads; sets PTHREAD_FLAGS, for compiling and linking.
AC_DEFUN([EMBDIST_PTHREADS], [
  PTHREAD_FLAGS=
  embdist_saved_CFLAGS=$CFLAGS
  AC_MSG_CHECKING([for the flag of POSIX threads])
  for embdist_flag in -pthread none; do
    test "$embdist_flag" = none || CFLAGS="$embdist_saved_CFLAGS $embdist_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <pthread.h>
static void *start(void *p) { return p; }
]], [[
pthread_t thread;
return pthread_create(&thread, 0, start, 0) || pthread_join(thread, 0);
]])], [break])
    CFLAGS=$embdist_saved_CFLAGS
    embdist_flag=
  done
  CFLAGS=$embdist_saved_CFLAGS
  test -n "$embdist_flag" || AC_MSG_ERROR([$CC cannot link a program with POSIX threads (pthread.h, pthread_create)])
  AC_MSG_RESULT([$embdist_flag])
  test "$embdist_flag" = none || PTHREAD_FLAGS=$embdist_flag
  AC_SUBST([PTHREAD_FLAGS])
])

# EMBDIST_WARNINGS
# Sets WARNING_FLAGS to those of the project's warnings that the compiler knows; --enable-werror
# makes errors of them. Sets STD_FLAGS: the sources are C11 without extensions of the compiler.
AC_DEFUN([EMBDIST_WARNINGS], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings of the C compiler as errors])],
    [], [enable_werror=no])
  WARNING_FLAGS=
  for embdist_flag in -Wall -Wextra -Wpedantic -Wconversion -Wshadow; do
    EMBDIST_FLAG([$embdist_flag], [WARNING_FLAGS="$WARNING_FLAGS $embdist_flag"])
  done
  AS_IF([test "$enable_werror" = yes],
    [EMBDIST_FLAG([-Werror], [WARNING_FLAGS="$WARNING_FLAGS -Werror"])])
  STD_FLAGS=
  EMBDIST_FLAG([-std=c11], [STD_FLAGS=-std=c11])
  AC_SUBST([WARNING_FLAGS])
  AC_SUBST([STD_FLAGS])
])

# EMBDIST_FLAG(FLAG, IF-ACCEPTED)
AC_DEFUN([EMBDIST_FLAG], [
  AC_MSG_CHECKING([whether $CC accepts $1])
  embdist_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS $1"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int embdist_flag(void); int embdist_flag(void) { return 0; }]])],
    [embdist_accepted=yes], [embdist_accepted=no])
  CFLAGS=$embdist_saved_CFLAGS
  AC_MSG_RESULT([$embdist_accepted])
  AS_IF([test $embdist_accepted = yes], [$2])
])
