"""Files and folders, local or under a scheme: `tf.io.gfile`."""

from runnel.core.files import copy as copy
from runnel.core.files import exists as exists
from runnel.core.files import get_registered_schemes as get_registered_schemes
from runnel.core.files import glob as glob
from runnel.core.files import isdir as isdir
from runnel.core.files import join as join
from runnel.core.files import listdir as listdir
from runnel.core.files import makedirs as makedirs
from runnel.core.files import mkdir as mkdir
from runnel.core.files import remove as remove
from runnel.core.files import rename as rename
from runnel.core.files import rmtree as rmtree
from runnel.core.files import stat as stat
from runnel.core.files import walk as walk
from runnel.core.gfile import GFile as GFile
