/**
 * A value beside each of many objects that come and go, as a `WeakMap` has it, but kept in the object, where nobody sees it: not in its JSON,
 * not in a copy, and frozen objects have it too. V8's quick collections, of young objects only, take for used what lies in a `WeakMap` that has been
 * there for long, so all that it leads to stays until the next collection of the whole heap; and to set a value takes it ten times as long.
 */
export class Attached<K extends object, V> {
	readonly #slot = createSlot<V>();

	get(object: K): V | undefined {
		return this.#slot.read(object);
	}

	set(object: K, value: V): void {
		this.#slot.write(object, value);
	}

	delete(object: K): void {
		this.#slot.write(object, undefined);
	}
}

/** Makes what a class derived from it constructs the object itself, which thereby gets the private fields of that class. */
class Itself {
	constructor(object: object) {
		// biome-ignore lint/correctness/noConstructorReturn: that is what the class is for
		return object;
	}
}

/** A class for each, as each has a private field of its own. */
function createSlot<V>() {
	return class Slot extends Itself {
		#value: V | undefined;

		static read(object: object): V | undefined {
			return #value in object ? object.#value : undefined;
		}

		static write(object: object, value: V | undefined): void {
			const slot = #value in object ? object : (new Slot(object) as Slot);
			slot.#value = value;
		}
	};
}
