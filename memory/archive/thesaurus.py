"""Everyday words of which a question says one and the answer another: synonyms, and kinds with what is of them.

Who asks for an instrument was told of a cello. Only plain words for people, things, places and doings are listed:
a vague one is near to everything. A Chinese word has two characters here, which is one term of the index.
"""

from functools import cache

from memory.archive.terms import FIRST_UNSPACED, stem

_SAME = """
baby newborn infant | boss manager supervisor | boyfriend girlfriend partner | child kid son daughter toddler |
colleague coworker workmate | cop police | doctor physician | father dad daddy papa | friend buddy pal mate |
grandfather grandpa granddad | grandmother grandma granny nana | lawyer attorney solicitor |
mother mom mommy mummy mama | pupil student classmate | spouse wife husband |
teacher instructor professor tutor coach | boy lad | girl lass | birth born birthday | death dead die funeral |
divorce breakup separate | engage marriage marry wedding | childhood young younger | live reside | move relocate |
apartment flat condo home house | city town | countryside village | garden yard backyard | forest woods |
shop store market mall supermarket | restaurant cafe diner | hospital clinic surgery | office workplace |
begin start | complete finish | quit resign retire | company employer firm business startup |
career employment job occupation profession work | income pay salary wage | cash finance fund money |
cost expensive price | apply application interview | train railway metro subway | bicycle bike cycle |
automobile car vehicle | airplane flight plane airport | getaway holiday journey tour travel trip vacation |
hotel hostel motel airbnb | baggage luggage suitcase | campus college school university |
class course lesson workshop | degree diploma graduate | exam test quiz | learn study | essay paper thesis |
book novel | author writer | film movie cinema | image photo photograph pic picture snapshot | song tune track |
series episode | television tv | computer laptop pc | cellphone mobile phone smartphone |
internet online web website | app application software program | game match | squad team | fan supporter |
marathon race | jog run | stroll walk | hike trail trek | exercise fitness gym train workout |
championship competition contest tournament | award medal prize trophy win | hobby pastime interest |
enjoy favorite love prefer | dislike hate | ballet dance | art artwork | buy order purchase | gift present |
clothes outfit apparel | boot shoe sneaker | glasses spectacles | bag backpack purse handbag | sofa couch |
disease flu ill sick unwell | accident crash hurt injure injury wound | drug medication medicine pill prescription |
allergic allergy | therapist psychologist counselor counsellor | diet nutrition weight | insomnia sleep asleep |
afraid fear phobia scare | anxiety anxious nervous stress worry | destress relax unwind |
excite glad happy joy thrill | depress sad upset | angry annoy furious mad | exhaust tire | lonely alone |
argue disagree fight quarrel | break damage | fix mend repair | bake cook recipe | breakfast brunch |
dinner supper | barbecue bbq grill picnic | snack candy sweets | soda coke cola | vegetarian vegan | dog pup puppy |
cat kitten kitty | vet veterinarian | charity donate nonprofit volunteer | church faith religion religious |
aim ambition aspire dream goal | intend plan | advice advise recommend suggest | army military | election vote |
america american usa | britain british england english uk | rain rainy storm | snow snowy
"""
_KINDS = """
parent: mother mom mama father dad papa | sibling: brother sister twin |
grandparent: grandmother grandma granny grandfather grandpa |
relative: aunt uncle cousin niece nephew grandma grandpa |
family: mother mom father dad brother sister wife husband son daughter kid parent grandma grandpa |
pet: dog puppy cat kitten hamster rabbit parrot turtle goldfish snake gecko lizard |
animal: dog cat horse bird rabbit bear cow sheep pig goat fish snake turtle elephant lion monkey deer fox |
bird: parrot owl eagle hawk sparrow pigeon crow duck chicken | insect: bee ant butterfly spider mosquito |
plant: flower tree rose succulent tulip fern herb | flower: rose tulip daisy sunflower lily orchid lavender |
country: france spain italy germany japan china india mexico canada brazil australia england ireland scotland
 greece turkey egypt thailand vietnam korea russia ukraine sweden norway denmark finland iceland poland portugal
 switzerland austria netherlands belgium hungary croatia argentina peru chile colombia kenya morocco nigeria
 indonesia philippines |
europe: france spain italy germany england ireland scotland greece sweden norway poland portugal switzerland
 austria |
asia: japan china india thailand vietnam korea indonesia singapore nepal |
city: london paris berlin munich rome milan madrid barcelona lisbon amsterdam vienna prague dublin istanbul moscow
 tokyo kyoto seoul beijing shanghai bangkok singapore delhi dubai sydney toronto vancouver york boston chicago
 seattle miami austin denver |
state: california texas florida oregon washington colorado nevada arizona ohio michigan georgia utah hawaii alaska
 minnesota virginia carolina jersey |
language: french spanish german chinese mandarin japanese italian korean russian portuguese arabic hindi english |
beach: sea ocean coast shore | mountain: hike climb peak summit | water: river lake sea ocean |
instrument: guitar piano violin drum flute cello clarinet trumpet saxophone ukulele harp keyboard bass |
music: song band concert album guitar piano sing jazz rock | band: singer guitarist drummer concert |
genre: fantasy mystery romance thriller horror comedy fiction rock jazz pop classical blues |
art: paint draw sculpture pottery sketch watercolor | artist: painter singer musician sculptor |
craft: knit sew crochet pottery woodwork embroidery | hobby: paint draw knit read garden photography chess |
sport: basketball football soccer tennis baseball volleyball hockey cricket golf swim run cycle ski surf skate box
 badminton rugby climb yoga gymnastics |
exercise: yoga run swim cardio pilates jog squat stretch | martial: karate judo taekwondo kickboxing boxing aikido |
outdoor: hike camp fish climb kayak picnic | game: chess poker cards puzzle console |
event: concert festival party conference parade wedding fundraiser workshop exhibition |
celebration: birthday wedding anniversary graduation party | holiday: christmas easter thanksgiving halloween |
season: spring summer autumn winter | weather: rain snow sunny storm wind fog |
meal: breakfast lunch dinner supper |
food: pizza pasta rice soup salad sushi burger chicken curry noodle steak sandwich taco bread cheese |
dish: pasta soup salad curry stew noodle roast | dessert: cake pie cookie chocolate brownie pudding tart cupcake |
fruit: apple banana orange strawberry grape mango peach berry lemon pear |
vegetable: carrot tomato potato broccoli spinach pepper onion cucumber |
drink: coffee tea wine beer juice soda cocktail smoothie whisky | ingredient: flour sugar butter egg garlic salt |
color: red blue green yellow purple pink black white orange brown grey |
clothes: shirt dress jacket coat jeans hat sweater skirt scarf | jewelry: necklace ring bracelet earring |
furniture: sofa table chair desk bed shelf | vehicle: car truck van motorcycle bus bike |
device: phone laptop tablet computer camera headphones | illness: cold flu fever cancer diabetes asthma migraine |
symptom: fever cough headache pain nausea dizzy | degree: bachelor master phd doctorate |
subject: math physics chemistry biology history geography literature economics |
education: school college university degree study course diploma |
relationship: date marry engage single divorce girlfriend boyfriend partner |
origin: born grew raise hometown homeland | hometown: born grew raise | age: birthday old turn |
address: street avenue live | health: doctor hospital illness diet exercise sleep checkup |
injury: ankle knee wrist shoulder sprain fracture twist | transport: bus train car bike subway tram taxi |
nature: forest mountain lake river hike waterfall | disaster: flood storm fire earthquake hurricane |
politics: election vote campaign mayor candidate | media: instagram facebook youtube twitter tiktok blog podcast |
writing: poem story novel essay article blog journal | reading: book novel | toy: doll lego puzzle teddy |
emotion: happy sad angry afraid anxious proud lonely | allergy: peanut pollen nut shellfish dairy gluten |
course: lecture class seminar workshop | fear: height spider dark thunder |
herb: cilantro parsley basil mint thyme rosemary | medicine: antibiotic penicillin aspirin ibuprofen insulin |
debt: loan mortgage | bill: electricity gas rent | fabric: cotton silk wool linen leather |
tool: hammer drill saw wrench screwdriver | appliance: fridge oven dishwasher washer microwave kettle |
faith: christian buddhist muslim hindu jewish catholic |
job occupation profession: nurse doctor teacher engineer lawyer chef pilot programmer developer designer accountant
 architect journalist |
celebrity: actor singer athlete
"""
_SAME_CHINESE = """
孩子 儿子 女儿 小孩 宝宝 | 妈妈 母亲 老妈 | 爸爸 父亲 老爸 | 父母 爸妈 家长 | 妻子 老婆 太太 爱人 | 丈夫 老公 先生 |
朋友 好友 闺蜜 | 男友 女友 对象 恋人 | 爷爷 祖父 | 奶奶 祖母 | 医生 大夫 | 老师 教师 教练 导师 | 学生 同学 |
老板 上司 领导 经理 | 邻居 隔壁 | 医院 诊所 看病 | 生病 感冒 发烧 患病 | 药物 吃药 药品 | 工作 职业 上班 职位 岗位 |
公司 单位 企业 | 工资 薪水 收入 | 面试 求职 | 学校 大学 学院 校园 | 课程 上课 培训 | 考试 测验 考研 |
学习 读书 复习 | 毕业 学位 | 电影 影片 | 照片 相片 图片 拍照 | 歌曲 音乐 唱歌 | 书籍 小说 看书 读书 | 作者 作家 |
汽车 轿车 开车 车子 | 飞机 航班 机场 | 火车 高铁 地铁 | 房子 住处 公寓 | 餐厅 饭店 餐馆 | 酒店 宾馆 旅馆 民宿 |
购买 购物 买到 | 礼物 送给 | 旅行 旅游 出游 旅程 度假 | 喜欢 喜爱 热爱 最爱 钟爱 | 讨厌 反感 | 兴趣 爱好 |
运动 锻炼 健身 | 跑步 慢跑 | 散步 走路 | 爬山 登山 徒步 | 费用 花钱 | 价格 价钱 | 比赛 竞赛 | 获奖 得奖 奖项 |
去世 离世 过世 | 生日 出生 | 结婚 婚礼 婚姻 | 离婚 分手 | 搬家 搬到 | 目标 梦想 理想 | 计划 打算 | 害怕 恐惧 |
担心 焦虑 担忧 紧张 | 放松 减压 | 高兴 快乐 开心 喜悦 | 难过 伤心 悲伤 沮丧 失落 | 生气 愤怒 恼火 | 孤独 寂寞 |
疲惫 疲劳 劳累 | 手机 电话 | 网络 网上 上网 | 建议 推荐 | 聊天 交谈 谈话 | 争吵 吵架 矛盾 冲突 | 晚饭 晚餐 |
早饭 早餐 | 午饭 午餐 | 做饭 烹饪 下厨 菜谱 | 小狗 狗狗 | 小猫 猫咪 | 减肥 瘦身 体重 | 失眠 睡眠 睡觉 | 性格 个性 |
绘画 画画 | 舞蹈 跳舞 | 衣服 服装 | 过敏 敏感 | 自行 单车 骑车
"""
_KINDS_CHINESE = """
家人: 妈妈 爸爸 父母 哥哥 姐姐 弟弟 妹妹 妻子 丈夫 孩子 | 亲戚: 叔叔 阿姨 舅舅 姑姑 表哥 表姐 表弟 表妹 |
宠物: 小狗 小猫 猫咪 狗狗 兔子 仓鼠 金鱼 鹦鹉 乌龟 | 动物: 老虎 狮子 大象 猴子 熊猫 兔子 小狗 小猫 |
植物: 多肉 玫瑰 绿萝 兰花 盆栽 | 乐器: 吉他 钢琴 提琴 古筝 笛子 口琴 二胡 |
运动: 篮球 足球 网球 游泳 跑步 乒乓 羽毛 瑜伽 排球 滑雪 骑车 爬山 |
国家: 法国 英国 美国 日本 韩国 德国 泰国 俄罗 西班 意大 加拿 澳大 |
城市: 北京 上海 广州 深圳 杭州 成都 西安 南京 武汉 重庆 苏州 厦门 天津 长沙 青岛 大连 昆明 |
语言: 英语 日语 法语 韩语 德语 中文 | 颜色: 红色 蓝色 绿色 黄色 紫色 粉色 黑色 白色 |
水果: 苹果 香蕉 草莓 葡萄 西瓜 芒果 橙子 | 食物: 火锅 面条 米饭 饺子 蛋糕 披萨 寿司 烧烤 |
甜点: 蛋糕 冰淇 饼干 巧克 | 美食: 火锅 烧烤 小吃 面条 饺子 | 饮料: 咖啡 奶茶 果汁 啤酒 可乐 |
季节: 春天 夏天 秋天 冬天 | 天气: 下雨 下雪 晴天 刮风 | 节日: 春节 中秋 国庆 元旦 端午 生日 |
情绪: 开心 难过 焦虑 生气 伤心 沮丧 | 疾病: 感冒 发烧 头痛 失眠 过敏 胃痛 | 亲人: 妈妈 爸爸 奶奶 爷爷 外婆 外公 |
交通: 地铁 公交 开车 骑车 火车 飞机 | 家具: 沙发 桌子 椅子 书架 |
职业: 医生 老师 护士 律师 会计 厨师 警察 演员 司机 记者 作家 教师 | 药物: 胶囊 药片 阿司 青霉 |
学历: 本科 硕士 博士 大学 | 感情: 恋爱 分手 男友 女友 暗恋 | 景点: 公园 博物 古城 海滩 寺庙 |
专业: 数学 物理 计算 金融 法律 医学 | 爱好: 画画 唱歌 跳舞 阅读 摄影 旅行 游泳 | 活动: 聚会 比赛 演出 展览 郊游
"""


def instead(term: str) -> tuple[str, ...]:
    """The terms that an answer may have where the question has this one; none for most."""
    return _thesaurus().get(term, ())


@cache
def _thesaurus() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in [*_SAME.split("|"), *_SAME_CHINESE.split("|")]:
        same = [_term(word) for word in group.split()]
        for term in same:
            found.setdefault(term, {}).update(dict.fromkeys(same))
    for group in [*_KINDS.split("|"), *_KINDS_CHINESE.split("|")]:
        kinds, members = group.split(":")
        for kind in kinds.split():
            found.setdefault(_term(kind), {}).update(dict.fromkeys(map(_term, members.split())))
    return {term: tuple(other for other in others if other != term) for term, others in found.items()}


def _term(word: str) -> str:
    return word if word[0] >= FIRST_UNSPACED else stem(word)
