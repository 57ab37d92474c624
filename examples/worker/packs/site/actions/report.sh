#!/bin/sh
# Runs on the worker, with the files and parameters of this run and nothing else of the service.
echo "worker ${1:-without a name} in $(pwd)"
uptime
