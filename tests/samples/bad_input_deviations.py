"""x"""
DEVIATIONS: dict = {}
