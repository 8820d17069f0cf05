"""`tf.keras.utils.experimental`."""

from runnel.keras.utils.datasets.dataset_creator import DatasetCreator as DatasetCreator
