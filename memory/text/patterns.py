"""What must stay in one piece, as one pattern over normalised (lower case) text.

Repeats that could start again at each of their own characters are bounded: an e-mail's local
part without a bound costs seconds on 100 kB of "a+a+a+".
"""

import re

# Scripts written without spaces between words: Han, kana, hangul.
DENSE = (
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
# Marks that belong to words of other scripts; `\w` does not take them.
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u109f\u1780-\u17ff"
_LETTER = rf"(?:(?![{DENSE}_])[\w{_MARKS}])"
_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12][0-9]|3[01])"
_HAN_UNITS = (
    "平方米 个小时 个月 个人 小时 分钟 秒钟 公里 千米 厘米 毫米 平米 毫升 公斤 千克 毫克 块钱 美元 "
    "美金 欧元 日元 港币 元 块 圆 角 米 克 斤 吨 升 度 天 周 秒 分 岁 倍 成 折 个 件 台 箱 只 条 "
    "张 人 次 份 楼 层 级 名 位 项 页 行 字 票 杯 瓶 盒 套 辆 本 款 家 组 步 期 章 种"
)
_LATIN_UNITS = "kg mg km cm mm ml gb/s mb/s kb/s gb mb kb tb km/h ms hz mhz ghz kw kwh px °c °f"
_UNIT = "|".join(
    ["[%‰]"]
    + [rf"{unit}(?![a-z0-9/])" for unit in _LATIN_UNITS.split()]
    + sorted(_HAN_UNITS.split(), key=len, reverse=True)
)
# A number that goes on as a word, an id, a path or a version is not a number.
_ENDS = r"(?![0-9a-z_]|[-/.][0-9a-z])"
_DATE_UNIT = r"月份|点钟|季度|年(?!级)|日(?!元)|[月号点时]"

ATOM = re.compile(
    rf"""
    (?P<url> https?://[a-z0-9][^\s"<>\\^`{{|}}\u0080-\U0010ffff]{{0,500}}(?<![.,;:!?)\]'*]) )
  | (?P<email>
      [a-z0-9][a-z0-9._%+-]{{0,63}}@[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{1,6}} )
  | (?P<mark> [@\#][a-z0-9_](?:[a-z0-9_.-]{{0,62}}[a-z0-9_])? )
  | (?P<pair> [a-z0-9_]{{1,64}}=[a-z0-9_](?:[a-z0-9_.-]{{0,62}}[a-z0-9_])? )
  | (?P<code> [a-z]{{1,12}}\+\+(?!\+) | [a-z]{{1,12}}\#(?![a-z0-9\#]) | [a-z]\+(?![a-z0-9+]) )
  | (?P<day> (?P<y>[0-9]{{4}})
      (?: 年\ ?(?P<m>{_MONTH})月\ ?(?P<d>{_DAY})[日号]
        | (?P<sep>[-/.])(?P<m2>{_MONTH})(?P=sep)(?P<d2>{_DAY})(?![0-9]|[-/.][0-9])
          (?:t(?=[0-9]{{2}}:))? ) )
  | (?P<month> (?P<y3>[0-9]{{4}})
      (?: 年\ ?(?P<m3>{_MONTH})月 | -(?P<m4>0[1-9]|1[0-2])(?![0-9a-z]|[-/.:][0-9]) ) )
  | (?P<clock> (?P<hour>[01]?[0-9]|2[0-3])
      (?: :(?P<min>[0-5][0-9])(?::[0-5][0-9])?(?!:?[0-9])
        | [点时](?:(?P<min2>[0-5][0-9])(?![0-9])分?|(?P<min3>[0-9])分|(?P<half>半)) ) )
  | (?P<date> (?P<n>[0-9]{{1,4}})\ ?(?P<n_unit>{_DATE_UNIT}) )
  | (?P<range> (?P<low>{_NUMBER})[-~](?P<high>{_NUMBER})
      \ ?(?: (?P<date_unit>{_DATE_UNIT}) | (?P<range_unit>{_UNIT}) ) )
  | (?P<quantity> (?P<sign>-(?=[0-9.]+\ ?(?:度|°[cf])))? (?P<money>[$¥€£])? (?P<q>{_NUMBER})
      (?: \ ?(?P<times>[百千万亿]{{1,2}})(?:\ ?(?P<unit>{_UNIT}))?
        | \ ?(?P<unit2>{_UNIT}) | {_ENDS} ) )
  | (?P<version> v[0-9]{{1,9}}(?:\.[0-9]{{1,9}}){{0,5}}
      (?:[-+][a-z0-9]{{1,20}}(?:\.[a-z0-9]{{1,20}}){{0,5}})?(?![a-z0-9_]|[-.][a-z0-9]) )
  | (?P<word> {_LETTER}+(?:[-_./'’]{_LETTER}+)* )
  | (?P<dense> [{DENSE}]+ )
    """,
    re.VERBOSE,
)
DENSE_RUN = re.compile(f"[{DENSE}]+")
