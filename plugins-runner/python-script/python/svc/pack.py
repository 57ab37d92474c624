"""The pack whose code this process runs. The runner sets both values."""

#: Ref of the pack.
ref = ""
#: Absolute path of the pack's directory.
directory = ""
