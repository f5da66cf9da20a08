"""Exceptions of a user, as the programs of these tests raise them."""

from __future__ import annotations

from typing import Any


class AppError(Exception):
    def __init__(self, code: Any, detail: str = "none") -> None:
        super().__init__(f"code {code}")
        self.code = code
        self.detail = detail

    def describe(self) -> str:
        return f"<{self.code}:{self.detail}>"

    @property
    def double(self) -> Any:
        return self.code * 2


class NotFound(AppError):
    pass
