"""What packs of the compatible platform import of it; see docs/reference/pack-compatibility.md for each name."""
