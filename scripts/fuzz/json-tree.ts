/** JSON as it is sent, with what no value of the language can hold: a number of any size, a key twice, text that is no JSON. */
export type JsonTree = null | boolean | number | string | readonly JsonTree[] | Fields | Raw;

/** An object, whose keys may repeat. */
export interface Fields {
	readonly fields: readonly Field[];
}
export type Field = readonly [key: string, value: JsonTree];

/** What stands in the body as it is. */
export interface Raw {
	readonly raw: string;
}

/** A place in a tree: an index at each level, of a field or of an item. */
export type Place = readonly number[];

/** The tree of a value; undefined members are left out. */
export function toTree(value: unknown): JsonTree {
	if (Array.isArray(value)) return value.map(toTree);
	if (typeof value !== "object" || value === null) return value as JsonTree;
	if (isTree(value)) return value;
	return { fields: Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, toTree(member)] as const])) };
}

function isTree(value: object): value is Fields | Raw {
	return "raw" in value || ("fields" in value && Array.isArray(value.fields));
}

export function toText(tree: JsonTree): string {
	if (typeof tree !== "object" || tree === null) return JSON.stringify(tree);
	if ("raw" in tree) return tree.raw;
	if ("fields" in tree) return `{${tree.fields.map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`).join(",")}}`;
	return `[${tree.map(toText).join(",")}]`;
}

/** Every place of a tree, the root first. */
export function findPlaces(tree: JsonTree, base: Place = []): readonly Place[] {
	return [base, ...toChildren(tree).flatMap((child, index) => findPlaces(child, [...base, index]))];
}

export function getAt(tree: JsonTree, place: Place): JsonTree {
	return place.reduce((node, index) => toChildren(node)[index] ?? null, tree);
}

/** The tree with something else at a place. */
export function replaceAt(tree: JsonTree, [index, ...rest]: Place, replacement: JsonTree): JsonTree {
	if (index === undefined) return replacement;
	const inner = (child: JsonTree | undefined) => replaceAt(child ?? null, rest, replacement);
	if (isFields(tree)) return { fields: tree.fields.map((field, at) => (at === index ? [field[0], inner(field[1])] : field)) };
	return Array.isArray(tree) ? (tree as readonly JsonTree[]).map((item, at) => (at === index ? inner(item) : item)) : tree;
}

/** The tree with other fields or items in the object or array that holds a place; the root is held by nothing. */
export function changeAround(tree: JsonTree, place: Place, change: (fields: Field[], index: number) => void): JsonTree {
	const holder = place.slice(0, -1);
	const index = place.at(-1);
	if (index === undefined) return tree;
	const node = getAt(tree, holder);
	const fields: Field[] = isFields(node) ? [...node.fields] : toChildren(node).map((item) => ["", item]);
	change(fields, index);
	return replaceAt(tree, holder, isFields(node) ? { fields } : fields.map(([, item]) => item));
}

export function isFields(tree: JsonTree): tree is Fields {
	return typeof tree === "object" && tree !== null && "fields" in tree;
}

function toChildren(tree: JsonTree): readonly JsonTree[] {
	if (isFields(tree)) return tree.fields.map(([, value]) => value);
	return Array.isArray(tree) ? (tree as readonly JsonTree[]) : [];
}
