import { test } from "uvu";
import { checkCases } from "../cases.test-support.ts";

test("functions of lists", async () => {
	await checkCases(table);
});

const table = `
list(1, 2) → [1, 2]
list() → []
list(range(3)) → [0, 1, 2]
list([1, 2]) → [[1, 2]]
list([1], range(2)) → [[1], 0, 1]
isList([]) → true
isList({}) → false
isList(abc) → false
len([1, 2]) → 2
[1, 2].len() → 2
range(4).len() → 4
[1, 2].count() → 2
[].isEmpty() → true
[1].isEmpty() → false
range(3).toList() → [0, 1, 2]
[1, 1, 2].toSet() → [1, 2]
set(1, 2, 1) → [1, 2]
[1].memorize() → [1]
[1, 2].contains(2) → true
[1, 2].contains(5) → false
[[1]].contains([1]) → true
any([]) → false
[0].any() → true
[1, 2].any($ > 1) → true
[1, 2].any($ > 5) → false
all([]) → true
[0, 1].all() → false
[1, 2].all($ > 0) → true
[1, 2].all($ > 1) → false
[1, 2, 3].sum() → 6
[a, b].sum() → "ab"
[[1], [2]].sum() → [1, 2]
[].sum() → error TypeError: the total of an empty list needs an initial value
[].sum(0) → 0
[1].sum(10) → 11
[1, 5, 3].max() → 5
[1, 5, 3].min() → 1
[b, a].min() → "a"
[].max(0) → 0
[].max() → error TypeError: the total of an empty list needs an initial value
[1, a].max() → error NoMatchingFunctionException: No function "#operator_>" matches supplied arguments
[1, 2].first() → 1
[].first() → error StopIteration: the list is empty
[].first(null) → null
[].first(5) → 5
[1, 2].last() → 2
[].last() → error StopIteration: the list is empty
[].last(x) → "x"
range(5).last() → 4
[7].single() → 7
[].single() → error StopIteration: the list is empty
[1, 2].single() → error StopIteration: Collection contains more than one item
[1, 2, 1].indexOf(1) → 0
[1, 2, 1].indexOf(5) → -1
[1, 2, 1].lastIndexOf(1) → 2
[1, 2, 3].indexWhere($ > 1) → 1
[1, 2].indexWhere($ > 9) → -1
[1, 2, 3].lastIndexWhere($ < 3) → 1
[1, 2, 3].aggregate($1 + $2) → 6
[1, 2, 3].aggregate($1 + $2, 10) → 16
[].aggregate($1 + $2) → error TypeError: the total of an empty list needs an initial value
[].aggregate($1 + $2, 0) → 0
[1, 2, 3].reduce($1 * $2) → 6
[1, 2, 3].accumulate($1 + $2) → [1, 3, 6]
[1, 2, 3].accumulate($1 + $2, 10) → [10, 11, 13, 16]
[].accumulate($1, 5) → [5]
[].accumulate($1 + $2) → error TypeError: accumulate() of empty sequence with no initial value
[1, 2, 3].groupBy($ mod 2) → [[1, [1, 3]], [0, [2]]]
[a, bb, cc].groupBy($.len(), $.toUpper()) → [[1, ["A"]], [2, ["BB", "CC"]]]
[[a, 1], [b, 2], [a, 3]].groupBy($[0], $[1], $.sum()) → [["a", 4], ["b", 2]]
[].groupBy($) → []
[1, [2, [3, []]]].flatten() → [1, 2, 3]
[].flatten() → []
[{a => [1]}].flatten() → [{"a": [1]}]
[1, 2, 3].where($ > 1) → [2, 3]
[1, 2, 3].filter($ > 1) → [2, 3]
[1, 2].where(false) → []
{a => 1}.where($) → error NoMatchingMethodException: No method "where" for receiver of type object matches supplied arguments
abc.where($) → error NoMatchingMethodException: No method "where" for receiver of type string matches supplied arguments
[1, 2].select($ + 1) → [2, 3]
[1, 2].map($ + 1) → [2, 3]
[1, 2].select([$, $]) → [[1, 1], [2, 2]]
[1].select(x) → ["x"]
[1, 2].selectMany([$, $]) → [1, 1, 2, 2]
[[1], [2, 3]].selectMany($) → [1, 2, 3]
[1, 2].selectMany($) → [1, 2]
[1, 2, 3].skip(1) → [2, 3]
[1].skip(5) → []
[1, 2, 3].limit(2) → [1, 2]
[1].limit(0) → []
[1, 2, 3].take(1) → [1]
[1].limit(-1) → error ValueError: the number of elements must not be negative
[1, 2, 3, 1].takeWhile($ < 3) → [1, 2]
[1, 2, 3, 1].skipWhile($ < 3) → [3, 1]
[1].append(2, 3) → [1, 2, 3]
append([1], 2) → [1, 2]
[1].append() → [1]
[1].concat([2], [3]) → [1, 2, 3]
concat([1], [2]) → [1, 2]
[1, 2, 1].distinct() → [1, 2]
distinct([1, 1]) → [1]
[1, 2, 3].distinct($ mod 2) → [1, 2]
[{a => 1}, {a => 1}].distinct() → [{"a": 1}]
[1, 1.0, true].distinct() → [1]
[a, b].enumerate() → [[0, "a"], [1, "b"]]
[a, b].enumerate(1) → [[1, "a"], [2, "b"]]
enumerate([a]) → [[0, "a"]]
[1, 2].zip([a, b]) → [[1, "a"], [2, "b"]]
[1, 2, 3].zip([a], [true]) → [[1, "a", true]]
[1, 2].zipLongest([a]) → [[1, "a"], [2, null]]
[1, 2].zipLongest([a], default => x) → [[1, "a"], [2, "x"]]
[1, 2].join([2, 3], $1 = $2, [$1, $2]) → [[2, 2]]
[1, 2].join([10, 20], true, $1 + $2) → [11, 21, 12, 22]
[1, 3].insert(1, 2) → [1, 2, 3]
[1].insert(5, 2) → [1, 2]
[1, 2].insert(-1, x) → [1, "x", 2]
[1, 4].insertMany(1, [2, 3]) → [1, 2, 3, 4]
[1, 2, 3].delete(1) → [1, 3]
[1, 2, 3, 4].delete(1, 2) → [1, 4]
[1, 2, 3].delete(1, -1) → [1]
[1, 2, 3].delete(9) → [1, 2, 3]
[1, 2, 3].replace(1, x) → [1, "x", 3]
[1, 2, 3].replace(0, x, 2) → ["x", 3]
[1, 2, 3].replace(1, x, -1) → [1, "x"]
[1, 2, 3].replaceMany(1, [a, b]) → [1, "a", "b", 3]
[1, 2, 3].replaceMany(0, [a, b], 2) → ["a", "b", 3]
[].defaultIfEmpty([1]) → [1]
[2].defaultIfEmpty([1]) → [2]
range(3) → [0, 1, 2]
range(1, 4) → [1, 2, 3]
range(0, 10, 5) → [0, 5]
range(3, 0, -1) → [3, 2, 1]
range(3, 0) → []
range(0) → []
range(0, 1, 0) → error ValueError: range() arg 3 must not be zero
range(a) → error NoMatchingFunctionException: No function "range" matches supplied arguments
sequence().limit(3) → [0, 1, 2]
sequence(5, 2).limit(3) → [5, 7, 9]
sequence(0, -1).limit(3) → [0, -1, -2]
sequence().where($ mod 2 = 1).limit(2) → [1, 3]
sequence().takeWhile($ < 3) → [0, 1, 2]
sequence().first() → 0
x.repeat(3) → ["x", "x", "x"]
x.repeat().limit(2) → ["x", "x"]
[1].repeat(2) → [[1], [1]]
x.repeat(0) → []
[1, 2].cycle().limit(5) → [1, 2, 1, 2, 1]
[].cycle() → []
generate(1, $ < 20, $ * 2) → [1, 2, 4, 8, 16]
generate(1, $ < 20, $ * 2, $ + 1) → [2, 3, 5, 9, 17]
generate(1, true, 3 - $, decycle => true) → [1, 2]
generateMany(1, switch($ < 3 => [$ + 1], true => [])) → [1, 2, 3]
generateMany(1, switch($ < 4 => [$ * 2, $ * 2 + 1], true => []), depthFirst => true) → [1, 2, 4, 5, 3, 6, 7]
generateMany(1, switch($ < 4 => [$ * 2, $ * 2 + 1], true => [])) → [1, 2, 3, 4, 5, 6, 7]
[3, 1, 2].orderBy($) → [1, 2, 3]
[3, 1, 2].orderByDescending($) → [3, 2, 1]
[b, a].orderBy($) → ["a", "b"]
[{n => 2}, {n => 1}].orderBy($.n) → [{"n": 1}, {"n": 2}]
[[1, b], [2, a], [1, a]].orderBy($[0]).thenBy($[1]) → [[1, "a"], [1, "b"], [2, "a"]]
[[1, b], [2, a], [1, a]].orderBy($[0]).thenByDescending($[1]) → [[1, "b"], [1, "a"], [2, "a"]]
[[1, b], [2, a], [1, a]].orderByDescending($[0]).thenBy($[1]) → [[2, "a"], [1, "a"], [1, "b"]]
[1].thenBy($) → error NoMatchingMethodException: No method "thenBy" for receiver of type list matches supplied arguments
[1, a].orderBy($) → error NoMatchingFunctionException: No function "#operator_<" matches supplied arguments
[null, 1].orderBy($) → [null, 1]
[1, 2, 3].reverse() → [3, 2, 1]
range(3).reverse() → [2, 1, 0]
[1, 2, 3, 4, 5].slice(2) → [[1, 2], [3, 4], [5]]
[].slice(2) → []
[1, 2, 3].splitAt(1) → [[1], [2, 3]]
[1, 2].splitAt(-1) → [[1], [2]]
[1, 0, 2, 3, 0].splitWhere($ = 0) → [[1], [2, 3]]
[1, 2, 10, 20, 3].sliceWhere($ > 5) → [[1, 2], [10, 20], [3]]
set(1, 2).union(set(2, 3)) → [1, 2, 3]
set(1, 2).intersect(set(2, 3)) → [2]
set(1, 2).difference(set(2, 3)) → [1]
set(1, 2).symmetricDifference(set(2, 3)) → [1, 3]
set(1).add(2, 1) → [1, 2]
set(1, 2).remove(1) → [2]
isIterable([]) → true
isIterable(a) → false
`;

test.run();
