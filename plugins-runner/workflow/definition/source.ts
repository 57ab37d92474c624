import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";

/** What is known of a member or an element besides its value. */
export interface Written {
	/** From 1. */
	readonly line: number;
	/** A number that is written with a point, such as 2.0. */
	readonly isFloat: boolean;
}

/** For each object and list: how its members and elements are written. */
export type WrittenValues = WeakMap<object, ReadonlyMap<string | number, Written>>;

/** A place in a definition, whether something stands there or not. */
export class Spot {
	/** Undefined where nothing stands. */
	readonly value: JsonValue | undefined;
	/** Such as `tasks.task2.next[0].when`; empty at the top. */
	readonly path: string;
	/** The same in the schema of definitions. */
	readonly schemaPath: string;
	/** Of what stands there, or of what it would stand in. */
	readonly line: number;
	readonly isFloat: boolean;
	readonly #written: WrittenValues;

	private constructor(parts: Pick<Spot, "value" | "path" | "schemaPath" | "line" | "isFloat">, written: WrittenValues) {
		this.value = parts.value;
		this.path = parts.path;
		this.schemaPath = parts.schemaPath;
		this.line = parts.line;
		this.isFloat = parts.isFloat;
		this.#written = written;
	}

	static top(value: JsonValue, written: WrittenValues): Spot {
		return new Spot({ value, path: "", schemaPath: "", line: 1, isFloat: false }, written);
	}

	/** An attribute that the schema names. */
	property(name: string): Spot {
		return this.at(name, `properties.${name}`);
	}

	/** An element of a list for whose elements the schema has a schema of their own. */
	item(index: number): Spot {
		return this.at(index, "items");
	}

	/** A member or an element; `schemaPart` leads from the schema of this to that of it, and is empty for what belongs to the same schema. */
	at(token: string | number, schemaPart = ""): Spot {
		const parts = {
			value: this.#valueAt(token),
			path: joinPath(this.path, token),
			schemaPath: [this.schemaPath, schemaPart].filter((part) => part !== "").join("."),
		};
		const written = this.#writtenAt(token);
		return new Spot({ ...parts, line: written?.line ?? this.line, isFloat: written?.isFloat ?? false }, this.#written);
	}

	/** Names of an object's members; none for anything else. */
	names(): readonly string[] {
		return isObject(this.value) ? Object.keys(this.value) : [];
	}

	/** Number of a list's elements; 0 for anything else. */
	length(): number {
		return Array.isArray(this.value) ? this.value.length : 0;
	}

	#valueAt(token: string | number): JsonValue | undefined {
		if (typeof token === "number") return Array.isArray(this.value) ? this.value[token] : undefined;
		return isObject(this.value) && Object.hasOwn(this.value, token) ? (this.value as JsonObject)[token] : undefined;
	}

	#writtenAt(token: string | number): Written | undefined {
		return typeof this.value === "object" && this.value !== null ? this.#written.get(this.value)?.get(token) : undefined;
	}
}

function joinPath(path: string, token: string | number): string {
	if (typeof token === "number") return `${path}[${token}]`;
	return path === "" ? token : `${path}.${token}`;
}
