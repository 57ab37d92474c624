#!/bin/sh
# The volume comes from outside. Pass it as an argument, never as part of a command.
echo "cleaning $1, $2 % full"
