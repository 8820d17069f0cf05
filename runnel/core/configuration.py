"""Switches that programs set through `tf.config`."""

from __future__ import annotations

run_functions_eagerly = False
