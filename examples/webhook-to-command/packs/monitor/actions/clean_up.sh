#!/bin/sh
# The volume comes from outside: it is an argument here, never a part of a command.
echo "cleaning $1, $2 % full"
