"""TEMPORARY."""


class EntityError(Exception): ...
