/** A value that is no JSON. It never leaves an expression as it is. */
export abstract class InternalValue {
	/** For messages. */
	abstract readonly typeName: string;
}
