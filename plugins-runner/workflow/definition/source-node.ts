import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";

/** Line and notation of a member or an element in the source. */
export interface WrittenForm {
	/** Line of the source, from 1. */
	readonly line: number;
	/** True for a number that is written with a point, such as 2.0. */
	readonly isFloat: boolean;
}

/** Lines and notations of the members and elements, by the object or list that contains them. */
export type WrittenForms = WeakMap<object, ReadonlyMap<string | number, WrittenForm>>;

/** Link from a location to one directly below it. */
interface Link {
	readonly from: SourceNode;
	readonly token: string | number;
	/** Path from the schema of the upper location to that of the lower one; empty if both have the same schema. */
	readonly schemaPart: string;
}

/**
 * Location in a definition, with its value if there is one. Most properties are computed on access, because thousands of these are made.
 */
export class SourceNode {
	/** Value at the location; undefined if there is none. */
	readonly value: JsonValue | undefined;
	readonly #written: WrittenForms;
	readonly #link: Link | undefined;

	private constructor(value: JsonValue | undefined, written: WrittenForms, link?: Link) {
		this.value = value;
		this.#written = written;
		this.#link = link;
	}

	static top(value: JsonValue, written: WrittenForms): SourceNode {
		return new SourceNode(value, written);
	}

	/** Path such as `tasks.task2.next[0].when`; empty at the top. */
	get path(): string {
		if (this.#link === undefined) return "";
		const { from, token } = this.#link;
		if (typeof token === "number") return `${from.path}[${token}]`;
		return from.#link === undefined ? token : `${from.path}.${token}`;
	}

	/** Path of the location's schema in the schema of definitions. */
	get schemaPath(): string {
		if (this.#link === undefined) return "";
		return [this.#link.from.schemaPath, this.#link.schemaPart].filter((part) => part !== "").join(".");
	}

	/** Line of the value; if there is none, the line of the object or list that would contain it. */
	get line(): number {
		return this.#writtenForm?.line ?? this.#link?.from.line ?? 1;
	}

	get isFloat(): boolean {
		return this.#writtenForm?.isFloat ?? false;
	}

	/** Returns the location of a property that the schema names. */
	property(name: string): SourceNode {
		return this.at(name, `properties.${name}`);
	}

	/** Returns the location of an element of a list whose elements have a schema of their own. */
	item(index: number): SourceNode {
		return this.at(index, "items");
	}

	/** Returns the location of a member or an element. Without `schemaPart`, it has the same schema as this location. */
	at(token: string | number, schemaPart = ""): SourceNode {
		return new SourceNode(this.#valueAt(token), this.#written, { from: this, token, schemaPart });
	}

	/** Returns the names of an object's members; none for any other value. */
	names(): readonly string[] {
		return isObject(this.value) ? Object.keys(this.value) : [];
	}

	/** Returns the number of a list's elements; 0 for any other value. */
	length(): number {
		return Array.isArray(this.value) ? this.value.length : 0;
	}

	get #writtenForm(): WrittenForm | undefined {
		const container = this.#link?.from.value;
		if (this.#link === undefined || typeof container !== "object" || container === null) return undefined;
		return this.#written.get(container)?.get(this.#link.token);
	}

	#valueAt(token: string | number): JsonValue | undefined {
		if (typeof token === "number") return Array.isArray(this.value) ? this.value[token] : undefined;
		return isObject(this.value) && Object.hasOwn(this.value, token) ? (this.value as JsonObject)[token] : undefined;
	}
}
