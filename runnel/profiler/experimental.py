"""`tf.profiler.experimental`."""

from runnel.profiler.sessions import Profile as Profile
from runnel.profiler.sessions import ProfilerOptions as ProfilerOptions
from runnel.profiler.sessions import start as start
from runnel.profiler.sessions import stop as stop
from runnel.profiler.traces import Trace as Trace
