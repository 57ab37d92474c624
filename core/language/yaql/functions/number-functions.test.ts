import { test } from "uvu";
import { checkCases } from "../cases.test-support.ts";

test("functions of numbers", async () => {
	await checkCases(table);
});

const table = `
int('5') → 5
int(' -12 ') → -12
int(5.9) → 5
int(-5.9) → -5
int(null) → 0
int(true) → 1
int('5.5') → error ValueError: the text is not an integer
int(abc) → error ValueError: the text is not an integer
int([]) → error TypeError: a string or a number is required, not list
float('1.5') → 1.5
float(2) → 2
float('1e3') → 1000
float(null) → 0
float(x) → error ValueError: the text is not a number
isInteger(1) → true
isInteger(1.0) → false
isInteger(true) → false
isInteger('1') → false
isNumber(1.5) → true
isNumber('1') → false
isNumber(true) → false
abs(-5) → 5
abs(-1.5) → 1.5
abs(x) → error NoMatchingFunctionException: No function "abs" matches supplied arguments
sign(-3) → -1
sign(0) → 0
sign(2.5) → 1
max(1, 2) → 2
max(b, a) → "b"
max(null, 1) → 1
max(1, a) → error NoMatchingFunctionException: No function "#operator_>" matches supplied arguments
min(1, 2) → 1
min(1.5, 1) → 1
round(2.5) → 2
round(3.5) → 4
round(-2.5) → -2
round(2.567, 2) → 2.57
round(2.675, 2) → 2.67
round(1234, -2) → 1200
round(1250, -2) → 1200
round(7) → 7
pow(2, 10) → 1024
pow(2, -1) → 0.5
pow(2.0, 3) → 8
pow(3, 4, 5) → 1
pow(2, 3, -5) → -2
pow(2, 100) → 1267650600228229401496703205376
pow(10, 1001) → error OverflowError: the result has too many digits
pow(0, -1) → error ZeroDivisionError: 0 cannot be raised to a negative power
9007199254740991 + 2 → 9007199254740993
-9007199254740993 - 2 → -9007199254740995
9007199254740993 - 2 → 9007199254740991
9007199254740993 / 2 → 4503599627370496
-9007199254740993 / 2 → -4503599627370497
-9007199254740993 mod 10 → 7
9007199254740993 > 9007199254740992 → true
9007199254740993 = 9007199254740992 → false
9007199254740993 = 9007199254740993 → true
abs(-9007199254740993) → 9007199254740993
int('9007199254740993') → 9007199254740993
str(9007199254740993) → "9007199254740993"
max(9007199254740992, 9007199254740993) → 9007199254740993
round(9007199254740995, -1) → 9007199254741000
isInteger(9007199254740993) → true
[9007199254740993, 9007199254740992, 9007199254740993].distinct() → [9007199254740993, 9007199254740992]
dict(9007199254740993 => 1).get(9007199254740993) → 1
hex(9007199254740993) → "0x20000000000001"
bitwiseAnd(9007199254740993, 3) → 1
9007199254740993 * 3 → 27021597764222979
99999999999999999999 → 99999999999999999999
bitwiseAnd(12, 10) → 8
bitwiseOr(12, 10) → 14
bitwiseXor(12, 10) → 6
bitwiseNot(5) → -6
bitwiseAnd(-1, 255) → 255
shiftBitsLeft(1, 10) → 1024
shiftBitsRight(1024, 3) → 128
shiftBitsRight(-8, 1) → -4
shiftBitsLeft(1, -1) → error ValueError: negative shift count
shiftBitsLeft(1, 100) → 1267650600228229401496703205376
shiftBitsLeft(1, 9999) → error OverflowError: the result has too many digits
random() < 1 → true
random(5, 5) → 5
random(1, 3) in [1, 2, 3] → true
random(3, 1) → error ValueError: the range is empty
`;

test.run();
