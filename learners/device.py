"""Computing on a device, reproducibly."""

import contextlib
import os
from collections.abc import Iterator

import torch

from tttenv.utils.untrusted import first_line


@contextlib.contextmanager
def computing_on(device: str) -> Iterator[None]:
    """Create tensors on a device within this block, and compute there reproducibly.

    By default, PyTorch rounds the inputs of convolutions on recent NVIDIA GPUs to 10 bits (TF32),
    and adds some numbers in whatever order the GPU's threads finish. Within this block,
    convolutions are as precise as on the CPU, and the same program gives the same result on the
    same GPU.

    Args:
        device: a torch device, such as "cpu", "cuda" or "cuda:1".

    Raises:
        ValueError: for a device that is not available.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
    try:
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(f"device {device!r} is not available: {first_line(error)}") from None
    with contextlib.ExitStack() as stack:
        if torch.device(device).type == "cuda":
            cudnn = torch.backends.cudnn
            stack.enter_context(cudnn.flags(enabled=True, deterministic=True, allow_tf32=False))
            stack.callback(
                torch.use_deterministic_algorithms,
                torch.are_deterministic_algorithms_enabled(),
                warn_only=torch.is_deterministic_algorithms_warn_only_enabled(),
            )
            torch.use_deterministic_algorithms(True)
        stack.enter_context(torch.device(device))
        yield
