from django.db import migrations

from memory.index.schema import GUARD, INSTALL, UNGUARD, UNINSTALL


class Migration(migrations.Migration):
    """The search indexes and the ledger's guard. Declared as SQL, because no model can state
    them; both directions are given."""

    dependencies = [("memory", "0002_tables")]
    operations = [
        migrations.RunSQL(INSTALL, UNINSTALL),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
