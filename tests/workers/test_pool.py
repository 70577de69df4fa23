"""What tasks can do to their processes, done to real ones."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.exceptions import PageTimeout, WorkerCrashed, WorkerError
from scrapy_justext.workers import SLOTS, Pool, RemoteTraceback, Worker, _clock
from tests.builders import REPOSITORY, is_running, wait_until
from tests.workers.harm import Breaking, start

#: Far more than anything here takes.
SECONDS = 120

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")


def submit(pool: Pool, task: str, value: object = None, **how: Any) -> Future[Any]:
    return pool.submit((task, value), **how)


def do(pool: Pool, task: str, value: object = None, **how: Any) -> Any:
    return submit(pool, task, value, **how).result(SECONDS)


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[Pool]:
    """One process for tests that leave a pool as it was."""
    with Pool(1, start, "first") as pool:
        yield pool


class TestResults:
    def test_a_result_is_the_list_of_a_tasks_messages(self, shared_pool: Pool) -> None:
        assert do(shared_pool, "echo", ["one", 2, None]) == ["one", 2, None]
        assert do(shared_pool, "echo", []) == []

    def test_messages_are_joined_or_reported_as_they_come(self, shared_pool: Pool) -> None:
        received: list[object] = []
        assert do(shared_pool, "echo", [1, 2], join=sum) == 3
        assert do(shared_pool, "echo", [1, 2], on_message=received.append) == []
        assert received == [1, 2]

    def test_what_joining_raises_is_the_tasks_error(self, shared_pool: Pool) -> None:
        with pytest.raises(TypeError):
            do(shared_pool, "echo", ["no number"], join=sum)

    def test_contexts_are_kept_and_come_back(self, shared_pool: Pool) -> None:
        assert do(shared_pool, "context") == ["first"]
        words = [f"word {number}" for number in range(SLOTS + 2)]
        assert [do(shared_pool, "context", context=word) for word in words] == [[word] for word in words]
        assert do(shared_pool, "context", context=words[0]) == [words[0]]
        assert do(shared_pool, "context") == ["first"]

    def test_a_context_is_loaded_once_and_large_messages_come(self, shared_pool: Pool, tmp_path: Path) -> None:
        context = f"note {tmp_path / 'loads'}"
        for _ in range(3):
            do(shared_pool, "context", context=context)
        assert (tmp_path / "loads").read_text() == "x"
        assert do(shared_pool, "echo", [bytes(1 << 22)] * 2) == [bytes(1 << 22)] * 2

    def test_tasks_are_shared_among_processes(self, tmp_path: Path) -> None:
        notes = [str(tmp_path / name) for name in "abc"]
        with Pool(3, start, "") as pool:
            futures = [submit(pool, "answer_when_asked", (note, str(tmp_path / "asked"))) for note in notes]
            wait_until(lambda: all(map(os.path.exists, notes)))
            (tmp_path / "asked").touch()
            assert [future.result(SECONDS) for future in futures] == [["answer"]] * 3
        assert len({Path(note).read_text() for note in notes}) == 3


class TestErrors:
    def test_an_error_comes_with_its_traceback(self, shared_pool: Pool) -> None:
        with pytest.raises(LookupError, match=r"^by this page$") as caught:
            do(shared_pool, "fail", "by this page")
        assert isinstance(caught.value.__cause__, RemoteTraceback)
        assert "harm.py" in str(caught.value.__cause__)

    def test_an_error_that_cannot_travel_is_named(self, shared_pool: Pool) -> None:
        with pytest.raises(WorkerError, match=r"^Unpicklable: odd$"):
            do(shared_pool, "fail_oddly", "odd")

    def test_a_task_that_cannot_be_pickled_or_unpickled(self, shared_pool: Pool) -> None:
        with pytest.raises((AttributeError, TypeError)):
            do(shared_pool, "echo", threading.Lock())
        with pytest.raises(LookupError, match="another process"):
            do(shared_pool, "echo", [Breaking()])
        assert do(shared_pool, "echo", [1]) == [1]

    def test_no_error_ends_the_process(self, shared_pool: Pool) -> None:
        before = do(shared_pool, "process")
        with pytest.raises(LookupError):
            do(shared_pool, "fail", "")
        assert do(shared_pool, "process") == before


CRASHES = {
    "killed": (("kill", "a step"), "a step", "was killed by signal 9 (SIGKILL)"),
    "exit": (("leave", 3), None, "ended with exit status 3"),
    "in the middle of a message": (("cut", 1 << 20), None, "was killed by signal 9 (SIGKILL)"),
}


@pytest.mark.usefixtures("forked_workers")
class TestCrashes:
    def test_a_crash_is_its_tasks_alone(self) -> None:
        with Pool(1, start, "") as pool:
            for task, step, how in CRASHES.values():
                futures = [submit(pool, *order) for order in (("echo", [1]), task, ("echo", [2]))]
                assert (futures[0].result(SECONDS), futures[2].result(SECONDS)) == ([1], [2])
                with pytest.raises(WorkerCrashed) as caught:
                    futures[1].result(SECONDS)
                assert (caught.value.step, caught.value.how, caught.value.is_ready) == (step, how, True)

    def test_a_task_handed_ahead_survives_the_crash_before_it(self) -> None:
        with Pool(1, start, "", ahead=2) as pool:
            crashing, other = submit(pool, "kill", None), submit(pool, "echo", ["alive"])
            assert other.result(SECONDS) == ["alive"]
            assert isinstance(crashing.exception(SECONDS), WorkerCrashed)

    @linux
    def test_a_process_that_ended_while_it_had_nothing_to_do_is_replaced(self) -> None:
        with Pool(1, start, "") as pool:
            [process] = do(pool, "process")
            os.kill(process, signal.SIGKILL)
            wait_until(lambda: not is_running(process))
            # The task that finds it may be told, the next one is done.
            error = submit(pool, "echo", [1]).exception(SECONDS)
            assert error is None or (isinstance(error, WorkerCrashed) and error.step is None)
            assert do(pool, "echo", [1]) == [1]


@pytest.mark.usefixtures("forked_workers")
class TestLimits:
    def test_a_step_that_takes_too_long_is_named(self, tmp_path: Path) -> None:
        with Pool(1, start, "") as pool:
            with pytest.raises(PageTimeout, match=r"^takes longer than 1 s$") as caught:
                do(pool, "wait", str(tmp_path / "note"))
            assert caught.value.step == "waiting"
            assert do(pool, "echo", [1], seconds=SECONDS) == [1]

    def test_a_regular_expression_without_end_is_ended(self, tmp_path: Path) -> None:
        with Pool(1, start, "") as pool:
            with pytest.raises(PageTimeout, match=r"^takes longer than 0\.5 s$"):
                do(pool, "search", str(tmp_path / "note"), seconds=0.5)
            assert do(pool, "echo", [1]) == [1]

    @pytest.mark.full
    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
    def test_tasks_have_their_time_in_a_process_that_was_forked_after_the_import(self, tmp_path: Path) -> None:
        code = f"""
