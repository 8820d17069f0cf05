"""`tf.keras.applications.regnet`."""

from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode
from runnel.keras.applications.architectures.regnets import RegNetX002 as RegNetX002
from runnel.keras.applications.architectures.regnets import RegNetX004 as RegNetX004
from runnel.keras.applications.architectures.regnets import RegNetX006 as RegNetX006
from runnel.keras.applications.architectures.regnets import RegNetX008 as RegNetX008
from runnel.keras.applications.architectures.regnets import RegNetX016 as RegNetX016
from runnel.keras.applications.architectures.regnets import RegNetX032 as RegNetX032
from runnel.keras.applications.architectures.regnets import RegNetX040 as RegNetX040
from runnel.keras.applications.architectures.regnets import RegNetX064 as RegNetX064
from runnel.keras.applications.architectures.regnets import RegNetX080 as RegNetX080
from runnel.keras.applications.architectures.regnets import RegNetX120 as RegNetX120
from runnel.keras.applications.architectures.regnets import RegNetX160 as RegNetX160
from runnel.keras.applications.architectures.regnets import RegNetX320 as RegNetX320
from runnel.keras.applications.architectures.regnets import RegNetY002 as RegNetY002
from runnel.keras.applications.architectures.regnets import RegNetY004 as RegNetY004
from runnel.keras.applications.architectures.regnets import RegNetY006 as RegNetY006
from runnel.keras.applications.architectures.regnets import RegNetY008 as RegNetY008
from runnel.keras.applications.architectures.regnets import RegNetY016 as RegNetY016
from runnel.keras.applications.architectures.regnets import RegNetY032 as RegNetY032
from runnel.keras.applications.architectures.regnets import RegNetY040 as RegNetY040
from runnel.keras.applications.architectures.regnets import RegNetY064 as RegNetY064
from runnel.keras.applications.architectures.regnets import RegNetY080 as RegNetY080
from runnel.keras.applications.architectures.regnets import RegNetY120 as RegNetY120
from runnel.keras.applications.architectures.regnets import RegNetY160 as RegNetY160
from runnel.keras.applications.architectures.regnets import RegNetY320 as RegNetY320

preprocess_input = in_mode(None)
