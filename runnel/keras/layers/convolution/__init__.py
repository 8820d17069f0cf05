"""Layers that move windows over space and time: convolutions, pooling, upsampling, margins."""
