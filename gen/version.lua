-- version.lua: the generator's version, the same as EMBDIST_VERSION of runtime/embdist.h.
return "0.1.0"
