import {
	type Alias,
	type Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	type LineCounter,
	type Node,
	type Pair,
	Scalar,
	type YAMLMap,
} from "yaml";
import type { DefinitionFinding, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import { limits } from "./limits.ts";
import { shorten } from "./shorten.ts";
import type { WrittenForm, WrittenForms } from "./source-node.ts";

/** A value and its size, counting each repetition by an alias. */
interface MeasuredValue {
	readonly value: JsonValue;
	readonly values: number;
	readonly characters: number;
	readonly depth: number;
}

type Entries = Map<string, { readonly measured: MeasuredValue; readonly written: WrittenForm; readonly isMerged: boolean }>;

/** Ends reading, because the content of the document exceeds a limit or contains itself. */
class LimitExceeded extends Error {
	override readonly name = "LimitExceeded";
	readonly node: Node;

	constructor(node: Node, message: string) {
		super(message);
		this.node = node;
	}
}

/**
 * Converts a YAML document to JSON values. An alias yields the same object as its anchor. A short document that expands to billions of
 * values therefore costs nothing before it is refused.
 */
export class ValueReader {
	readonly written: WrittenForms = new WeakMap();
	readonly findings: DefinitionFinding[] = [];
	readonly #document: Document;
	readonly #lines: LineCounter;
	readonly #measuredNodes = new Map<Node, MeasuredValue>();
	readonly #openNodes = new Set<Node>();
	/** Nodes by anchor. The library would search the whole document for each alias. */
	readonly #anchors = new Map<string, Node>();
	readonly #entriesByObject = new WeakMap<object, Entries>();
	#mergedCount = 0;

	constructor(document: Document, lines: LineCounter) {
		this.#document = document;
		this.#lines = lines;
	}

	/** Returns the value of the document. Returns undefined, and adds a finding, if it exceeds a limit. */
	read(): JsonValue | undefined {
		if (this.#document.contents === null) return null;
		try {
			return this.#read(this.#document.contents as Node).value;
		} catch (error) {
			if (!(error instanceof LimitExceeded)) throw error;
			this.#report(error.node, error.message);
			return undefined;
		}
	}

	#read(node: Node | null): MeasuredValue {
		if (node === null) return measureScalar(null);
		const measuredBefore = this.#measuredNodes.get(node);
		if (measuredBefore !== undefined) return measuredBefore;
		if (!isAlias(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
		if (this.#openNodes.has(node)) throw new LimitExceeded(node, "An anchor contains an alias of itself.");
		if (this.#openNodes.size >= limits.depth)
			throw new LimitExceeded(node, `Objects and lists are nested more than ${limits.depth} levels deep.`);
		this.#openNodes.add(node);
		const measured = this.#readContent(node);
		this.#openNodes.delete(node);
		assertWithinLimits(node, measured);
		this.#measuredNodes.set(node, measured);
		return measured;
	}

	#readContent(node: Node): MeasuredValue {
		if (isAlias(node)) return this.#readAlias(node);
		if (isMap(node)) return this.#readObject(node);
		if (isSeq(node)) return this.#readList(node.items as Node[]);
		return this.#readScalar(node as Scalar);
	}

	#readAlias(alias: Alias): MeasuredValue {
		const target = this.#anchors.get(alias.source);
		if (target !== undefined) return this.#read(target);
		this.#report(alias, `The alias "${alias.source}" has no anchor before it.`);
		return measureScalar(null);
	}

	#readScalar(scalar: Scalar): MeasuredValue {
		return measureScalar((scalar.value ?? null) as JsonValue);
	}

	#readList(items: readonly Node[]): MeasuredValue {
		const elements = items.map((item) => this.#read(item));
		const list = elements.map(({ value }) => value);
		this.written.set(list, new Map(items.map((item, index) => [index, this.#toWrittenForm(item, item)])));
		return measureAll(list, elements);
	}

	#readObject(map: YAMLMap): MeasuredValue {
		const entries: Entries = new Map();
		for (const pair of map.items as Pair<Node | null, Node | null>[]) this.#readPair(pair, map, entries);
		const object = Object.fromEntries([...entries].map(([name, { measured }]) => [name, measured.value]));
		this.written.set(object, new Map([...entries].map(([name, { written }]) => [name, written])));
		this.#entriesByObject.set(object, entries);
		const parts = [...entries].map(([name, { measured }]) => ({ ...measured, characters: measured.characters + name.length }));
		return measureAll(object, parts);
	}

	#readPair({ key, value }: Pair<Node | null, Node | null>, map: YAMLMap, entries: Entries): void {
		if (isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN) return this.#merge(value, key, entries);
		const name = this.#readName(key, map);
		if (name === undefined) return;
		if (entries.get(name)?.isMerged === false) this.#report(key ?? map, `The key "${name}" occurs more than once in the same object.`);
		entries.set(name, { measured: this.#read(value), written: this.#toWrittenForm(key ?? map, value), isMerged: false });
	}

	/** Merges other objects into an object. Its own members win, wherever the merge key is; of several merged objects, the first one wins. */
	#merge(value: Node | null, key: Node, entries: Entries): void {
		const { value: source } = this.#read(value);
		for (const each of Array.isArray(source) ? source : [source]) {
			const merged = isObject(each) ? this.#entriesByObject.get(each) : undefined;
			if (merged === undefined) return this.#report(key, 'The key "<<" merges objects: its value must be an object or a list of objects.');
			this.#mergedCount += merged.size;
			if (this.#mergedCount > limits.values) throw new LimitExceeded(key, `More than ${limits.values} values are merged.`);
			for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, { ...entry, isMerged: true });
		}
	}

	#readName(key: Node | null, map: YAMLMap): string | undefined {
		if (isScalar(key)) {
			const { value, source } = key;
			if (key.anchor !== undefined) this.#anchors.set(key.anchor, key);
			if (typeof value === "string") return value;
			const kind = value === null ? "null" : `the ${typeof value} ${value}`;
			const name = source === undefined || source === "" ? String(value) : source;
			this.#report(key, `The key ${name} means ${kind} in YAML; put a key that is a string in quotes: "${name}".`);
			return name;
		}
		if (isAlias(key)) {
			const { value } = this.#read(key);
			if (typeof value === "string") return value;
		}
		this.#report(key ?? map, "A key must be a string; put a key that begins with a brace or bracket in quotes.");
		return undefined;
	}

	#toWrittenForm(node: Node, value: Node | null): WrittenForm {
		const isFloat = isScalar(value) && typeof value.value === "number" && /[.eE]/.test(value.source ?? "");
		return { line: this.#lineOf(node), isFloat };
	}

	#lineOf(node: Node): number {
		return this.#lines.linePos(node.range?.[0] ?? 0).line;
	}

	#report(node: Node, message: string): void {
		this.findings.push({ type: "syntax", message: shorten(message), spec_path: null, schema_path: null, line: this.#lineOf(node) });
	}
}

function measureScalar(value: JsonValue): MeasuredValue {
	return { value, values: 1, characters: typeof value === "string" ? value.length : 0, depth: 0 };
}

function measureAll(value: JsonValue, parts: readonly MeasuredValue[]): MeasuredValue {
	let [values, characters, depth] = [1, 0, 0];
	for (const part of parts) {
		values += part.values;
		characters += part.characters;
		depth = Math.max(depth, part.depth);
	}
	return { value, values, characters, depth: depth + 1 };
}

function assertWithinLimits(node: Node, { values, characters, depth }: MeasuredValue): void {
	if (depth > limits.depth) throw new LimitExceeded(node, `Objects and lists are nested more than ${limits.depth} levels deep.`);
	if (values > limits.values || characters > limits.characters)
		throw new LimitExceeded(
			node,
			`Including the contents of aliases, there are more than ${limits.values} values or ${limits.characters} characters.`,
		);
}
