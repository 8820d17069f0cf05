"""Other people's packages on Runnel: their own tests, compared with what passes on TensorFlow."""
