"""Files and folders, local or under a scheme: `tf.io.gfile`."""

from runnel.core.files.files import copy as copy
from runnel.core.files.files import exists as exists
from runnel.core.files.files import get_registered_schemes as get_registered_schemes
from runnel.core.files.files import glob as glob
from runnel.core.files.files import isdir as isdir
from runnel.core.files.files import join as join
from runnel.core.files.files import listdir as listdir
from runnel.core.files.files import makedirs as makedirs
from runnel.core.files.files import mkdir as mkdir
from runnel.core.files.files import remove as remove
from runnel.core.files.files import rename as rename
from runnel.core.files.files import rmtree as rmtree
from runnel.core.files.files import stat as stat
from runnel.core.files.files import walk as walk
from runnel.core.files.gfile import GFile as GFile
