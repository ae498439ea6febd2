#!/bin/sh
# Prints the Python that `make` uses unless PYTHON= says which: python3.13 if it runs, else python3.
#
# A Python that was compiled on this machine, as by pyenv, lacks the profile that distributions
# optimise theirs with, and runs the tests a tenth slower. So the distribution's own Python of the
# same version is used in its place, if it can make an environment or its package can be installed.
for name in python3.13 python3; do
  if "$name" -c "" 2>/dev/null; then break; fi
done
"$name" - "$name" <<'PYTHON' 2>/dev/null || echo "$name"
import os, shutil, subprocess, sys, sysconfig

own = "/usr/bin/python%d.%d" % sys.version_info[:2]
is_optimised = "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
if is_optimised or not os.access(own, os.X_OK):
    own = sys.argv[1]
elif os.geteuid() != 0 or not shutil.which("apt-get"):
    if subprocess.run([own, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode:
        own = sys.argv[1]
print(own)
PYTHON
