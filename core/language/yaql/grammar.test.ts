import { test } from "uvu";
import { checkCases } from "./cases.test-support.ts";

test("literals, operators, members, lambdas and what they may not be", async () => {
	await checkCases(table);
});

const table = String.raw`
1 → 1
-1 → -1
- 1 → -1
+5 → 5
--1 → 1
1.5 → 1.5
0.0 → 0
10.0 → 10
true → true
false → false
null → null
'single' → "single"
"double" → "double"
'tab\there' → "tab\there"
'quote \' in' → "quote ' in"
"\u00e9\x41\101" → "éAA"
'unknown \q escape' → "unknown \\q escape"
word → "word"
snake_word2 → "snake_word2"
'ünïcode' → "ünïcode"
[] → []
[1, [2, 'x'], null] → [1, [2, "x"], null]
{} → {}
{a => 1} → {"a": 1}
{'a b' => 1, c => [2]} → {"a b": 1, "c": [2]}
{a => 1, a => 2} → {"a": 2}
(1 + 2) * 3 → 9
1 + 2 * 3 → 7
2 * 3 + 1 → 7
10 - 3 - 2 → 5
100 / 10 / 2 → 5
7 / 2 → 3
-7 / 2 → -4
7 / -2 → -4
7.0 / 2 → 3.5
7 mod 3 → 1
-7 mod 3 → 2
7 mod -3 → -2
7.5 mod 2 → 1.5
2 * 3 mod 4 → 2
1 = 1 → true
1 = 1.0 → true
1 = '1' → false
true = 1 → true
null = null → true
null = 0 → false
[1, 2] = [1, 2] → true
[1, 2] = [2, 1] → false
{a => 1, b => 2} = {b => 2, a => 1} → true
{a => 1} = {a => 2} → false
1 != 2 → true
'a' != 'a' → false
[1] != null → true
1 < 2 → true
2 <= 2 → true
3 > 4 → false
4 >= 4 → true
1 < 1.5 → true
'a' < 'b' → true
'B' < 'a' → true
'abc' >= 'abd' → false
null < 1 → true
null < null → false
null <= null → true
1 > null → true
'' > null → true
[] > null → true
null >= false → false
1 < 'a' → error NoMatchingFunctionException: No function "#operator_<" matches supplied arguments
'a' > 1 → error NoMatchingFunctionException: No function "#operator_>" matches supplied arguments
true > false → error NoMatchingFunctionException: No function "#operator_>" matches supplied arguments
[1] < [2] → error NoMatchingFunctionException: No function "#operator_<" matches supplied arguments
1 in [1, 2] → true
3 in [1, 2] → false
[1] in [[1]] → true
'ell' in 'hello' → true
'' in '' → true
a in {a => 1} → error NoMatchingFunctionException: No function "#operator_in" matches supplied arguments
not true → false
not 0 → true
not '' → true
not [] → true
not null → true
not not 1 → true
not 1 = 2 → true
not 1 in [2] → true
1 and 2 → 2
0 and 2 → 0
0 or x → "x"
'' or null → null
1 or foo() → 1
0 and foo() → 0
true and false or true → true
1 = 2 or 2 = 2 and 1 = 1 → true
'a' + 'b' → "ab"
[1] + [2, 3] → [1, 2, 3]
{a => 1} + {b => 2, a => 3} → {"a": 3, "b": 2}
1 + 'a' → error NoMatchingFunctionException: No function "#operator_+" matches supplied arguments
'a' + 1 → error NoMatchingFunctionException: No function "#operator_+" matches supplied arguments
'a' + null → error NoMatchingFunctionException: No function "#operator_+" matches supplied arguments
[1] + 1 → error NoMatchingFunctionException: No function "#operator_+" matches supplied arguments
1.5 + 1 → 2.5
0.1 + 0.2 → 0.30000000000000004
'ab' * 3 → "ababab"
3 * 'ab' → "ababab"
'ab' * 0 → ""
'ab' * -1 → ""
[1, 2] * 2 → [1, 2, 1, 2]
2 * [1] → [1, 1]
'a' - 'b' → error NoMatchingFunctionException: No function "#operator_-" matches supplied arguments
1 / 0 → error ZeroDivisionError: integer division or modulo by zero
1.0 / 0 → error ZeroDivisionError: float division by zero
1 mod 0 → error ZeroDivisionError: integer division or modulo by zero
9007199254740991 + 0 → 9007199254740991
[10, 20, 30][0] → 10
[10, 20, 30][-1] → 30
[10, 20, 30][3] → error IndexError: list index out of range
[10, 20, 30][-4] → error IndexError: list index out of range
[10, 20, 30][1 > 0] → 20
[[1, 2], [3]][0][1] → 2
[1, 2]['a'] → error NoMatchingFunctionException: No function "#indexer" matches supplied arguments
{a => 1}[a] → 1
{a => 1}['a'] → 1
{a => 1}[b] → error Unable to resolve key 'b' from context.
{a => 1}[b, 5] → 5
{a => 1}[b, default => 6] → 6
{a => {b => 2}}.a.b → 2
{a => 1}.b → error Unable to resolve key 'b' from context.
{a => 1}.get(a) → 1
{a => 1}.get(b) → null
{a => 1}.get(b, c) → "c"
{a => null}.a?.b → null
{a => null}.a?.len() → null
null?.x.y → error NoFunctionRegisteredException: Unknown function "#property#y"
{a => 1}?.a → 1
[{a => 1}, {a => 2}].a → [1, 2]
[{a => {b => 1}}].a.b → [1]
[{a => 1}, {b => 2}].a → error Unable to resolve key 'a' from context.
[1].a → error NoFunctionRegisteredException: Unknown function "#property#a"
1.a → error NoFunctionRegisteredException: Unknown function "#property#a"
abc.x → error NoFunctionRegisteredException: Unknown function "#property#x"
null.x → error NoFunctionRegisteredException: Unknown function "#property#x"
$.x → error NoFunctionRegisteredException: Unknown function "#property#x"
$ → null
$1 → null
$nothing → null
let(1, 2) -> $1 + $2 → 3
let(x => 3, y => 4) -> $x * $y → 12
let(a => 1) -> let(b => 2) -> $a + $b → 3
let(a => 1) -> let(a => 2) -> $a → 2
with(5) -> $ + 1 → 6
[1, 2].unpack(a, b) -> $b - $a → 1
[1, 2].unpack() -> $2 → 2
[1, 2].unpack(a) -> $a → error ValueError: the list does not have as many elements as there are names (1)
1 -> 2 → error NoMatchingFunctionException: No function "#operator_->" matches supplied arguments
let(a => [1, 2, 3]) -> $a.select($ + 1).sum() → 9
[1, 2].select(let(outer => $) -> [10, 20].select($ + $outer)) → [[11, 21], [12, 22]]
[[1, 2], [3]].select($.select($ * 2)) → [[2, 4], [6]]
[1, 2, 3].where($ > 1).select($ * 2) → [4, 6]
[1, 2, 3].where($ > 1)[0] → 2
switch(1 > 2 => a, 2 > 1 => b) → "b"
switch(false => a) → null
switch(true => 1, foo() => 2) → 1
selectCase(false, true, foo()) → 1
selectCase(false, false) → 2
selectAllCases(true, false, 1) → [0, 2]
examine(1 = 1, 1 = 2) → [true, false]
1.switchCase(a, b, c) → "b"
5.switchCase(a, b, c) → "c"
-1.switchCase(a, b) → error NoMatchingFunctionException: No function "#unary_operator_-" matches supplied arguments
0.switchCase(a, foo()) → "a"
coalesce(null, null, 3, foo()) → 3
coalesce(null) → null
coalesce() → null
5.assert($ > 1) → 5
5.assert($ > 9) → error AssertionError: Assertion failed
5.assert($ > 9, 'too small') → error AssertionError: too small
bool(0) → false
bool(x) → true
isBoolean(true) → true
isBoolean(1) → false
foo() → error NoFunctionRegisteredException: Unknown function "foo"
foo(1).bar() → error NoFunctionRegisteredException: Unknown function "foo"
1.foo() → error NoMethodRegisteredException: Unknown method "foo" for receiver of type integer
len(1) → error NoMatchingFunctionException: No function "len" matches supplied arguments
len() → error NoMatchingFunctionException: No function "len" matches supplied arguments
len(a, b) → error NoMatchingFunctionException: No function "len" matches supplied arguments
len(string => abc) → 3
abc.len(1) → error NoMatchingMethodException: No method "len" for receiver of type string matches supplied arguments
abc.toUpper → error NoFunctionRegisteredException: Unknown function "#property#toUpper"
toUpper(abc) → error NoFunctionRegisteredException: Unknown function "toUpper"
1 + → error YaqlGrammarException: Parse error: unexpected end of statement
* 2 → error YaqlGrammarException: Parse error: unexpected '*' at position 0 of expression '* 2'
(1 → error YaqlGrammarException: Parse error: unexpected end of statement
[1 → error YaqlGrammarException: Parse error: unexpected end of statement
{a => 1 → error YaqlGrammarException: Parse error: unexpected end of statement
{a} → error YaqlGrammarException: Parse error: every value of an object needs a key
[a => 1] → error YaqlGrammarException: Parse error: a list cannot have keys
1 2 → error YaqlGrammarException: Parse error: unexpected '2' at position 2 of expression '1 2'
a b → error YaqlGrammarException: Parse error: unexpected 'b' at position 2 of expression 'a b'
__x → error YaqlLexicalException: Lexical error: illegal character '_' at position 0
a.__x → error YaqlLexicalException: Lexical error: illegal character '_' at position 2
$. → error YaqlGrammarException: Parse error: unexpected end of statement
'open → error YaqlLexicalException: Lexical error: illegal character ''' at position 0
1 ; 2 → error YaqlLexicalException: Lexical error: illegal character ';' at position 2
@ → error YaqlLexicalException: Lexical error: illegal character '@' at position 0
#x → error YaqlLexicalException: Lexical error: illegal character '#' at position 0
f(a => 1, 2) → error YaqlGrammarException: Parse error: unexpected ')' at position 11 of expression 'f(a => 1, 2)'
a -> → error YaqlGrammarException: Parse error: unexpected end of statement
=> 1 → error YaqlGrammarException: Parse error: unexpected '=>' at position 0 of expression '=> 1'
1 == 1 → error YaqlGrammarException: Parse error: unexpected '=' at position 3 of expression '1 == 1'
{a => 1}.a.b.c → error NoFunctionRegisteredException: Unknown function "#property#b"
abc.len().len() → error NoMatchingMethodException: No method "len" for receiver of type integer matches supplied arguments
`;

test.run();
