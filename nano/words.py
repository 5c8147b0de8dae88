"""Words that the rules for sources go by: which say nothing, which are numbers."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """a after again all also an and any anything are as at be before by can could did do does done everything file files
    folder for from get give go has have here how i if in inside into is it its just let like look make me mine my need new not
    now of off on one open or our out over page please pls read run see show so some something take tell than that the their
    them then there these they thing this those to too u under up us use want was we what whats when where which who why will
    with word would you your""".split()
)

# What a number in the name of a file may be called.
NUMBERS: dict[str, int] = {
    **{
        word: at
        for words in (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
            "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
            "- january february march april may june july august september october november december",
            "- jan feb mar apr - jun jul aug sep oct nov dec",
            "- 1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th 21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st",
        )
        for at, word in enumerate(words.split())
        if word != "-"
    },
    **{word: 10 * at for at, word in enumerate("thirty forty fifty sixty seventy eighty ninety hundred".split(), 3)},
    **{str(number): number for number in range(1, 100)},
}  # fmt: skip
