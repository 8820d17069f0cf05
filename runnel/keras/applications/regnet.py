"""`tf.keras.applications.regnet`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.regnets import RegNetX002 as RegNetX002
from .architectures.regnets import RegNetX004 as RegNetX004
from .architectures.regnets import RegNetX006 as RegNetX006
from .architectures.regnets import RegNetX008 as RegNetX008
from .architectures.regnets import RegNetX016 as RegNetX016
from .architectures.regnets import RegNetX032 as RegNetX032
from .architectures.regnets import RegNetX040 as RegNetX040
from .architectures.regnets import RegNetX064 as RegNetX064
from .architectures.regnets import RegNetX080 as RegNetX080
from .architectures.regnets import RegNetX120 as RegNetX120
from .architectures.regnets import RegNetX160 as RegNetX160
from .architectures.regnets import RegNetX320 as RegNetX320
from .architectures.regnets import RegNetY002 as RegNetY002
from .architectures.regnets import RegNetY004 as RegNetY004
from .architectures.regnets import RegNetY006 as RegNetY006
from .architectures.regnets import RegNetY008 as RegNetY008
from .architectures.regnets import RegNetY016 as RegNetY016
from .architectures.regnets import RegNetY032 as RegNetY032
from .architectures.regnets import RegNetY040 as RegNetY040
from .architectures.regnets import RegNetY064 as RegNetY064
from .architectures.regnets import RegNetY080 as RegNetY080
from .architectures.regnets import RegNetY120 as RegNetY120
from .architectures.regnets import RegNetY160 as RegNetY160
from .architectures.regnets import RegNetY320 as RegNetY320

preprocess_input = in_mode(None)
