import { test } from "uvu";
import { checkCases } from "../cases.test-support.ts";

test("functions of texts and regular expressions", async () => {
	await checkCases(table);
});

const table = String.raw`
len(abc) → 3
abc.len() → 3
len('') → 0
len('héé🦊') → 4
str(1) → "1"
str(1.0) → "1.0"
str(1.5) → "1.5"
str(true) → "true"
str(null) → "null"
str(abc) → "abc"
str([1, 'x', null, true]) → "[1, 'x', None, True]"
str({a => 1}) → "{'a': 1}"
concat(a, b, c) → "abc"
concat() → ""
concat(a, 1) → error NoMatchingFunctionException: No function "concat" matches supplied arguments
isString(a) → true
isString(1) → false
hex(255) → "0xff"
hex(-16) → "-0x10"
hex(1.5) → error TypeError: a float has no hexadecimal form
abc.toUpper() → "ABC"
'Äb'.toUpper() → "ÄB"
ABC.toLower() → "abc"
1.toUpper() → error NoMatchingMethodException: No method "toUpper" for receiver of type integer matches supplied arguments
'  a b '.trim() → "a b"
xxaxx.trim(x) → "a"
'  a '.trimLeft() → "a "
'  a '.trimRight() → "  a"
xxaxx.trimLeft(x) → "axx"
xyayx.trimRight(xy) → "xya"
norm('  ') → null
norm(' a ') → "a"
norm(null) → null
' '.norm() → null
isEmpty('') → true
isEmpty('  ') → true
isEmpty('  ', false) → false
isEmpty('  ', trim => false) → false
isEmpty(null) → true
isEmpty(a) → false
''.isEmpty() → true
isEmpty(xx, true, x) → true
isEmpty(1) → error NoMatchingFunctionException: No function "isEmpty" matches supplied arguments
'a b  c'.split() → ["a", "b", "c"]
'a,b,,c'.split(',') → ["a", "b", "", "c"]
'a,b,c'.split(',', 1) → ["a", "b,c"]
'a b c'.split(null, 1) → ["a", "b c"]
' a  b c '.split(maxSplits => 1) → ["a", "b c "]
'a,b'.split('') → error ValueError: empty separator
''.split() → []
''.split(',') → [""]
'a,b,c'.rightSplit(',', 1) → ["a,b", "c"]
'a b c'.rightSplit(null, 1) → ["a b", "c"]
'a b c'.rightSplit() → ["a", "b", "c"]
[a, b].join('-') → "a-b"
'-'.join([a, b]) → "a-b"
[1, null, true, 1.5].join(',') → "1,null,true,1.5"
[].join(',') → ""
[a, [1]].join(',') → "a,[1]"
range(3).join('') → "012"
aXbX.replace(X, y) → "ayby"
aXbX.replace(X, y, 1) → "aybX"
aXbX.replace(X, y, 0) → "aXbX"
abc.replace('', '-') → "-a-b-c-"
abc.replace({a => 1, b => null}) → "1nullc"
abcdef.substring(2) → "cdef"
abcdef.substring(2, 3) → "cde"
abcdef.substring(-2) → "ef"
abcdef.substring(-3, 2) → "de"
abcdef.substring(10) → ""
'h🦊llo'.substring(1, 1) → "🦊"
abcabc.indexOf(b) → 1
abcabc.indexOf(b, 2) → 4
abcabc.indexOf(z) → -1
abcabc.indexOf(c, 0, 2) → -1
abcabc.indexOf(c, -2) → 5
abcabc.lastIndexOf(b) → 4
abcabc.lastIndexOf(z) → -1
abcabc.lastIndexOf(b, 0, 3) → 1
abc.toCharArray() → ["a", "b", "c"]
abc.startsWith(a) → true
abc.startsWith(b, a) → true
abc.startsWith(b) → false
abc.endsWith(c) → true
abc.endsWith(b, bc) → true
abc.endsWith() → false
regex('a+').matches(caat) → true
regex('^a').matches(ba) → false
'caat'.matches('a{2}') → true
'x1' =~ '\\d' → true
'x1' =~ regex('[a-z]\\d') → true
'x1' !~ '\\d' → false
'x1' !~ regex('z') → true
1 =~ 'a' → error NoMatchingFunctionException: No function "#operator_=~" matches supplied arguments
regex('B', true).matches(abc) → true
regex('B', ignoreCase => true).matches(abc) → true
regex('^b', multiLine => true).matches("a\nb") → true
regex('a.b', dotAll => true).matches("a\nb") → true
regex('(\\d+)').search('ab 12 3') → "12"
regex('z').search(abc) → null
regex('(\\w)(\\d)').search('xa1', $) → {"value": "a1", "start": 1, "end": 3}
regex('(\\w)(\\d)').search('xa1', $3.value) → "1"
regex('(\\w)(\\d)').search('xa1', [$.start, $2.start, $3.end]) → [1, 1, 3]
regex('\\d').searchAll('1a2b3') → ["1", "2", "3"]
regex('(\\d)').searchAll('1a2b3', int($.value) * 2) → [2, 4, 6]
regex(',').split('a,b,c') → ["a", "b", "c"]
regex('(,)').split('a,b') → ["a", ",", "b"]
regex(',').split('a,b,c', 1) → ["a", "b,c"]
'a1b2'.split(regex('\\d')) → ["a", "b", ""]
regex('\\d').replace('a1b2', '#') → "a#b#"
regex('\\d').replace('a1b2', '#', 1) → "a#b2"
'a1b2'.replace(regex('(\\d)'), '<\\1>') → "a<1>b<2>"
'ab'.replace(regex('(a)(b)'), '\\2\\1') → "ba"
'ab'.replace(regex('(?P<x>a)'), '[\\g<x>]') → "[a]b"
regex('\\d').replaceBy('a1b2', str(int($.value) + 1)) → "a2b3"
'a1b2'.replaceBy(regex('\\d'), '<' + $.value + '>') → "a<1>b<2>"
'a1b2'.replaceBy(regex('\\d'), x, 1) → "axb2"
isRegex(regex(a)) → true
isRegex(a) → false
escapeRegex('a.b*c') → "a\\.b\\*c"
regex(a) → error TypeError: a regex cannot be stored as a value
`;

test.run();
