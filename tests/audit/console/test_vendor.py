import hashlib
import re
from pathlib import Path

from django.conf import settings

STATIC = Path(settings.BASE_DIR) / "static"
README = STATIC / "vendor" / "README.md"
OUR_OWN = {README, STATIC / "img" / "mark.svg"}


def listed() -> dict[str, str]:
    return dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", README.read_text(), re.M))


def taken_from_others() -> set[str]:
    files = [*(STATIC / "vendor").rglob("*"), *(STATIC / "img").rglob("*")]
    return {str(f.relative_to(STATIC)) for f in files if f.is_file() and f not in OUR_OWN}


def test_every_vendored_file_has_the_listed_hash():
    assert listed()
    for name, digest in listed().items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == digest, name


def test_every_vendored_file_is_listed_and_none_is_missing():
    assert taken_from_others() == set(listed())


def test_a_changed_byte_would_be_seen(tmp_path):
    name, digest = next(iter(listed().items()))
    changed = (STATIC / name).read_bytes() + b" "
    assert hashlib.sha256(changed).hexdigest() != digest


def test_own_and_vendored_styles_ask_nothing_of_another_host():
    for sheet in STATIC.rglob("*.css"):
        targets = re.findall(r"url\(\s*[\"']?([^\"')]+)", sheet.read_text(encoding="utf-8"))
        assert not [t for t in targets if not t.startswith(("data:", "#", "%23"))], sheet


def test_no_file_points_at_a_source_map():
    for file in [*STATIC.rglob("*.css"), *STATIC.rglob("*.js")]:
        assert "sourceMappingURL" not in file.read_text(encoding="utf-8"), file


def test_every_icon_that_a_template_asks_for_is_in_the_sprite():
    from audit.console.templatetags import console

    drawn = set(re.findall(r'<symbol id="([^"]+)"', (STATIC / "img/icons.svg").read_text()))
    templates = Path(settings.BASE_DIR, "templates").rglob("*.html")
    asked = {n for t in templates for n in re.findall(r'{% icon "([^"]+)"', t.read_text())}
    assert asked, "the pattern no longer matches how templates ask for icons"
    assert asked | set(console.ICONS.values()) <= drawn
