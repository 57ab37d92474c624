/** Value that JSON cannot represent. It is converted before it leaves an expression. */
export abstract class InternalValue {
	/** Name of the type, for messages. */
	abstract readonly typeName: string;
}
