"""`tf.keras.datasets`: small data sets, downloaded once and kept in `~/.keras/datasets`."""

from runnel.keras.datasets import boston_housing as boston_housing
from runnel.keras.datasets import california_housing as california_housing
from runnel.keras.datasets import cifar10 as cifar10
from runnel.keras.datasets import cifar100 as cifar100
from runnel.keras.datasets import fashion_mnist as fashion_mnist
from runnel.keras.datasets import imdb as imdb
from runnel.keras.datasets import mnist as mnist
from runnel.keras.datasets import reuters as reuters
