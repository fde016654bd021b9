# EMBDIST_CHECK_FOLDERS
# Refuses the installation folders that libtool cannot install into, before it fails half way.
# Sets the conditional SPACE_FREE: whether the path of the build folder has no space. Libtool cannot
# link one of its libraries to another in a folder whose path has one.
AC_DEFUN([EMBDIST_CHECK_FOLDERS], [
  case $prefix$exec_prefix$libdir$includedir$datadir$bindir in
    *[[\ \	]]*)
      AC_MSG_ERROR([an installation folder has a space in its name ($prefix): libtool cannot install there; choose a --prefix without one]) ;;
  esac
  embdist_space_free=yes
  case `pwd` in
    *[[\ \	]]*) embdist_space_free=no ;;
  esac
  AM_CONDITIONAL([SPACE_FREE], [test $embdist_space_free = yes])
])
