import subprocess
import sys

from memory.text.tagging import UNKNOWN, tagged


def test_words_come_with_their_part_of_speech():
    assert tagged("杭州喜欢") == [("杭州", "ns"), ("喜欢", "v")]
    assert tagged("") == []


def test_what_the_dictionary_does_not_have_is_unknown():
    assert tagged("曼婷") == [("曼婷", UNKNOWN)]


def test_the_words_join_to_the_run():
    run = "人工智能课程安排" * 30
    assert "".join(word for word, _ in tagged(run)) == run


def test_import_reads_no_dictionary():
    code = "import sys, memory.text.tagging as t; sys.exit(t._read.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
