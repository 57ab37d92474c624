import { test } from "uvu";
import { checkCases } from "../cases.test-support.ts";

test("functions of objects", async () => {
	await checkCases(table);
});

const table = `
dict(a => 1, b => 2) → {"a": 1, "b": 2}
dict() → {}
dict([[a, 1], [b, 2]]) → {"a": 1, "b": 2}
dict([[a]]) → error TypeError: an object is made of pairs of a key and a value
dict([a]) → error TypeError: an object is made of pairs of a key and a value
dict(range(2).select([str($), $])) → {"0": 0, "1": 1}
isDict({}) → true
isDict([]) → false
{a => 1}.len() → 1
len({}) → 0
{a => 1, b => 2}.keys() → ["a", "b"]
{a => 1, b => 2}.values() → [1, 2]
{a => 1, b => 2}.items() → [["a", 1], ["b", 2]]
{a => 1, b => 2}.keys().len() → 2
{a => 1, b => 2}.keys()[0] → "a"
{a => 1, b => 2}.items()[1][1] → 2
{a => 1, b => 2}.items().select($[0] + str($[1])) → ["a1", "b2"]
{a => 1, b => 2}.values().sum() → 3
list({a => 1, b => 2}.keys()) → ["a", "b"]
{b => 1, a => 2}.keys().orderBy($) → ["a", "b"]
a in {a => 1}.keys() → true
[].keys() → error NoMatchingMethodException: No method "keys" for receiver of type list matches supplied arguments
keys({}) → error NoFunctionRegisteredException: Unknown function "keys"
{a => 1}.containsKey(a) → true
{a => 1}.containsKey(b) → false
{a => 1}.containsValue(1) → true
{a => [1]}.containsValue([1]) → true
{a => 1}.containsValue(2) → false
{a => 1}.set(b, 2) → {"a": 1, "b": 2}
{a => 1}.set(a, 2) → {"a": 2}
{a => 1}.set(b => 2, c => 3) → {"a": 1, "b": 2, "c": 3}
{a => 1}.set({b => 2}) → {"a": 1, "b": 2}
{a => 1}.set('x y', 2) → {"a": 1, "x y": 2}
{a => 1, b => 2, c => 3}.delete(a, c) → {"b": 2}
{a => 1}.delete(z) → {"a": 1}
{a => 1, b => 2}.deleteAll([a]) → {"b": 2}
[a, bb].toDict($) → {"a": "a", "bb": "bb"}
[a, bb].toDict($, $.len()) → {"a": 1, "bb": 2}
[{k => x, v => 1}].toDict($.k, $.v) → {"x": 1}
{a => 1, b => {c => 1}}.mergeWith({b => {d => 2}, e => 3}) → {"a": 1, "b": {"c": 1, "d": 2}, "e": 3}
{a => [1, 2]}.mergeWith({a => [2, 3]}) → {"a": [1, 2, 3]}
{a => [1]}.mergeWith({a => [2]}, $1 + $2) → {"a": [1, 2]}
{a => 1}.mergeWith({a => 5}, itemMerger => max($1, $2)) → {"a": 5}
{a => {b => 1, c => 1}}.mergeWith({a => {b => 2}}, maxLevels => 1) → {"a": {"b": 2}}
{a => 1}.mergeWith({a => {b => 1}}) → error TypeError: Cannot merge integer with object
{a => {}}.isEmpty() → false
{__proto__ => 1} → error YaqlLexicalException: Lexical error: illegal character '_' at position 1
{'__proto__' => 1} → {"__proto__": 1}
{'__proto__' => {x => 1}}.x → error Unable to resolve key 'x' from context.
{'__proto__' => 1}['__proto__'] → 1
{a => 1}.constructor → error Unable to resolve key 'constructor' from context.
{a => 1}.toString() → error NoMethodRegisteredException: Unknown method "toString" for receiver of type object
{}.hasOwnProperty → error Unable to resolve key 'hasOwnProperty' from context.
{1 => a}[1] → "a"
{1 => a}.get('1') → "a"
{null => a} → {"null": "a"}
{true => a} → {"true": "a"}
{[1] => a} → error TypeError: the key of an object must be a string, not list
`;

test.run();
