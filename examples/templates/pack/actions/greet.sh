#!/bin/sh
echo "$2, $1!"
