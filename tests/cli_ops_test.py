"""What the axiscast command says of ops: those that it has, and those that it does not have yet. usage: cli_ops_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import re

import numpy as np

import cli

# Every op that the command is to know one day, by canonical name.
KNOWN = """add subtract multiply divide true_divide floor_divide remainder fmod pow maximum minimum fmax fmin atan2 hypot copysign nextafter
    heaviside logaddexp gcd lcm ldexp squared_difference equal not_equal less less_equal greater greater_equal isclose equal_paddle
    not_equal_paddle logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not left_shift right_shift
    logical_right_shift negative abs sign sqrt rsqrt reciprocal square cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan
    sinh cosh tanh asinh acosh atanh erf erfc lgamma digamma floor ceil round trunc frac isnan isinf isfinite signbit cast relu relu6
    leaky_relu prelu elu celu selu sigmoid log_sigmoid silu mish gelu gelu_tanh softplus softsign hardswish hardsigmoid hardtanh hardshrink
    softshrink thresholded_relu where clip fma lerp addcmul addcdiv gather scatter scatter_add sum_to broadcast_to""".split()

# Names of other libraries for some that are missing.
ALIASES = {"elementwise_pow": "pow", "Pow": "pow", "power": "pow", "elementwise_heaviside": "heaviside", "Exp": "exp", "Log": "log", "Tanh": "tanh",
           "Sigmoid": "sigmoid", "arctan2": "atan2", "arcsin": "asin", "Erf": "erf", "LeakyRelu": "leaky_relu", "PRelu": "prelu", "Gelu": "gelu",
           "swish": "silu", "HardSwish": "hardswish", "Cast": "cast"}


class Counts(cli.CommandTest):
    def test_info_and_ops_count_alike(self):
        ops = self.accepted("ops", "--json").json
        count, gradients = len(ops), sum(op["gradient"] for op in ops)
        self.assertIn(f"\n{count} operators, and NAME_grad for the {gradients} that have gradients", self.accepted("ops").stdout)
        info = self.accepted("info", "--json").json
        self.assertEqual((info["ops"], info["gradients"]), (count, gradients))
        self.assertRegex(self.accepted("info").stdout, rf"\noperators +{count}, and the gradients of {gradients} of them\n")


class DTypes(cli.CommandTest):
    def test_results_of_another_dtype_are_told(self):
        story = " ".join(self.accepted("ops", "true_divide").stdout.split())
        self.assertIn("(T, T) -> T for T = float16, bfloat16, float32, float64; (T, T) -> float32 for T = int8, int16, ", story)
        self.assertIn("(T, T) -> bool for T = bool, int8, ", " ".join(self.accepted("ops", "less").stdout.split()))


class NotOffered(cli.CommandTest):
    def setUp(self):
        super().setUp()
        np.save("x.npy", np.arange(3, dtype="f4"))

    def answers(self, name):
        """What is said of a name wherever an op can be named."""
        out = ["-o", "out.npy"]
        for args in (["ops", name], ["run", name, "x.npy", *out], ["run", f"add({name}(x), 1)", "x.npy", *out], ["explain", name, "3"],
                     ["explain", f"add(1, abs( {name} (x)))", "3"]):
            yield self.refused(args, 1, "kUnsupported")

    def test_every_known_op_is_there_or_said_to_be_missing(self):
        names = [op["name"] for op in self.accepted("ops", "--json").json]
        self.assertLessEqual(set(names), set(KNOWN))
        missing = [name for name in KNOWN if name not in names]
        for name in missing:
            self.refused(["ops", name], 1, "kUnsupported", f'the op "{name}" is not offered by this build; ')
        listed = re.search(r"\nNot offered by this build: ([^.]*)\.\n\Z", self.accepted("ops").stdout)
        self.assertEqual(listed.group(1).split(), missing)

    def test_one_answer_for_all_names_everywhere(self):
        for name, canonical in [("exp", "exp"), ("pow", "pow"), *ALIASES.items()]:
            for typed, near, far in ((name, "elementwise_mod", ""), (name + "_grad", "sqrt_grad", " multiply,")):
                said = f" ({canonical})" if typed != canonical else ""
                for answer in self.answers(typed):
                    self.assertTrue(answer.startswith(f'the op "{typed}"{said} is not offered by this build; there are: '), answer)
                    self.assertIn(near, answer)
                    if far:
                        self.assertNotIn(far, answer)
        self.refused(["ops", "elementwise_pow"], 1, "kUnsupported", "there are: elementwise_mod, elementwise_add")  # near ones first

    def test_other_wrong_names_are_still_told_apart(self):
        self.refused(["ops", "exq"], 1, "kUnknownName", 'there is no op "exq"')
        self.refused(["run", "add(exq(x), 1)", "x.npy", "-o", "out.npy"], 1, "kUnknownName", 'there is no op "exq"')
        self.refused(["ops", "less_grad"], 1, "kUnsupported", "the op less has no gradient")
        self.accepted("run", "add(exp, 1)", "x.npy", "-o", "out.npy")  # the name of an input


if __name__ == "__main__":
    cli.main()
