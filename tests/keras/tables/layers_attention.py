"""Layers of attention."""

import numpy as np

from tests.keras.tables import floats, layer

QUERY, VALUE, KEY = floats(2, 3, 4), floats(2, 5, 4, seed=1), floats(2, 5, 4, seed=2)
QUERY_MASK = np.array([[True, True, False], [True, False, False]])
VALUE_MASK = np.array([[True, True, True, False, False], [True, False, True, True, True]])
PAIRS = np.array([[[True, False, True, True, False]] * 3, [[False, True, True, True, True]] * 3])
IMAGE = floats(2, 3, 2, 4)

ROWS = [
    layer("MultiHeadAttention", QUERY, {"value": VALUE}, num_heads=2, key_dim=3),
    layer(
        "MultiHeadAttention",
        QUERY,
        {"value": VALUE, "key": KEY, "return_attention_scores": True, "attention_mask": PAIRS},
        num_heads=2,
        key_dim=3,
        value_dim=2,
        use_bias=False,
        _shapes=False,
    ),
    layer(
        "MultiHeadAttention",
        QUERY,
        {"value": QUERY, "use_causal_mask": True},
        num_heads=1,
        key_dim=2,
        output_shape=5,
        kernel_regularizer="l2",
    ),
    layer(
        "MultiHeadAttention",
        IMAGE,
        {"value": floats(2, 2, 2, 4, seed=3)},
        num_heads=2,
        key_dim=2,
        attention_axes=(1,),
        output_shape=(2, 3),
    ),
    layer(
        "MultiHeadAttention",
        IMAGE,
        {"value": floats(2, 2, 2, 4, seed=3)},
        num_heads=2,
        key_dim=2,
    ),
    layer(
        "MultiHeadAttention",
        QUERY,
        {"value": VALUE, "training": True},
        num_heads=2,
        key_dim=3,
        dropout=0.5,
        _random=True,
    ),
    layer("Attention", [QUERY, VALUE]),
    layer("Attention", [QUERY, VALUE, KEY], use_scale=True),
    layer("Attention", [QUERY, VALUE, KEY], score_mode="concat"),
    layer("Attention", [QUERY, VALUE], {"mask": [QUERY_MASK, VALUE_MASK]}),
    layer(
        "Attention",
        [QUERY, QUERY],
        {"use_causal_mask": True, "return_attention_scores": True},
        _shapes=False,
    ),
    layer("Attention", [QUERY, VALUE], {"training": True}, dropout=0.5, _random=True),
    layer("AdditiveAttention", [QUERY, VALUE]),
    layer("AdditiveAttention", [QUERY, VALUE, KEY], use_scale=False),
    layer(
        "AdditiveAttention",
        [QUERY, VALUE, KEY],
        {"mask": [None, VALUE_MASK, None], "return_attention_scores": True},
        _shapes=False,
    ),
]
