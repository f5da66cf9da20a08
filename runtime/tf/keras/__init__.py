"""`tf.keras`: layers, models, losses, optimizers, metrics. Short classes over variables and gradients."""

from __future__ import annotations

from runtime.tf.keras import activations as activations
from runtime.tf.keras import callbacks as callbacks
from runtime.tf.keras import datasets as datasets
from runtime.tf.keras import initializers as initializers
from runtime.tf.keras import layers as layers
from runtime.tf.keras import losses as losses
from runtime.tf.keras import metrics as metrics
from runtime.tf.keras import models as models
from runtime.tf.keras import optimizers as optimizers
from runtime.tf.keras import utils as utils
from runtime.tf.keras.layers import Input as Input
from runtime.tf.keras.models import Model as Model
from runtime.tf.keras.models import Sequential as Sequential
from runtime.tf.names import refusing

__getattr__ = refusing(__name__, "tf.keras")
