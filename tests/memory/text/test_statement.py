import pytest

from memory.text.statement import Statement, parse_statement

CHINESE = {
    "我的预算是950": ("user", "预算", "950"),
    "我的预算是 2,400 元。": ("user", "预算", "2,400 元"),
    "我的預算現在是1500": ("user", "預算", "1500"),
    "預算\u200b是700": ("預算", "value", "700"),
    "我的预算现在是1500": ("user", "预算", "1500"),
    "目前我的预算是1500": ("user", "预算", "1500"),
    "我现在预算是1500元": ("user", "预算", "1500元"),
    "我目前的预算是1500": ("user", "预算", "1500"),
    "我预算是1500": ("user", "预算", "1500"),
    "我的猫的名字是豆包": ("user", "猫的名字", "豆包"),
    "我的车是红色的": ("user", "车", "红色的"),
    "我的紧急联系人是陈姨": ("user", "紧急联系人", "陈姨"),
    "我的起床时间是6:45": ("user", "起床时间", "6:45"),
    "我的公司邮箱是li@corp.test": ("user", "公司邮箱", "li@corp.test"),
    "我的工号是：B-0071": ("user", "工号", "B-0071"),
    "我的主力语言是Go！": ("user", "主力语言", "Go"),
    "甲项目的负责人是孙悦": ("甲项目", "负责人", "孙悦"),
    "乙项目的截止日期是5月9日": ("乙项目", "截止日期", "5月9日"),
    "B 型号的库存是64件": ("B 型号", "库存", "64件"),
    "法国的首都是巴黎": ("法国", "首都", "巴黎"),
    "Apollo 项目的代号是北极星": ("Apollo 项目", "代号", "北极星"),
    "仓库的地址是滨江路18号": ("仓库", "地址", "滨江路18号"),
    "我们的预算是3万": ("我们", "预算", "3万"),
    "小王的生日是7月2日": ("小王", "生日", "7月2日"),
    "产品部的组长的电话是 555-0142": ("产品部的组长", "电话", "555-0142"),
    "预算是700": ("预算", "value", "700"),
    "年会预算是 8 万": ("年会预算", "value", "8 万"),
    "负责人是赵敏": ("负责人", "value", "赵敏"),
    "deadline是周五": ("deadline", "value", "周五"),
    "项目代号是启明": ("项目代号", "value", "启明"),
    "例会时间是10:30": ("例会时间", "value", "10:30"),
    "C型号是75件": ("C型号", "value", "75件"),
    "值班室是 302": ("值班室", "value", "302"),
    "截止日期是下周三": ("截止日期", "value", "下周三"),
}
ENGLISH = {
    "My budget is 950": ("user", "budget", "950"),
    "my budget is $2,400.": ("user", "budget", "$2,400"),
    "My budget is now 1500": ("user", "budget", "1500"),
    "My dog's name is Biscuit": ("user", "dog's name", "Biscuit"),
    "My hobby is painting": ("user", "hobby", "painting"),
    "My manager is Joan Ellis": ("user", "manager", "Joan Ellis"),
    "My last name is Okafor": ("user", "last name", "Okafor"),
    "My department is IT": ("user", "department", "IT"),
    "my preferred editor is Vim!": ("user", "preferred editor", "Vim"),
    "My wake-up time is 6:45": ("user", "wake-up time", "6:45"),
    "My birthday is May 5": ("user", "birthday", "May 5"),
    "My work email is li@corp.test": ("user", "work email", "li@corp.test"),
    "The owner of Apollo-3 is Dana": ("Apollo-3", "owner", "Dana"),
    "The deadline of the audit is Friday": ("audit", "deadline", "Friday"),
    "The capital of France is Paris": ("France", "capital", "Paris"),
    "the port of the staging server is 9043": ("staging server", "port", "9043"),
    "Apollo's budget is 3000": ("Apollo", "budget", "3000"),
    "Tom’s phone is 555-0142": ("Tom", "phone", "555-0142"),
    "The warehouse's address is 18 River Road": ("warehouse", "address", "18 River Road"),
    "The server is down": ("server", "value", "down"),
    "the release branch is main": ("release branch", "value", "main"),
    "Our supplier is Norwood": ("Our supplier", "value", "Norwood"),
    "My current budget is 950": ("user", "budget", "950"),
    "Budget is 700": ("Budget", "value", "700"),
    "Project deadline is Friday": ("Project deadline", "value", "Friday"),
    "The codename is Polaris": ("codename", "value", "Polaris"),
    "The stock is currently 64 units": ("stock", "value", "64 units"),
}
NOT_CHINESE = """
我的预算是多少
我的预算是950吗
我的预算是950？
我的负责人是谁
甲项目的截止日期是哪天
我的预算不是950
我的预算是不是950
没说过我的预算是950
如果我的预算是950就好了
要是预算是950，就买
我的预算应该是950
我的预算可能是950
我的预算大概是950
我的预算好像是950
我的預算應該是950
我的预算应\u200b该是950
我的預算以前是950
听说甲项目的预算是950
我觉得预算是950
我记得我的预算是950
我的预算之前是950
我以前的预算是950
我的预算是950，负责人是赵敏
我的预算是950。负责人是赵敏
我的预算是950还是1500
这是我的预算
那个预算是950
她的生日是7月2日
他是我的经理
张三是工程师
张三是北京人
小李是30岁
我是素食者
你是助手
都是950
首先要做的是备份
今天的会议是3点
明天的值班人是小李
新的预算是950
第二是950
最喜欢的颜色是蓝色
昨天买的书是三体
我的意思是先等等
问题是没时间
结果就是950
不对，预算是950
请记住我的预算是950
把预算改成950
总是迟到
我的想法是预算是950
他说"我的预算是950"
是
我的是950
我喜欢拿铁
"""
NOT_ENGLISH = """
my budget sho\u200buld be 950
What is my budget
Is my budget 950
My budget is 950?
my budget is what
Where is the office
My budget is not 950
My budget isn't 950
my budget is no longer 950
If my budget is 950 we can buy it
My budget is 950 unless they object
My budget should be 950
Maybe my budget is 950
my budget is probably 950
My budget is about 950
I think my budget is 950
I heard the budget is 950
Tom said the budget is 950
My budget was 950
My old budget is 950
My budget last year is 950
My budget is 950, and the owner is Ann
My budget is 950; hers is 700
My budget is 950. The owner is Ann
His birthday is July 2
It is raining
There is a cat
This is my budget
That is fine
Tom is an engineer
Tom is Canadian
The cat is a mammal
The team is working on the release
The problem is the budget
my point is simple
The thing is big
The new budget is 950
The rest is history
Remember my budget is 950
please note my budget is 950
Today's lunch is soup
Everyone knows he is late
The plan is to wait
One is enough
My budget is the one that Tom's plan is based on
is
My is 950
I like coffee
"""


@pytest.mark.parametrize("text", CHINESE | ENGLISH)
def test_a_plain_statement(text):
    wanted = (CHINESE | ENGLISH)[text]
    assert parse_statement(text) == (wanted and Statement(*wanted))


@pytest.mark.parametrize("text", (NOT_CHINESE.strip() + NOT_ENGLISH.rstrip()).splitlines())
def test_not_a_plain_statement(text):
    assert parse_statement(text) is None
