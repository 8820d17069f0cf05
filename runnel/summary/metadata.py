"""What a summary says about itself: which plugin of TensorBoard shows it, and its description."""

from __future__ import annotations

from runnel.core.protos import messages


def metadata(plugin: str, description: str | None, content: bytes = b"") -> bytes:
    """A serialized `SummaryMetadata`; `content` is the plugin's own."""
    data = messages.SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    made = messages.SummaryMetadata(plugin_data=data, summary_description=description)
    return bytes(made.SerializeToString())
