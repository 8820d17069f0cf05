"""Programs made at random, run on TensorFlow and on Runnel; see README.md."""
