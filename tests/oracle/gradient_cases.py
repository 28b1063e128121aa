"""What torch_gradients.py and paddle_gradients.py share: operands, and arrays as their files have them."""

import numpy as np


def values(random, shape):
    magnitude = np.round(random.uniform(0.5, 4, shape), 3)
    return magnitude * random.choice([-1.0, 1.0], shape)


def text(array):
    array = np.asarray(array, dtype=np.float64)
    return "[" + ",".join(map(str, array.shape)) + "] " + " ".join(float(value).hex() for value in array.ravel())