import os
from scrapy_justext.exceptions import PageTimeout
from scrapy_justext.workers import Pool
from tests.workers.harm import start
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
else:
    with Pool(1, start, "") as pool:
        ended = [pool.submit(("search", {str(tmp_path / "note")!r}), seconds=0.5) for _ in range(2)]
        assert [type(future.exception(60)) for future in ended] == [PageTimeout, PageTimeout]
        assert pool.submit(("echo", [1]), seconds=60).result(60) == [1]
"""
        subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True, timeout=SECONDS)

    def test_getting_ready_is_not_the_tasks_time(self, tmp_path: Path) -> None:
        begun, asked = tmp_path / "begun", tmp_path / "asked"
        with Pool(1, start, f"answer when {begun} {asked}") as pool:
            future = submit(pool, "echo", [1], seconds=SECONDS)
            wait_until(begun.exists)
            assert not _clock()._due
            asked.touch()
            assert future.result(SECONDS) == [1]

    @linux
    def test_what_a_task_started_ends_with_it(self, tmp_path: Path) -> None:
        note = tmp_path / "child"
        with Pool(1, start, "", has_children=True) as pool:
            future = submit(pool, "have_child", str(note))
            wait_until(note.exists)
            pool.close()
            assert isinstance(future.exception(SECONDS), WorkerCrashed)
        wait_until(lambda: not is_running(int(note.read_text())))


@pytest.mark.usefixtures("forked_workers")
class TestStarts:
    def test_a_start_that_fails_fails_each_task(self) -> None:
        too_large = "^no process can begin: /tmp/model: File too large$"
        with Pool(1, start, "raise") as pool:
            for _ in range(2):
                with pytest.raises(WorkerError, match=too_large):
                    do(pool, "echo", [1])
        with Pool(1, start, "exit") as pool:
            for _ in range(2):
                with pytest.raises(WorkerCrashed, match=r"the last ended with exit status 3$") as caught:
                    do(pool, "echo", [1])
                assert not caught.value.is_ready

    def test_a_context_that_cannot_be_loaded_leaves_the_others(self) -> None:
        with Pool(1, start, "") as pool:
            with pytest.raises(WorkerError, match="File too large"):
                do(pool, "echo", [1], context="raise")
            assert do(pool, "echo", [1]) == [1]

    def test_a_start_that_takes_too_long(self) -> None:
        with Pool(1, start, "wait", start_seconds=0.5) as pool, pytest.raises(WorkerCrashed) as caught:
            do(pool, "echo", [1])
        assert not caught.value.is_ready


#: Waits for a task whose process is to survive Ctrl-C.
INTERRUPTED = """
import sys
from scrapy_justext.workers import Pool
from tests.workers.harm import start
with Pool(1, start, "") as pool:
    future = pool.submit(("answer_when_asked", (sys.argv[1], sys.argv[2])))
    try:
        future.result()
    except KeyboardInterrupt:
        open(sys.argv[2], "w").close()
        print(future.result())
