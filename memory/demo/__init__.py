from django.dispatch import Signal

# Sent with `workspace` when the script was played, for whoever stands above the engine.
played = Signal()
