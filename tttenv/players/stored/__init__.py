"""Players whose weights are in files: checkpoints, the Hub, ONNX, Stable-Baselines3."""
