# EMBDIST_SPECS
# --with-spec: the specs whose libraries are built and installed. Asks the generator, by way of
# build-aux/spec-rules, which files they make, writes the Makefile's rules for them
# (generated/specs.mk), and sets what the Makefile installs: SPECS, SPEC_LIBRARIES, SPEC_HEADERS,
# SPEC_PCS. The specs of the tests go the same way into tests/generated/specs.mk and TEST_HEADERS.
AC_DEFUN([EMBDIST_SPECS], [
  AC_ARG_WITH([spec],
    [AS_HELP_STRING([--with-spec=FILE@<:@,FILE...@:>@],
      [specs to build libraries from, one libembdist_NAME each @<:@examples/dlrm.lua@:>@])],
    [], [with_spec=$srcdir/examples/dlrm.lua])
  case $with_spec in
    yes | no | "")
      AC_MSG_ERROR([--with-spec=$with_spec: expected the path of a spec, or several with commas between]) ;;
    *[[\ \	]]*)
      AC_MSG_ERROR([--with-spec=$with_spec: a spec's path with a space in it cannot stand in a Makefile]) ;;
  esac
  AC_MSG_CHECKING([which files the specs make])
  SPECS=`AS_ECHO(["$with_spec"]) | tr , ' '`
  EMBDIST_SPEC_RULES([install], [generated], [$SPECS])
  for embdist_name in libraries headers pcs; do
    AS_VAR_SET([embdist_spec_$embdist_name], [`sed -n "s/^spec_$embdist_name = *//p" generated/specs.mk`])
  done
  embdist_count=`sed -n 's/^spec_files = *//p' generated/specs.mk | wc -w | tr -d ' '`
  AC_MSG_RESULT([$embdist_count])
  TEST_SPECS=
  for embdist_spec in "$srcdir"/tests/specs/*.lua; do
    AS_IF([test -f "$embdist_spec"], [AS_VAR_APPEND([TEST_SPECS], [" $embdist_spec"])])
  done
  EMBDIST_SPEC_RULES([test], [tests/generated], [$TEST_SPECS])
  AC_SUBST([SPECS])
  AC_SUBST([SPEC_LIBRARIES], [$embdist_spec_libraries])
  AC_SUBST([SPEC_HEADERS], [$embdist_spec_headers])
  AC_SUBST([SPEC_PCS], [$embdist_spec_pcs])
  AC_SUBST([TEST_SPECS])
  AC_SUBST([TEST_HEADERS], [`sed -n "s/^test_headers = *//p" tests/generated/specs.mk`])
])

# EMBDIST_SPEC_RULES(KIND, FOLDER, SPECS)
AC_DEFUN([EMBDIST_SPEC_RULES], [
  LUA=$LUA $SHELL "$srcdir/build-aux/spec-rules" "$srcdir/gen/embdist-gen" $1 $2 $3 2>conftest.err || {
    AC_MSG_RESULT([error])
    embdist_error=`cat conftest.err`
    rm -f conftest.err
    AC_MSG_ERROR([$embdist_error])
  }
  rm -f conftest.err
])
