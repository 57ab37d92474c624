#!/bin/sh
rm -f "$1" "$1.part"
