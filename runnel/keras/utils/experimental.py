"""`tf.keras.utils.experimental`."""

from runnel.keras.utils.dataset_creator import DatasetCreator as DatasetCreator
