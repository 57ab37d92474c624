/**
 * Stores a value for each of many short-lived objects, like a `WeakMap`, but in a private field of the object itself.
 *
 * The value appears neither in the object's JSON nor in copies, and frozen objects can have one. In V8 (Node 20), a young collection treats
 * the entries of an old `WeakMap` as strong: all objects that they reference stay until the next full collection. Setting a value in a
 * `WeakMap` also takes ten times as long.
 */
export class PrivateSlot<K extends object, V> {
	readonly #slotClass = createSlotClass<V>();

	/** Returns the value of an object. Returns undefined if none is set. */
	get(object: K): V | undefined {
		return this.#slotClass.read(object);
	}

	set(object: K, value: V): void {
		this.#slotClass.write(object, value);
	}

	delete(object: K): void {
		this.#slotClass.write(object, undefined);
	}
}

/** Returns its argument from the constructor, so that the private fields of a derived class are added to that object. */
class ReturnArgument {
	constructor(object: object) {
		// biome-ignore lint/correctness/noConstructorReturn: derived classes add their private fields to the returned object
		return object;
	}
}

/** Creates a class with a private field of its own for each `PrivateSlot`. */
function createSlotClass<V>() {
	return class Slot extends ReturnArgument {
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
