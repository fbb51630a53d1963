from itertools import pairwise

from memory.index.entry import base36, entry_for, owner_mark, owner_prefix, searchable
from memory.index.expression import Columns, expression, quoted
from memory.models import Memory
from memory.text.terms import query_terms


def test_every_token_stands_in_quotes():
    assert quoted('a"b') == '"a""b"'
    assert quoted("NOT") == '"NOT"'


def test_nothing_to_search_is_no_expression():
    assert expression(query_terms("！？"), "1~") == ""


def test_required_terms_are_all_asked_for():
    text = expression(query_terms("KX-30517 gate"), "7~")
    assert text.startswith('words:"7~kx-30517" AND (')
    assert '"7~gate"' in text


def test_a_term_may_stand_in_one_of_several_columns():
    both = Columns("{words before_words}", "{bigrams before_bigrams}")
    assert expression(query_terms("gate"), "1~", columns=both) == '({words before_words}:"1~gate")'
    assert '{bigrams before_bigrams}:"1~码头"' in expression(
        query_terms("码头"), "1~", columns=both
    )


def test_every_term_on_demand_and_one_more_token():
    query = query_terms("north gate")
    assert expression(query, "1~") == '(words:"1~north" OR words:"1~gate")'
    assert expression(query, "1~", every_term=True) == 'words:"1~north" AND words:"1~gate"'
    assert expression(query, "1~", also="~2").endswith(' AND words:"1~~2"')


def test_a_chinese_word_may_stand_inside_other_words():
    assert 'bigrams:"1~展厅' in expression(query_terms("展厅"), "1~")
    assert '"1~门"*' in expression(query_terms("门"), "1~")


def test_numbers_are_written_short_and_never_collide():
    assert [base36(n) for n in (0, 1, 35, 36, 1295, 1296)] == ["0", "1", "z", "10", "zz", "100"]
    prefixes = [owner_prefix(n) for n in range(5000)]
    assert not any(a != b and b.startswith(a) for a, b in pairwise(prefixes))
    assert len(set(prefixes)) == 5000
    assert owner_mark(7)[0] == "~"


def test_each_part_is_searchable_once():
    row = Memory(text="仓库的押金是800", entity="仓库", attribute="押金", value="800", summary="x")
    assert searchable(row) == "仓库的押金是800\nx"
    row = Memory(
        text="see below", entity="user", attribute="Desk", value="B12", summary="see BELOW"
    )
    assert searchable(row) == "see below\nDesk\nB12"


def test_columns_carry_the_prefix_on_every_term():
    words, bigrams = entry_for(Memory(text="北门 opens at 6")).columns("z~", "~1")
    assert all(term.startswith("z~") for term in (words + " " + bigrams).split())
    assert words.split()[-1] == "z~~1"
