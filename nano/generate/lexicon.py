"""Words: the lists under words/, and words nobody has seen before.

Invented words matter most: whatever a person types, the model must be able to copy it, so it has to see strings in training
that no list holds.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

WORDS = Path(__file__).parent / "words"

_ONSETS = (
    "b c d f g h j k l m n p r s t v w z bl br ch cl cr dr fl fr gl gr kn kr pl pr qu sc sh sk sl sm sn sp st str sw th tr tw wh x y"
).split()
_VOWELS = "a e i o u ai au ea ee ei eu ia ie io oa oo ou y".split()
_CODAS = "b ck d f g k l ll m n nd ng nk nt p r rd rk rm rn rt s sh ss st t th x z".split() + [""] * 14
_ALPHABETS = (
    "àâäáãåçéèêëíìîïñóòôöõúùûüýÿßæøœ",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "日本語文字漢字東京大阪北京中国上海你好世界项目测试文件数据用户名称设置",
    "アイウエオカキクケコサシスセソタチツテトナニヌネノ",
    "가나다라마바사아자차카타파하한국어",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "şğıçöüİřžščťďňěůłąężśćń",
)


def load_words() -> dict[str, list[str]]:
    """Keyed by the singular name templates use: noun, tech, verb, adjective, name, place.

    Three more are for names: particles and short forms (`withTax`, `toCfg`), and loaded words, which sound like a request.
    """
    names = {
        "nouns": "noun", "tech": "tech", "verbs": "verb", "adjectives": "adjective", "names": "name",
        "places": "place", "particles": "particle", "short": "short", "loaded": "loaded",
    }
    words = {name: (WORDS / f"{file}.txt").read_text(encoding="utf-8").split() for file, name in names.items()}
    words["num"] = [str(n) for n in (*range(2, 101), 120, 144, 255, 360, 365, 480, 512, 999, 1024, 3000, 4096, 12345)]
    return words


def invented_word(random: Random) -> str:
    syllables = 1 + int(random.random() * 3)
    return "".join(
        _ONSETS[int(random.random() * len(_ONSETS))]
        + _VOWELS[int(random.random() * len(_VOWELS))]
        + _CODAS[int(random.random() * len(_CODAS))]
        for _ in range(syllables)
    )


def foreign_word(random: Random) -> str:
    letters = _ALPHABETS[int(random.random() * len(_ALPHABETS))]
    length = 2 + int(random.random() * 6)
    word = "".join(letters[int(random.random() * len(letters))] for _ in range(length))
    if random.random() < 0.3:
        word = invented_word(random) + word[:2]
    return word
