"""The one error a user may see: what was wrong, and what would be right."""

from __future__ import annotations


class Trouble(Exception):
    """Something the user can put right; shown without a traceback, with its hint."""

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint

    def text(self) -> str:
        """As the command prints it."""
        return f"error: {self}\nhint: {self.hint}" if self.hint else f"error: {self}"
