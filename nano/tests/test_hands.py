import unittest

from nano.hands.check import load, names, problems


class Hands(unittest.TestCase):
    def test_form(self):
        self.assertEqual([text for name in names() for text in problems(name)], [])

    def test_count(self):
        self.assertGreaterEqual(len(names()), 12)
        self.assertGreaterEqual(sum(len(load(name)[1]) for name in names()), 6000)


if __name__ == "__main__":
    unittest.main()
