from django.dispatch import Signal

# Both with `workspace`, for whoever stands above the engine. Every two weeks of the script, on the
# clock of that day; a load that broke off may say it again.
two_weeks_played = Signal()
# When all of the script was played.
played = Signal()
