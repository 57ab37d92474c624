#!/bin/sh
# Runs on the worker, which has only the files and parameters of this run.
echo "worker ${1:-without a name} in $(pwd)"
uptime
