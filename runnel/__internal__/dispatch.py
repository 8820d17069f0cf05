"""Handlers for all public functions, for libraries built on this one."""

from runnel.core.dispatch import GlobalOpDispatcher as GlobalOpDispatcher
