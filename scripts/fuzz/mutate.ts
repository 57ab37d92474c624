import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import { deepValues, hostileNames, hostileValues } from "./hostile.ts";
import { changeAround, findPlaces, getAt, isFields, type JsonTree, type Place, replaceAt } from "./json-tree.ts";

type Mutation = (random: Random, tree: JsonTree, place: Place) => JsonTree;

/** One change somewhere in a tree. */
export function mutate(random: Random, tree: JsonTree): JsonTree {
	return pick(random, mutations)(random, tree, pick(random, findPlaces(tree)));
}

const replace: Mutation = (random, tree, place) => replaceAt(tree, place, pick(random, hostileValues));

const mutations: readonly Mutation[] = [
	replace,
	replace,
	replace,
	function removeMember(_random, tree, place) {
		return changeAround(tree, place, (fields, index) => void fields.splice(index, 1));
	},
	function repeatMember(random, tree, place) {
		return changeAround(tree, place, (fields, index) => {
			const field = fields[index];
			if (field !== undefined) fields.push([field[0], pick(random, hostileValues)]);
		});
	},
	function renameMember(random, tree, place) {
		return changeAround(tree, place, (fields, index) => {
			const field = fields[index];
			if (field !== undefined) fields[index] = [pick(random, hostileNames), field[1]];
		});
	},
	function addMember(random, tree, place) {
		const node = getAt(tree, place);
		if (!isFields(node)) return replaceAt(tree, place, [node]);
		return replaceAt(tree, place, { fields: [...node.fields, [pick(random, hostileNames), pick(random, hostileValues)]] });
	},
	function changeType(_random, tree, place) {
		const node = getAt(tree, place);
		if (isFields(node))
			return replaceAt(
				tree,
				place,
				node.fields.map(([, value]) => value),
			);
		return replaceAt(tree, place, { fields: [["0", node]] });
	},
	function nest(random, tree, place) {
		return replaceAt(tree, place, pick(random, deepValues));
	},
	function lengthen(random, tree, place) {
		const node = getAt(tree, place);
		return replaceAt(tree, place, typeof node === "string" ? `${node}${String(pick(random, hostileNames))}` : [node, node, node]);
	},
];

/** Bytes that are no JSON any more, or no text. */
export function breakBytes(random: Random, text: string): Buffer {
	const bytes = Buffer.from(text);
	const at = random(bytes.length + 1);
	const insert = (piece: Buffer) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
	const ways: readonly (() => Buffer)[] = [
		() => bytes.subarray(0, at),
		() => insert(Buffer.from([0xff, 0xc0, 0xaf])),
		() => insert(Buffer.from([0xed, 0xa0, 0x80])),
		() => insert(Buffer.from([0])),
		() => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
		() => Buffer.from(text, "utf16le"),
		() => Buffer.concat([bytes, bytes]),
		() => insert(Buffer.from(pick(random, ["{", "}", "]", '"', ",", "\\u12", "//", "NaN"]))),
	];
	return pick(random, ways)();
}
