"""The hooks: stopping, logging, saving, summaries, checks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.settings.logging import logger
from runnel.graph.session.default import get_default_graph
from runnel.v1.monitored.hook import SecondOrStepTimer, SessionRunArgs, SessionRunHook
from runnel.v1.profile.timeline import Timeline
from runnel.v1.summary.writer import FileWriterCache
from runnel.v1.train.global_step import get_global_step, global_step_before
from runnel.v1.train.meta_graphs import write_graph_text
from runnel.v1.train.saver import Saver
from runnel.v1.variables.collections import GraphKeys, get_collection


def _step(hook: Any) -> Any:
    found = get_global_step()
    if found is None:
        raise RuntimeError(f"Global step should be created to use {type(hook).__name__}.")
    return global_step_before(found)


class StopAtStepHook(SessionRunHook):
    """Asks for an end after so many steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._global_step = _step(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = int(session.run(self._global_step)) + self._num_steps

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        assert self._last_step is not None
        if run_values.results + 1 < self._last_step:
            return
        if int(run_context.session.run(self._global_step)) >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Writes the values of tensors to the log, now and then."""

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Any = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be given."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if not isinstance(tensors, dict):
            self._order = [t if isinstance(t, str) else t.name for t in tensors]
            tensors = dict(zip(self._order, tensors, strict=True))
        else:
            self._order = list(tensors)
        self._tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer = None
        if not only_at_end:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        if self._timer is not None:
            self._timer.reset()
        self._count, self._due = 0, False
        graph = get_default_graph()
        self._wanted = {name: graph.as_graph_element(t) for name, t in self._tensors.items()}

    def before_run(self, run_context: Any) -> Any:
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._wanted) if self._due else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._due:
            self._log(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._wanted))

    def _log(self, values: dict[str, Any]) -> None:
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter is not None:
            logger.info(self._formatter(values))
            return
        text = ", ".join(f"{name} = {values[name]}" for name in self._order)
        logger.info(text if seconds is None else f"{text} ({seconds:.3f} sec)")


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends the training when a loss is NaN, by an error or by asking for an end."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not np.isnan(run_values.results):
            return
        if self._fail:
            logger.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logger.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class CheckpointSaverListener:
    """Is told before and after a checkpoint is saved."""

    def begin(self) -> None:
        """Called once, while the graph can still be changed."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint is saved; True asks for an end."""
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold, self._dir = saver, scaffold, checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners, self._save_graph_def = list(listeners or []), save_graph_def
        self._steps_per_run = 1

    def begin(self) -> None:
        self._writer = FileWriterCache.get(self._dir)
        self._global_step = _step(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._global_step))
        write_graph_text(session.graph, self._dir)
        self._writer.add_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + self._steps_per_run):
            return
        step = int(run_context.session.run(self._global_step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._global_step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Save a checkpoint: whether a listener asks for an end."""
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._get_saver()
        saver.save(session, self._path, step, write_meta_graph=self._save_graph_def)
        log = messages.SessionLog(
            status=messages.SessionLog.CHECKPOINT, checkpoint_path=f"{self._path}-{step}"
        )
        self._writer.add_session_log(log, step)
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        found = get_collection(GraphKeys.SAVERS)
        if len(found) != 1:
            raise RuntimeError(
                f"CheckpointSaverHook: the collection of savers has {len(found)}, not one. Give a "
                "`saver` or a `scaffold`."
            )
        self._saver = found[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Says how many steps are done in a second."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer, self._dir = summary_writer, output_dir

    def begin(self) -> None:
        if self._writer is None and self._dir:
            self._writer = FileWriterCache.get(self._dir)
        self._global_step = _step(self)
        self._tag = f"{self._global_step.op.name}/sec"

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._global_step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None and steps is not None:
                self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        rate = elapsed_steps / max(elapsed_time, 1e-9)
        if self._writer is not None:
            made = messages.Summary()
            made.value.add(tag=self._tag, simple_value=rate)
            self._writer.add_summary(made, global_step)
        logger.info("%s: %g", self._tag, rate)


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._op, self._writer = summary_op, summary_writer
        self._dir, self._scaffold = output_dir, scaffold

    def begin(self) -> None:
        if self._writer is None and self._dir:
            self._writer = FileWriterCache.get(self._dir)
        self._next: int | None = None
        self._due = False
        self._global_step = _step(self)

    def before_run(self, run_context: Any) -> Any:
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted: dict[str, Any] = {"global_step": self._global_step}
        summary = self._op if self._op is not None else self._scaffold.summary_op
        if self._due and summary is not None:
            wanted["summary"] = summary if isinstance(summary, list) else [summary]
        return SessionRunArgs(wanted)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._writer is None:
            return
        step = int(run_values.results["global_step"]) + 1
        if self._next is None or self._due:
            step = int(run_context.session.run(self._global_step))
        if self._next is None:
            log = messages.SessionLog(status=messages.SessionLog.START)
            self._writer.add_session_log(log, step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", []):
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        if self._writer is not None:
            self._writer.flush()


class GlobalStepWaiterHook(SessionRunHook):
    """Holds runs back until the global step has reached a number."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        self._global_step = _step(self)
        self._ready = self._wait_until_step <= 0

    def before_run(self, run_context: Any) -> Any:
        while not self._ready:
            if int(run_context.session.run(self._global_step)) >= self._wait_until_step:
                self._ready = True
            else:
                time.sleep(0.5)
        return None


class FinalOpsHook(SessionRunHook):
    """Runs tensors at the end, and keeps their values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    final_ops_values = property(lambda self: self._values)

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function returns."""

    def __init__(self, feed_fn: Any) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class ProfilerHook(SessionRunHook):
    """Traces some runs, operation by operation, into files `timeline-<step>.json`."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._path = os.path.join(output_dir, "timeline-{}.json")
        self._output_dir = output_dir
        self._shown = show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        self._next: int | None = None
        self._due = False
        self._writer = FileWriterCache.get(self._output_dir)
        self._global_step = _step(self)

    def before_run(self, run_context: Any) -> Any:
        self._due = self._next is not None and self._timer.should_trigger_for_step(self._next)
        level = messages.RunOptions.FULL_TRACE
        options = messages.RunOptions(trace_level=level) if self._due else None
        return SessionRunArgs({"global_step": self._global_step}, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results["global_step"])
        if self._next is None:
            self._timer.update_last_triggered_step(step)  # the first run is not like others
        step += 1
        if self._due:
            step = int(run_context.session.run(self._global_step))
            self._timer.update_last_triggered_step(step)
            stats = run_values.run_metadata.step_stats
            text = Timeline(stats).generate_chrome_trace_format(*self._shown)
            files.write_whole(self._path.format(step), text.encode())
            self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next = step + 1


def default_saver() -> Any:
    """The saver of the graph, made if there is none."""
    found = get_collection(GraphKeys.SAVERS)
    if len(found) > 1:
        raise RuntimeError(f"There are {len(found)} savers in the graph; say which one is meant.")
    if found:
        return found[0]
    made = Saver(sharded=False, allow_empty=True)
    get_default_graph().add_to_collection(GraphKeys.SAVERS, made)
    return made
