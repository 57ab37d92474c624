import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";

/** What is known of a member or an element besides its value. */
export interface WrittenForm {
	/** From 1. */
	readonly line: number;
	/** A number that is written with a point, such as 2.0. */
	readonly isFloat: boolean;
}

/** For each object and list: how its members and elements are written. */
export type WrittenForms = WeakMap<object, ReadonlyMap<string | number, WrittenForm>>;

/** How one place leads to another below it. */
interface Way {
	readonly from: Spot;
	readonly token: string | number;
	/** Leads from the schema of the one to that of the other; empty where both have the same. */
	readonly schemaPart: string;
}

/** A place in a definition, whether something stands there or not. Thousands are made, so that most is found out when it is asked for. */
export class Spot {
	/** Undefined where nothing stands. */
	readonly value: JsonValue | undefined;
	readonly #written: WrittenForms;
	readonly #way: Way | undefined;

	private constructor(value: JsonValue | undefined, written: WrittenForms, way?: Way) {
		this.value = value;
		this.#written = written;
		this.#way = way;
	}

	static top(value: JsonValue, written: WrittenForms): Spot {
		return new Spot(value, written);
	}

	/** Such as `tasks.task2.next[0].when`; empty at the top. */
	get path(): string {
		if (this.#way === undefined) return "";
		const { from, token } = this.#way;
		if (typeof token === "number") return `${from.path}[${token}]`;
		return from.#way === undefined ? token : `${from.path}.${token}`;
	}

	/** The same in the schema of definitions. */
	get schemaPath(): string {
		if (this.#way === undefined) return "";
		return [this.#way.from.schemaPath, this.#way.schemaPart].filter((part) => part !== "").join(".");
	}

	/** Of what stands there, or of what it would stand in. */
	get line(): number {
		return this.#writing?.line ?? this.#way?.from.line ?? 1;
	}

	get isFloat(): boolean {
		return this.#writing?.isFloat ?? false;
	}

	/** An attribute that the schema names. */
	property(name: string): Spot {
		return this.at(name, `properties.${name}`);
	}

	/** An element of a list for whose elements the schema has a schema of their own. */
	item(index: number): Spot {
		return this.at(index, "items");
	}

	/** A member or an element; without `schemaPart` it belongs to the same schema. */
	at(token: string | number, schemaPart = ""): Spot {
		return new Spot(this.#valueAt(token), this.#written, { from: this, token, schemaPart });
	}

	/** Names of an object's members; none for anything else. */
	names(): readonly string[] {
		return isObject(this.value) ? Object.keys(this.value) : [];
	}

	/** Number of a list's elements; 0 for anything else. */
	length(): number {
		return Array.isArray(this.value) ? this.value.length : 0;
	}

	get #writing(): WrittenForm | undefined {
		const container = this.#way?.from.value;
		if (this.#way === undefined || typeof container !== "object" || container === null) return undefined;
		return this.#written.get(container)?.get(this.#way.token);
	}

	#valueAt(token: string | number): JsonValue | undefined {
		if (typeof token === "number") return Array.isArray(this.value) ? this.value[token] : undefined;
		return isObject(this.value) && Object.hasOwn(this.value, token) ? (this.value as JsonObject)[token] : undefined;
	}
}