"""


class TestEnds:
    def test_a_pool_that_is_closed_gives_up_its_tasks(self, tmp_path: Path) -> None:
        note = tmp_path / "note"
        with Pool(1, start, "") as pool:
            futures = [submit(pool, "search", str(note)), submit(pool, "echo", [1])]
            wait_until(note.exists)
            pool.close()
            errors = [future.exception(SECONDS) for future in futures]
            assert [type(error) for error in errors] == [WorkerCrashed, WorkerError]
            assert isinstance(submit(pool, "echo", [1]).exception(SECONDS), WorkerError)
        assert not any(feeder.is_alive() for feeder in pool.feeders)

    def test_ending_a_worker_twice_is_ending_it_once(self) -> None:
        worker = Worker(start)
        worker.kill()
        assert worker.end() == worker.end() == -signal.SIGKILL
        worker.kill()

    @linux
    @pytest.mark.parametrize("task", ["search", "have_child"])
    def test_processes_end_with_a_parent_that_is_killed(self, task: str, tmp_path: Path) -> None:
        note = tmp_path / "note"
        code = (
            "import sys; from scrapy_justext.workers import Pool; from tests.workers.harm import start;"
            " Pool(1, start, '', has_children=sys.argv[1] == 'have_child').submit(tuple(sys.argv[1:])).result()"
        )
        with subprocess.Popen([sys.executable, "-c", code, task, str(note)], cwd=REPOSITORY) as parent:
            wait_until(note.exists)
            parent.kill()
        wait_until(lambda: not is_running(int(note.read_text())))

    @pytest.mark.full
    @linux
    def test_ctrl_c_reaches_the_parent_alone(self, tmp_path: Path) -> None:
        note, asked = tmp_path / "note", tmp_path / "asked"
        command = [sys.executable, "-c", INTERRUPTED, str(note), str(asked)]
        printed: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=REPOSITORY, start_new_session=True, **printed) as parent:
            wait_until(note.exists)
            # As a terminal does it.
            os.killpg(parent.pid, signal.SIGINT)
            assert parent.communicate(timeout=SECONDS)[0] == "['answer']\n"


def test_a_process_loads_neither_scrapy_nor_twisted() -> None:
    code = "import sys, scrapy_justext.crawl.processes; sys.exit(not {'scrapy', 'twisted'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=SECONDS).returncode == 0
