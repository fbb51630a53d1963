from django.db import migrations

from memory.index.schema import set_write_ahead_log


class Migration(migrations.Migration):
    initial = True
    # SQLite cannot change its journal mode inside a transaction.
    atomic = False
    dependencies = []
    operations = [migrations.RunPython(set_write_ahead_log, migrations.RunPython.noop)]
