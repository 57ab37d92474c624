"""Where packs look for records of content."""

from st2client.models.records import ActionAlias, Inquiry, Pack, Policy, Trace

__all__ = ["ActionAlias", "Inquiry", "Pack", "Policy", "Trace"]
