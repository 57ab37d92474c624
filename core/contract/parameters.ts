import type { JsonObject, JsonValue } from "./json.ts";

/** Type of a value, in the words of JSON schema. */
export type ParameterType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";

/**
 * Definition of one parameter: a JSON schema for its value plus the words of the specification (`required`, `immutable`,
 * `secret`, `position`). Unknown keys are refused when an action is registered.
 */
export interface ParameterDefinition {
	/** One type name; none means any value. */
	readonly type?: ParameterType;
	readonly description?: string;
	/** Used when the caller gives none. A text holding `{{` or `{%` is a template. */
	readonly default?: JsonValue;
	/** Whether a value must be given. A default satisfies it. Default false. */
	readonly required?: boolean;
	/** The caller may not set it; the default always applies. Default false. */
	readonly immutable?: boolean;
	/**
	 * Only for parameters of runners: it decides as whom, where or from which code an action runs, so that a caller who may only
	 * start the action must not choose it. The caller may set it where the action names the parameter in its own definition, or
	 * leaves to the caller one that `opensReserved`; elsewhere it is immutable. Default false.
	 */
	readonly reserved?: boolean;
	/**
	 * Only for parameters of runners, such as the command line of a shell on this machine: whoever may set it can do all that the runner's
	 * reserved parameters could do, so that these are open as well where an action leaves it to its caller. Not for a command that is shut
	 * in, as by a container. Default false.
	 */
	readonly opensReserved?: boolean;
	/**
	 * Only for parameters of runners whose value can also say what a reserved parameter says, such as the user in `user@host`: if the caller may
	 * not set that parameter, `schema` is laid over this definition.
	 */
	readonly reservedBy?: { readonly parameter: string; readonly schema: ParameterDefinition };
	/** Its value is replaced by `********` wherever it leaves the service (specification, Secrets masking). Default false. */
	readonly secret?: boolean;
	/** Place among a script's positional arguments, from 0 without gaps. */
	readonly position?: number;
	readonly enum?: readonly JsonValue[];
	readonly items?: ParameterDefinition | readonly ParameterDefinition[];
	readonly properties?: Readonly<Record<string, ParameterDefinition>>;
	readonly patternProperties?: Readonly<Record<string, ParameterDefinition>>;
	readonly additionalProperties?: boolean | ParameterDefinition;
	readonly additionalItems?: boolean | ParameterDefinition;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly exclusiveMinimum?: number | boolean;
	readonly exclusiveMaximum?: number | boolean;
	readonly multipleOf?: number;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly pattern?: string;
	readonly format?: string;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly uniqueItems?: boolean;
	readonly minProperties?: number;
	readonly maxProperties?: number;
	readonly dependencies?: JsonObject;
	readonly definitions?: JsonObject;
	readonly title?: string;
	readonly id?: string;
	readonly $schema?: string;
	readonly allOf?: readonly ParameterDefinition[];
	readonly anyOf?: readonly ParameterDefinition[];
	readonly oneOf?: readonly ParameterDefinition[];
	readonly not?: ParameterDefinition;
}

/** Parameter name (letters, digits, underscore) to definition, in declaration order. */
export type ParameterSchema = Readonly<Record<string, ParameterDefinition>>;

interface TypeOf {
	string: string;
	number: number;
	integer: number;
	boolean: boolean;
	array: readonly JsonValue[];
	object: JsonObject;
	null: null;
}

type ValueOf<D extends ParameterDefinition> = D extends { readonly enum: readonly (infer V)[] }
	? V
	: D extends { readonly type: infer T extends ParameterType }
		? TypeOf[T]
		: JsonValue;

type IsGiven<D extends ParameterDefinition> = D extends { readonly required: true }
	? true
	: D extends { readonly default: null }
		? false
		: D extends { readonly default: JsonValue }
			? true
			: false;

/**
 * The values a runner receives for its schema: validated, defaults applied. A parameter that is neither required nor has a
 * default may be `undefined`.
 */
export type ParameterValues<S extends ParameterSchema> = {
	readonly [K in keyof S]: IsGiven<S[K]> extends true ? ValueOf<S[K]> : ValueOf<S[K]> | undefined;
};
