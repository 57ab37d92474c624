"""A client of this service's API under the names that packs import."""
