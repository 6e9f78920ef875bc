import asyncio
import threading

from sil.serve.bells import Bells


def test_all_who_listen_to_a_job_are_woken_from_another_thread():
    bells = Bells()

    async def main():
        with (
            bells.listening("a") as one,
            bells.listening("a") as two,
            bells.listening("b") as other,
        ):
            assert bells.listeners == 3
            threading.Thread(target=bells.ring, args=("a",)).start()
            await asyncio.wait_for(asyncio.gather(one.wait(), two.wait()), 10)
            assert not other.is_set()

    asyncio.run(main())
    assert bells.listeners == 0


def test_nobody_need_listen():
    bells = Bells()
    bells.ring("a")

    async def main():
        with bells.listening("a"):
            pass

    asyncio.run(main())
    bells.ring("a")  # the loop is closed
