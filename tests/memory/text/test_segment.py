import subprocess
import sys

import pytest

from memory.text import segment


def test_words_inside_words_come_with_their_places():
    run = "我们改进人工智能课程"
    found = segment.words(run)
    assert {"人工", "智能", "人工智能", "课程"} <= {word for word, _, _ in found}
    assert all(run[start:end] == word for word, start, end in found)


def test_the_words_of_a_long_run_join_to_it_and_keep_whole_at_the_windows():
    run = "第二季度人工智能课程安排" * 40
    assert "".join(segment.cut(run)) == run
    assert segment.cut(run).count("人工智能") == 40


def test_an_unknown_name_is_not_in_the_dictionary():
    assert segment.in_dictionary("预算")
    assert not segment.in_dictionary("邬垚")
    assert not segment.in_dictionary("")


@pytest.mark.parametrize("run", ["饕" * 100_000, "".join(map(chr, range(0x4E00, 0x9E20))) * 5])
def test_guessing_sees_only_short_pieces(run, monkeypatch):
    tokenizer, guessed, pieces = segment._tokenizer(), [], []
    cut = tokenizer.cut

    def counted(piece, HMM=True):  # noqa: N803 (jieba's name)
        pieces.append(len(piece))
        if HMM:
            guessed.append(len(piece))
        return cut(piece, HMM=HMM)

    monkeypatch.setattr(tokenizer, "cut", counted)
    assert "".join(segment.cut(run)) == run
    assert max(pieces) <= segment.WINDOW
    assert len(pieces) < len(run) / 16
    # Of the whole run, only a short end may be guessed at.
    assert sum(guessed) <= len(run) / 4


def test_import_does_not_load_the_dictionary():
    code = "import sys, memory.text.terms; sys.exit('jieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_dictionary_cache_is_in_a_folder_of_our_own(settings):
    segment.warm()
    folder = settings.DATA_DIR / "jieba"
    assert str(folder) == segment._tokenizer().tmp_dir
    assert folder.stat().st_mode & 0o077 == 0
