"""The hygiene lab: the health report on another system's export, with a plan to clean it up and the
cleaned export. Nothing of it is stored."""
